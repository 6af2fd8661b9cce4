use http::HeaderMap;
use tracing::info_span;

use super::*;

const TRACE_ID: &str = "0af7651916cd43dd8448eb211c80319c";

/// A subscriber as [`start`] makes it, without log and exporter.
fn with_spans<T>(work: impl FnOnce() -> T) -> T {
    let provider = tracer_provider("test", None).expect("no endpoint, nothing to fail");
    let spans = tracing_opentelemetry::layer().with_tracer(provider.tracer("stakemate"));
    tracing::subscriber::with_default(tracing_subscriber::registry().with(spans), work)
}

fn headers(trace_parent: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("traceparent", trace_parent.parse().expect("a header"));
    headers
}

fn injected(span: &Span, mut headers: HeaderMap) -> Option<String> {
    inject_trace_of(span, &mut headers);
    headers.get("traceparent").map(|value| value.to_str().expect("text").to_owned())
}

#[test]
fn a_trace_that_came_in_goes_out_again_under_our_own_span() {
    let parent = format!("00-{TRACE_ID}-b7ad6b7169203331-01");
    let (trace_id, out) = with_spans(|| {
        let span = info_span!("call");
        continue_trace(&span, &headers(&parent));
        (trace_id_of(&span), injected(&span, headers("what stood there before")).expect("a header"))
    });
    assert_eq!(trace_id.as_deref(), Some(TRACE_ID));
    assert!(out.starts_with(&format!("00-{TRACE_ID}-")) && out.ends_with("-01"), "{out}");
    assert_ne!(out, parent);
}

#[test]
fn a_call_without_a_trace_or_with_a_broken_one_begins_its_own() {
    for trace_parent in ["", "nonsense", "00-0000-0000-01"] {
        let trace_id = with_spans(|| {
            let span = info_span!("call");
            continue_trace(&span, &headers(trace_parent));
            trace_id_of(&span)
        });
        assert!(trace_id.is_some_and(|id| id != TRACE_ID), "{trace_parent:?}");
    }
}

#[test]
fn without_spans_a_trace_is_handed_on_untouched() {
    let parent = format!("00-{TRACE_ID}-b7ad6b7169203331-01");
    assert_eq!(injected(&Span::none(), headers(&parent)), Some(parent));
}
