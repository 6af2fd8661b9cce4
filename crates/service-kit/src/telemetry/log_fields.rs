//! The fields of spans as they stand in the log.

use std::fmt;

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::span::Record;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FormatFields, FormattedFields};

/// Fields that are meant for the exported trace alone.
const OF_TRACES: &str = "otel.";

/// The fields of a span as one JSON object, written as they come. They are written for every call and read for the few that something is
/// logged in, so nothing is gathered in between, and a field that is recorded later is put behind the others.
#[derive(Debug, Default)]
pub(super) struct LogFields;

impl<'writer> FormatFields<'writer> for LogFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'writer>, fields: R) -> fmt::Result {
        writer.write_char('{')?;
        let mut object = Object { out: &mut writer, is_empty: true, outcome: Ok(()) };
        fields.record(&mut object);
        object.outcome?;
        writer.write_char('}')
    }

    fn add_fields(&self, current: &'writer mut FormattedFields<Self>, fields: &Record<'_>) -> fmt::Result {
        let text = &mut current.fields;
        if text.pop().is_none() {
            text.push('{');
        }
        let is_empty = text.len() == 1;
        let mut object = Object { out: text, is_empty, outcome: Ok(()) };
        fields.record(&mut object);
        object.outcome?;
        text.push('}');
        Ok(())
    }
}

/// A JSON object in the making.
struct Object<'a> {
    out: &'a mut dyn fmt::Write,
    is_empty: bool,
    outcome: fmt::Result,
}

impl Object<'_> {
    fn put(&mut self, field: &Field, value: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) {
        let name = field.name();
        if self.outcome.is_ok() && !name.starts_with(OF_TRACES) {
            self.outcome = self.put_named(name.trim_start_matches("r#"), value);
        }
    }

    fn put_named(
        &mut self,
        name: &str,
        value: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result,
    ) -> fmt::Result {
        if !std::mem::take(&mut self.is_empty) {
            self.out.write_char(',')?;
        }
        write_text(self.out, name)?;
        self.out.write_char(':')?;
        value(self.out)
    }
}

impl Visit for Object<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        // What is no number in JSON is null.
        self.put(field, |out| write!(out, "{}", Value::from(value)));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, |out| write!(out, "{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, |out| write!(out, "{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, |out| write!(out, "{value}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, |out| write_text(out, value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, |out| write_text(out, &format!("{value:?}")));
    }
}

fn write_text(out: &mut dyn fmt::Write, text: &str) -> fmt::Result {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        out.write_char('"')?;
        out.write_str(text)?;
        return out.write_char('"');
    }
    write!(out, "{}", Value::from(text))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing::{Span, field, info, info_span};
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("whole").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The span of the one line that is logged in `span`, once `record` has recorded more.
    fn logged(span: impl FnOnce() -> Span, record: impl FnOnce(&Span)) -> Value {
        let lines = Lines::default();
        let writer = lines.clone();
        let log =
            tracing_subscriber::fmt::layer().json().fmt_fields(LogFields).with_writer(move || writer.clone());
        tracing::subscriber::with_default(tracing_subscriber::registry().with(log), || {
            let span = span();
            record(&span);
            let _entered = span.enter();
            info!("here");
        });
        let text = lines.0.lock().expect("whole");
        serde_json::from_slice::<Value>(&text).expect("one line of JSON")["span"].clone()
    }

    #[test]
    fn fields_of_every_kind_stand_in_the_log_as_json() {
        let span = || {
            info_span!(
                "call",
                text = "plain",
                quoted = "a \"b\"\\\n\u{1}é",
                whole = -3_i64,
                large = u64::MAX,
                part = 0.5,
                none = f64::NAN,
                yes = true,
                shown = ?Some("x"),
                r#type = "word",
                otel.kind = "server",
            )
        };
        let expected = serde_json::json!({
            "name": "call", "text": "plain", "quoted": "a \"b\"\\\n\u{1}é", "whole": -3, "large": u64::MAX, "part": 0.5,
            "none": null, "yes": true, "shown": "Some(\"x\")", "type": "word",
        });
        assert_eq!(logged(span, |_| ()), expected);
    }

    #[test]
    fn what_is_recorded_later_stands_beside_what_was_there() {
        let empty = || info_span!("call", trace_id = field::Empty);
        let some = || info_span!("call", method = "}", trace_id = field::Empty, code = field::Empty);
        let trace = |span: &Span| {
            span.record("trace_id", "{1");
        };
        let both = |span: &Span| {
            trace(span);
            span.record("code", 7);
        };
        assert_eq!(logged(empty, |_| ()), serde_json::json!({"name": "call"}));
        assert_eq!(logged(empty, trace), serde_json::json!({"name": "call", "trace_id": "{1"}));
        let all = serde_json::json!({"name": "call", "method": "}", "trace_id": "{1", "code": 7});
        assert_eq!(logged(some, both), all);
    }
}
