use serde::Deserialize;

use super::*;
use crate::auth::KeyPair;

#[derive(Debug, Deserialize)]
struct Config {
    #[serde(flatten)]
    common: CommonConfig,
    #[serde(default = "one")]
    clock_scale: u32,
    #[serde(default = "one")]
    lanes: u32,
    #[serde(default, deserialize_with = "comma_separated")]
    origins: Vec<String>,
}

fn one() -> u32 {
    1
}

impl ServiceConfig for Config {
    fn common(&self) -> &CommonConfig {
        &self.common
    }

    fn problems(&self) -> Vec<Problem> {
        if self.common.is_production() && self.clock_scale != 1 {
            vec![Problem::development_only("clock_scale")]
        } else {
            Vec::new()
        }
    }
}

const GOOD: [(&str, &str); 3] = [
    ("STAKEMATE_DATABASE_URL", "postgres://game:Zk3vQ9@db.internal/game"),
    ("STAKEMATE_NATS_URL", "nats://bus.internal:4222"),
    ("STAKEMATE_TOKEN_PUBLIC_KEY_FILE", "/etc/stakemate/token.pem"),
];

fn load_with(changes: &[(&str, &str)]) -> Result<Config, Error> {
    let pairs = GOOD.iter().chain(changes).map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    load_from(&Variables::from_pairs("game", pairs))
}

fn bad_variables(error: &Error) -> Vec<&str> {
    error.problems.iter().map(|problem| problem.variable.as_str()).collect()
}

#[test]
fn what_is_not_said_has_a_default_and_nothing_said_means_production() {
    let config = load_with(&[]).expect("a good configuration");
    assert!(config.common.is_production());
    assert_eq!(config.common.grpc_address.port(), 50051);
    assert_eq!((config.clock_scale, config.lanes), (1, 1));
    assert!(config.origins.is_empty());
}

#[test]
fn a_services_own_variable_beats_the_shared_one_and_an_empty_one_is_unset() {
    let config = load_with(&[
        ("STAKEMATE_LANES", "2"),
        ("STAKEMATE_GAME_LANES", "3"),
        ("STAKEMATE_WALLET_LANES", "4"),
        ("STAKEMATE_CLOCK_SCALE", ""),
        ("STAKEMATE_ORIGINS", "https://a.example, https://b.example"),
    ])
    .expect("a good configuration");
    assert_eq!((config.lanes, config.clock_scale), (3, 1));
    assert_eq!(config.origins, ["https://a.example", "https://b.example"]);
}

/// KIT-1
#[test]
fn every_bad_variable_is_named_in_one_answer() {
    let error = load_with(&[
        ("STAKEMATE_ENVIRONMENT", "staging"),
        ("STAKEMATE_GRPC_ADDRESS", "localhost"),
        ("STAKEMATE_DATABASE_URL", "mysql://root@db/game"),
        ("STAKEMATE_NATS_URL", ""),
        ("STAKEMATE_TOKEN_PUBLIC_KEY_FILE", ""),
        ("STAKEMATE_LOG", "info,,=="),
        ("STAKEMATE_DATABASE_CONNECTIONS", "many"),
        ("STAKEMATE_CLOCK_SCALE", "fast"),
        ("STAKEMATE_GAME_LANES", "-1"),
    ])
    .expect_err("a bad configuration");
    let mut named = bad_variables(&error);
    named.sort_unstable();
    assert_eq!(
        named,
        [
            "STAKEMATE_CLOCK_SCALE",
            "STAKEMATE_DATABASE_CONNECTIONS",
            "STAKEMATE_DATABASE_URL",
            "STAKEMATE_ENVIRONMENT",
            "STAKEMATE_GRPC_ADDRESS",
            "STAKEMATE_LANES",
            "STAKEMATE_LOG",
        ]
    );
}

#[test]
fn a_missing_variable_is_named() {
    let error = load_from::<Config>(&Variables::from_pairs("game", [])).expect_err("nothing is set");
    assert_eq!(
        bad_variables(&error),
        ["STAKEMATE_DATABASE_URL", "STAKEMATE_NATS_URL", "STAKEMATE_TOKEN_PUBLIC_KEY_FILE"]
    );
}

#[test]
fn neither_an_error_nor_a_debug_print_shows_a_value() {
    let error = load_with(&[("STAKEMATE_DATABASE_URL", "hunter2"), ("STAKEMATE_LANES", "hunter3")])
        .expect_err("a bad configuration");
    let config = load_with(&[]).expect("a good configuration");
    for shown in [error.to_string(), format!("{error:?}"), format!("{config:?}")] {
        assert!(!shown.contains("hunter") && !shown.contains("Zk3vQ9"), "{shown}");
    }
}

/// KIT-1
#[test]
fn production_refuses_development_passwords_keys_and_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = KeyPair::development(folder.path()).expect("keys");
    let renamed = folder.path().join("token.pem");
    std::fs::copy(&keys.public, &renamed).expect("copied");
    let changes = [
        ("STAKEMATE_DATABASE_URL", "postgres://game:postgres@db/game"),
        ("STAKEMATE_NATS_URL", "nats://game:stakemate@bus:4222"),
        ("STAKEMATE_TOKEN_PUBLIC_KEY_FILE", renamed.to_str().expect("a plain path")),
        ("STAKEMATE_CLOCK_SCALE", "60"),
    ];
    let error = load_with(&changes).expect_err("nothing for production");
    assert_eq!(
        bad_variables(&error),
        [
            "STAKEMATE_DATABASE_URL",
            "STAKEMATE_NATS_URL",
            "STAKEMATE_TOKEN_PUBLIC_KEY_FILE",
            "STAKEMATE_CLOCK_SCALE"
        ]
    );
    let development = [&changes[..], &[("STAKEMATE_ENVIRONMENT", "development")]].concat();
    assert_eq!(load_with(&development).expect("fine for development").clock_scale, 60);
}
