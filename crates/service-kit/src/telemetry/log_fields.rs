//! The fields of spans as they stand in the log.

use std::fmt;

use tracing::span::Record;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::{JsonFields, Writer};
use tracing_subscriber::fmt::{FormatFields, FormattedFields};

/// As [`JsonFields`]; but a field that is recorded later is put behind the others, where that one reads everything that stands there and writes
/// it again. Every call records the id of its trace so.
#[derive(Debug, Default)]
pub(super) struct LogFields(JsonFields);

impl<'writer> FormatFields<'writer> for LogFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        self.0.format_fields(writer, fields)
    }

    fn add_fields(&self, current: &'writer mut FormattedFields<Self>, fields: &Record<'_>) -> fmt::Result {
        let mut added = String::new();
        self.0.format_fields(Writer::new(&mut added), fields)?;
        append(&mut current.fields, &added);
        Ok(())
    }
}

/// Puts the fields of one JSON object behind those of another.
fn append(object: &mut String, added: &str) {
    let is_empty = |text: &str| text.trim_start_matches('{').trim_end_matches('}').is_empty();
    if is_empty(added) {
        return;
    }
    if is_empty(object) {
        added.clone_into(object);
        return;
    }
    object.pop();
    object.push(',');
    object.push_str(&added[1..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_later_stands_behind_what_was_there() {
        for (object, added, both) in [
            ("", r#"{"b":1}"#, r#"{"b":1}"#),
            ("{}", r#"{"b":1}"#, r#"{"b":1}"#),
            (r#"{"a":"}"}"#, "{}", r#"{"a":"}"}"#),
            (r#"{"a":"}"}"#, r#"{"b":1,"c":"{"}"#, r#"{"a":"}","b":1,"c":"{"}"#),
        ] {
            let mut object = object.to_owned();
            append(&mut object, added);
            assert_eq!(object, both);
        }
    }
}
