//! The raw variables, before anything is made of them.

use std::collections::BTreeMap;

use figment::value::Value;

use super::{CommonConfig, Problem};

/// Field names to values, as figment takes them.
pub(super) type Values = BTreeMap<String, Value>;

const PREFIX: &str = "STAKEMATE_";

/// Fields that hold a password. Each may come from a file instead, named by `STAKEMATE_DATABASE_URL_FILE` and so on: that is
/// how a cluster hands out secrets, and a variable would leak into child processes and crash reports.
const SECRETS: [&str; 4] = ["database_url", "nats_url", "redis_url", "payment_webhook_secret"];

/// The variables that concern one service, by lower-case field name.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    texts: BTreeMap<String, String>,
    problems: Vec<Problem>,
}

impl Variables {
    /// Those of the process.
    pub fn from_environment(service: &str) -> Self {
        Self::from_pairs(service, std::env::vars())
    }

    /// The given ones, with their full names. A variable of the service's own beats the shared one; an empty one is unset.
    pub fn from_pairs(service: &str, pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let own_prefix = format!("{}_", service.to_lowercase());
        let (mut shared, mut own) = (BTreeMap::new(), BTreeMap::new());
        for (name, text) in pairs {
            let Some(name) = name.strip_prefix(PREFIX).map(str::to_lowercase) else { continue };
            if text.is_empty() {
                continue;
            }
            match name.strip_prefix(&own_prefix) {
                Some(field) => own.insert(field.to_owned(), text),
                None => shared.insert(name, text),
            };
        }
        shared.extend(own);
        let problems = SECRETS.iter().filter_map(|name| read_secret(&mut shared, name).err()).collect();
        Self { texts: shared, problems }
    }

    /// Files of secrets that could not be read.
    pub(crate) fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The text of one field's variable, if it is set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// All variables with their types guessed, those of the common part replaced by what was made of them.
    pub(super) fn values_with(&self, common: &CommonConfig) -> Values {
        let parse = |text: &String| match text.parse::<Value>() {
            Ok(value) => value,
            Err(never) => match never {},
        };
        let mut values: Values = self.texts.iter().map(|(name, text)| (name.clone(), parse(text))).collect();
        values.extend(common.values());
        values
    }
}

/// The variable's name of a field: `grpc_address` is `STAKEMATE_GRPC_ADDRESS`.
pub(super) fn full_name(field: &str) -> String {
    format!("{PREFIX}{}", field.to_uppercase())
}

/// Takes the field's value from its file, where one is named; the line's end that editors append does not count.
fn read_secret(texts: &mut BTreeMap<String, String>, name: &str) -> Result<(), Problem> {
    let file_field = format!("{name}_file");
    let Some(file) = texts.remove(&file_field) else { return Ok(()) };
    if texts.contains_key(name) {
        return Err(Problem::new(&file_field, format!("and {} are both set", full_name(name))));
    }
    let text = std::fs::read_to_string(&file).map_err(|error| {
        Problem::new(&file_field, format!("names a file that cannot be read ({})", error.kind()))
    })?;
    match text.trim_end() {
        "" => Err(Problem::new(&file_field, "names an empty file")),
        secret => {
            texts.insert(name.to_owned(), secret.to_owned());
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(name: &str, text: &str) -> Variables {
        Variables::from_pairs("wallet", [(name.to_owned(), text.to_owned())])
    }

    #[test]
    fn a_secret_comes_from_a_file_where_one_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("database-url");
        std::fs::write(&file, "postgres://wallet:s3cret@postgres/wallet\n").expect("written");
        for name in ["STAKEMATE_DATABASE_URL_FILE", "STAKEMATE_WALLET_DATABASE_URL_FILE"] {
            let read = variables(name, file.to_str().expect("plain text"));
            assert_eq!(read.get("database_url"), Some("postgres://wallet:s3cret@postgres/wallet"));
            assert_eq!(read.get("database_url_file"), None);
            assert!(read.problems().is_empty());
        }
    }

    #[test]
    fn a_secret_file_that_is_missing_or_empty_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let empty = folder.path().join("empty");
        std::fs::write(&empty, "\n").expect("written");
        for file in [empty, folder.path().join("missing")] {
            let read = variables("STAKEMATE_NATS_URL_FILE", file.to_str().expect("plain text"));
            assert_eq!(read.get("nats_url"), None);
            assert_eq!(read.problems()[0].variable, "STAKEMATE_NATS_URL_FILE");
        }
    }

    #[test]
    fn a_secret_is_given_once() {
        let pairs = [("STAKEMATE_REDIS_URL", "redis://a"), ("STAKEMATE_REDIS_URL_FILE", "/nowhere")];
        let read =
            Variables::from_pairs("gateway", pairs.map(|(name, text)| (name.to_owned(), text.to_owned())));
        assert_eq!(read.problems()[0].reason, "and STAKEMATE_REDIS_URL are both set");
    }
}
