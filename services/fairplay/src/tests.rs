//! The settings.

use std::sync::Arc;
use std::time::Duration;

use service_kit::config::{Variables, load_from};

use crate::Config;
use crate::app::settings::AnalysisSettings;

fn config(extra: &[(&str, &str)]) -> Result<Config, service_kit::config::Error> {
    let common = [
        ("STAKEMATE_ENVIRONMENT", "development"),
        ("STAKEMATE_DATABASE_URL", "postgres://localhost/fairplay"),
        ("STAKEMATE_NATS_URL", "nats://localhost"),
        ("STAKEMATE_TOKEN_PUBLIC_KEY_FILE", "key.pem"),
    ];
    let pairs = common.iter().chain(extra).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    load_from(&Variables::from_pairs("fairplay", pairs))
}

fn settings(extra: &[(&str, &str)]) -> AnalysisSettings {
    AnalysisSettings::of(&config(extra).expect("complete"), Arc::new(calibration::file::bundled()))
}

#[test]
fn a_calibration_that_is_none_stops_the_start() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let path = file.path().to_str().expect("a name");
    let with = |path| config(&[("STAKEMATE_FAIRPLAY_CALIBRATION", path)]).expect("complete");
    assert!(crate::read_calibration(&with(path)).is_err());
    let text = calibration::file::write(&mut calibration::file::bundled());
    std::fs::write(file.path(), text).expect("written");
    assert!(crate::read_calibration(&with(path)).is_ok());
}

#[test]
fn without_variables_the_settings_are_those_of_pass_a_and_no_engine() {
    let settings = settings(&[]);
    assert!(settings.engine.is_none());
    assert_eq!((settings.engines, settings.search.nodes, settings.search.multi_pv), (1, 25_000, 4));
}

#[test]
fn engine_nodes_and_engines_are_read_from_their_variables() {
    let variables = [
        ("STAKEMATE_STOCKFISH", "/usr/games/stockfish"),
        ("STAKEMATE_FAIRPLAY_NODES", "1000"),
        ("STAKEMATE_FAIRPLAY_ENGINES", "2"),
    ];
    let settings = settings(&variables);
    let engine = settings.engine.expect("an engine");
    assert_eq!(engine.program.to_str(), Some("/usr/games/stockfish"));
    assert_eq!((engine.hash_mb, engine.threads), (32, 1));
    assert_eq!((settings.engines, settings.search.nodes), (2, 1_000));
}

#[test]
fn numbers_out_of_bounds_are_refused_by_name() {
    for (name, value) in [("STAKEMATE_FAIRPLAY_NODES", "0"), ("STAKEMATE_FAIRPLAY_ENGINES", "1000")] {
        let error = config(&[(name, value)]).expect_err("out of bounds");
        assert_eq!(error.problems.len(), 1, "{error}");
    }
}

#[test]
fn the_wait_before_another_try_doubles() {
    let settings = settings(&[]);
    let waits = [1, 2, 3].map(|attempts| settings.retry_delay_after(attempts));
    assert_eq!(waits, [10, 20, 40].map(Duration::from_secs));
}
