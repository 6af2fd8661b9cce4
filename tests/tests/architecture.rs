//! The arrows between crates: who may reach whom.

use std::collections::BTreeSet;
use std::process::Command;

/// What a pure crate must not reach, by any way: runtimes, the wire, databases, the bus.
const IMPURE: &[&str] = &["tokio", "tonic", "prost", "sqlx", "async-nats", "redis", "serde", "rand", "uuid"];

/// A domain crate must not bring these in itself. (shakmaty needs no more than the standard library either, but what a
/// dependency of a dependency does is its own business as long as it is none of [`IMPURE`].)
const DOMAIN: &[&str] =
    &["domain-chess", "domain-glicko", "domain-ledger", "domain-pairing", "domain-fairplay"];

const SERVICES: &[&str] = &["gateway", "matchmaking", "game", "rating", "wallet", "fairplay"];

/// The names of all crates that a crate is built from, itself left out.
fn reached_from(package: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--locked",
            "--package",
            package,
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo tree failed: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("cargo prints text");
    let names = text.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != package).map(str::to_owned).collect()
}

#[test]
fn no_domain_crate_reaches_a_runtime_the_wire_or_a_database() {
    for package in DOMAIN {
        let reached = reached_from(package);
        let impure: Vec<_> = IMPURE.iter().filter(|name| reached.contains(**name)).collect();
        assert!(impure.is_empty(), "{package} reaches {impure:?}");
    }
}

#[test]
fn the_walk_sees_what_a_service_reaches() {
    let reached = reached_from("game");
    for expected in ["domain-chess", "shakmaty", "tokio", "tonic", "sqlx"] {
        assert!(reached.contains(expected), "game is built from {expected}");
    }
}

#[test]
fn no_service_reaches_another() {
    for service in SERVICES {
        let reached = reached_from(service);
        let others: Vec<_> = SERVICES.iter().filter(|name| reached.contains(**name)).collect();
        assert!(others.is_empty(), "{service} reaches {others:?}");
    }
}

#[test]
fn domain_crates_do_not_reach_each_other_or_the_wire_types() {
    for package in DOMAIN {
        let reached = reached_from(package);
        for other in DOMAIN.iter().chain(&["proto", "event-store", "event-bus", "service-kit"]) {
            assert!(!reached.contains(*other), "{package} reaches {other}");
        }
    }
}
