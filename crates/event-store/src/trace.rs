//! The W3C trace context of a span as a header value, so that one trace runs through log, bus and services.

use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The header (and gRPC metadata key) that carries the trace context.
pub const TRACE_PARENT_HEADER: &str = "traceparent";

/// The `traceparent` of the current span. None without a trace, and none for a trace that nobody records: the 55 bytes
/// would be kept with every event for nothing.
pub fn current_trace_parent() -> Option<String> {
    let context = Span::current().context();
    let span = context.span();
    let span_context = span.span_context();
    if !span_context.is_valid() || !span_context.is_sampled() {
        return None;
    }
    Some(format!("00-{}-{}-01", span_context.trace_id(), span_context.span_id()))
}

/// Makes `span` a child of the remote span named by `trace_parent`. A malformed value is ignored, as the specification
/// asks: a broken trace must not break the work. Must be called before the span is entered.
pub fn set_parent(span: &Span, trace_parent: &str) {
    if let Some(parent) = parse(trace_parent) {
        // Fails without an OpenTelemetry layer, and then there is no trace to continue.
        let _ = span.set_parent(Context::new().with_remote_span_context(parent));
    }
}

/// Reads `version-traceid-spanid-flags`; later versions may append fields, version ff is forbidden.
fn parse(trace_parent: &str) -> Option<SpanContext> {
    let mut parts = trace_parent.trim().split('-');
    let (version, trace_id, span_id, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let has_shape = version.len() == 2 && trace_id.len() == 32 && span_id.len() == 16 && flags.len() == 2;
    if !has_shape || version == "ff" || (version == "00" && parts.next().is_some()) {
        return None;
    }
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?) & TraceFlags::SAMPLED;
    let context = SpanContext::new(
        TraceId::from_hex(trace_id).ok()?,
        SpanId::from_hex(span_id).ok()?,
        flags,
        true,
        TraceState::default(),
    );
    context.is_valid().then_some(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_well_formed_trace_parent_is_read() {
        let context = parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").expect("a context");
        assert_eq!(context.trace_id().to_string(), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(context.span_id().to_string(), "b7ad6b7169203331");
        assert!(context.is_sampled() && context.is_remote());
    }

    #[test]
    fn a_malformed_trace_parent_is_ignored() {
        for malformed in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-zzf7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert!(parse(malformed).is_none(), "{malformed:?} was read");
        }
    }

    #[test]
    fn without_a_recorded_trace_there_is_no_trace_parent() {
        assert_eq!(current_trace_parent(), None);
    }
}
