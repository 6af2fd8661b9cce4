//! Variables of the environment, read once at the start.
//!
//! A service's own settings stand in a struct with `#[serde(flatten)] common: CommonConfig`. A field `clock_scale` is read from
//! `STAKEMATE_<SERVICE>_CLOCK_SCALE`, else from `STAKEMATE_CLOCK_SCALE`; an empty variable counts as unset. What holds a password
//! (`database_url`, `nats_url`, `redis_url`) may come from a file: `STAKEMATE_DATABASE_URL_FILE`. Give own fields
//! a `#[serde(default = "…")]`: then one start names every bad variable at once.

mod common;
#[cfg(test)]
mod tests;
mod variables;

use figment::Figment;
use figment::error::Kind;
use figment::providers::Serialized;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

pub use common::{CommonConfig, Environment};
pub use variables::Variables;

/// The settings of one service.
pub trait ServiceConfig: DeserializeOwned {
    /// The part that every service has.
    fn common(&self) -> &CommonConfig;

    /// What is wrong with the service's own settings beyond their types; above all what production must refuse.
    fn problems(&self) -> Vec<Problem> {
        Vec::new()
    }
}

/// One bad variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The variable, as `STAKEMATE_GRPC_ADDRESS`.
    pub variable: String,
    /// What is wrong with it, never its value: that may be a secret.
    pub reason: String,
}

impl Problem {
    /// A problem with the variable of the field `name`, as `grpc_address`.
    pub fn new(name: &str, reason: impl Into<String>) -> Self {
        Self { variable: variables::full_name(name), reason: reason.into() }
    }

    /// The variable of the field `name` holds what only development may have.
    pub fn development_only(name: &str) -> Self {
        Self::new(name, "is for development only, and STAKEMATE_ENVIRONMENT is production")
    }
}

/// Every bad variable, one a line.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the configuration is refused:{}", lines(.problems))]
pub struct Error {
    /// What is wrong, in the order of the variables' names within the common part, then the service's own.
    pub problems: Vec<Problem>,
}

/// Reads the settings of `service` from the process's environment.
///
/// # Errors
/// Names every variable that is missing, malformed or refused (KIT-1).
pub fn load<T: ServiceConfig>(service: &str) -> Result<T, Error> {
    load_from(&Variables::from_environment(service))
}

/// Reads the settings from the given variables, for tests.
///
/// # Errors
/// As [`load`].
pub fn load_from<T: ServiceConfig>(variables: &Variables) -> Result<T, Error> {
    let mut problems = variables.problems().to_vec();
    let common = common::read(variables, &mut problems);
    let values = variables.values_with(&common);
    let config: Option<T> = extract(values, &mut problems);
    if let Some(config) = &config {
        problems.extend(config.problems());
    }
    match config {
        Some(config) if problems.is_empty() => Ok(config),
        _ => Err(Error { problems }),
    }
}

/// For `#[serde(deserialize_with = "…")]`: a list written as `a,b,c`; spaces around an item do not count.
///
/// # Errors
/// When the variable is not text.
pub fn comma_separated<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect())
}

/// Reads `T`, and when a variable is bad reads on without it, so that the next bad one is found too.
fn extract<T: DeserializeOwned>(mut values: variables::Values, problems: &mut Vec<Problem>) -> Option<T> {
    loop {
        let error = match Figment::from(Serialized::defaults(&values)).extract::<T>() {
            Ok(config) => return Some(config),
            Err(error) => error,
        };
        let name = match &error.kind {
            Kind::MissingField(name) => name.to_string(),
            _ => error.path.first().cloned().unwrap_or_default(),
        };
        let known = problems.iter().any(|problem| problem.variable == variables::full_name(&name));
        if !known {
            problems.push(Problem::new(&name, reason(&error.kind)));
        }
        // Without a value to take away there is nothing left to find.
        values.remove(&name)?;
    }
}

/// The kind of an error without the value: it may be a secret.
fn reason(kind: &Kind) -> String {
    match kind {
        Kind::MissingField(_) => "is missing".to_owned(),
        Kind::InvalidType(_, expected) | Kind::InvalidValue(_, expected) => format!("must be {expected}"),
        Kind::UnknownVariant(_, known) => format!("must be one of {}", known.join(", ")),
        Kind::Message(message) => message.clone(),
        _ => "is malformed".to_owned(),
    }
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("\n  {} {}", problem.variable, problem.reason)).collect()
}
