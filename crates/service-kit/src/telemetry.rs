//! Logs, spans and metrics of a process.
//!
//! Logs are JSON lines on standard output. Spans always have ids, so that a trace context that came in goes on through events
//! and messages; they are exported only where an endpoint is configured. Metrics are read from the admin port.

mod log_fields;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, ParseError, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::CommonConfig;
use log_fields::LogFields;

/// Bounds of every duration histogram, in seconds: fine where a move should be, coarse where a timeout is.
const DURATION_BUCKETS_SECONDS: [f64; 14] =
    [0.0005, 0.001, 0.002, 0.004, 0.008, 0.015, 0.03, 0.06, 0.125, 0.25, 0.5, 1.0, 2.5, 10.0];
/// How long a stop waits for the last spans to be sent.
const EXPORT_MAX: Duration = Duration::from_secs(1);
/// The exporter's own calls must not be traced, or each export would make the next.
const NOT_TRACED: &str = "info,opentelemetry=off,h2=off,hyper=off,tonic=off,tower=off";

/// Telemetry could not start.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter is malformed.
    #[error("malformed log filter")]
    Filter(#[from] ParseError),
    /// The endpoint is malformed.
    #[error("cannot export spans")]
    Exporter(#[from] opentelemetry_otlp::ExporterBuildError),
}

/// Sends what is left when it is dropped.
#[derive(Debug)]
#[must_use = "telemetry ends when the guard is dropped"]
pub struct TelemetryGuard {
    provider: SdkTracerProvider,
}

impl Drop for TelemetryGuard {
    fn drop(&mut self) {
        // A collector that is down must not hold up the stop; there is nobody left to tell.
        let _ = self.provider.shutdown_with_timeout(EXPORT_MAX);
    }
}

/// Starts logs, spans and metrics. The second start in one process (tests) leaves the first's log in place.
///
/// # Errors
/// When the log filter or the endpoint is malformed.
pub fn start(service: &'static str, config: &CommonConfig) -> Result<TelemetryGuard, TelemetryError> {
    metrics_handle();
    let filter = log_filter(&config.log)?;
    let provider = tracer_provider(service, config.otlp_endpoint.as_deref())?;
    let spans = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("stakemate"))
        // Each of these costs something every time that a span is entered, and nobody asks for it.
        .with_tracked_inactivity(false)
        .with_threads(false)
        .with_location(false)
        .with_context_activation(false)
        .with_filter(NOT_TRACED.parse::<Targets>()?);
    let log = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .fmt_fields(LogFields)
        .with_filter(filter);
    let installed = tracing_subscriber::registry().with(spans).with(log).try_init();
    if installed.is_err() {
        tracing::debug!("telemetry had already been started");
    }
    Ok(TelemetryGuard { provider })
}

/// Levels by target, as `info` or `info,sqlx=warn`; errors alone where nothing else is said. Not by span: that would be looked up each time
/// that a span is entered.
///
/// # Errors
/// When the text is malformed.
pub fn log_filter(text: &str) -> Result<Targets, ParseError> {
    let targets: Targets = text.parse()?;
    let is_silent = targets.default_level().is_none();
    Ok(if is_silent { targets.with_default(LevelFilter::ERROR) } else { targets })
}

/// The process's metrics; installs the recorder the first time.
pub fn metrics_handle() -> &'static PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE.get_or_init(|| {
        let recorder = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &DURATION_BUCKETS_SECONDS)
            .expect("the list of bounds is not empty")
            .build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_err() {
            tracing::warn!("another metrics recorder was installed before; this one stays empty");
        }
        handle
    })
}

/// Makes the trace context of `headers` the parent of `span`, where there is one.
pub fn continue_trace(span: &Span, headers: &HeaderMap) {
    let context = TraceContextPropagator::new().extract(&Headers(headers));
    if context.span().span_context().is_valid() {
        // Fails only without a subscriber for spans, and then there is nothing to continue.
        let _ = span.set_parent(context);
    }
}

/// Writes the current span's trace context into the headers of a call that goes out, in place of what stood there. Without
/// spans what stood there stays, so that a trace is not cut by somebody who does not take part in it.
pub fn inject_trace(headers: &mut HeaderMap) {
    inject_trace_of(&Span::current(), headers);
}

/// As [`inject_trace`], for a span that is not the current one.
pub fn inject_trace_of(span: &Span, headers: &mut HeaderMap) {
    let context = span.context();
    if context.span().span_context().is_valid() {
        headers.remove("tracestate");
        TraceContextPropagator::new().inject_context(&context, &mut HeadersMut(headers));
    }
}

/// The trace id of a span in hexadecimal, for the log; nothing where spans are off.
pub fn trace_id_of(span: &Span) -> Option<String> {
    let context = span.context();
    let context = context.span().span_context().clone();
    context.is_valid().then(|| context.trace_id().to_string())
}

fn tracer_provider(
    service: &'static str,
    endpoint: Option<&str>,
) -> Result<SdkTracerProvider, TelemetryError> {
    let builder =
        SdkTracerProvider::builder().with_resource(Resource::builder().with_service_name(service).build());
    let Some(endpoint) = endpoint else {
        // Ids without recording: what comes in sampled stays so, and nothing is kept.
        let sampler = Sampler::ParentBased(Box::new(Sampler::AlwaysOff));
        return Ok(builder.with_sampler(sampler).build());
    };
    let exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint).build()?;
    Ok(builder.with_batch_exporter(exporter).build())
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(|value| value.to_str().ok())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

struct HeadersMut<'a>(&'a mut HeaderMap);

impl Injector for HeadersMut<'_> {
    fn set(&mut self, key: &str, value: String) {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(key), HeaderValue::try_from(value)) {
            self.0.insert(name, value);
        }
    }
}
