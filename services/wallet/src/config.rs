//! The settings of the wallet.

use domain_ledger::{Amount, Currency};
use serde::Deserialize;
use service_kit::config::{CommonConfig, Problem, ServiceConfig};

use crate::app::opening::OpeningDeposit;

/// What a new account is given in development unless something else is said: 10,000.00 of play money.
pub const OPENING_DEPOSIT_MINOR_UNITS: i64 = 1_000_000;

const OPENING_DEPOSIT: &str = "opening_deposit_minor_units";

/// The settings of the wallet.
#[derive(Debug, Clone, Deserialize)]
pub struct Config {
    /// Those that every service has.
    #[serde(flatten)]
    pub common: CommonConfig,
    /// `STAKEMATE_WALLET_OPENING_DEPOSIT_MINOR_UNITS`: the play money (`XPL`) that every new account is given in development;
    /// 0 for none, 1000000 when left out. In production there is none, and a variable that says otherwise is refused.
    #[serde(default)]
    pub opening_deposit_minor_units: Option<i64>,
}

impl Config {
    /// What a new account is given (`WALLET-7`).
    #[must_use]
    pub fn opening_deposit(&self) -> Option<OpeningDeposit> {
        if self.common.is_production() {
            return None;
        }
        let minor_units = self.opening_deposit_minor_units.unwrap_or(OPENING_DEPOSIT_MINOR_UNITS);
        let amount = Amount::new(minor_units).ok()?;
        Some(OpeningDeposit { amount, currency: Currency::XPL })
    }
}

impl ServiceConfig for Config {
    fn common(&self) -> &CommonConfig {
        &self.common
    }

    fn problems(&self) -> Vec<Problem> {
        match self.opening_deposit_minor_units {
            Some(minor_units) if minor_units < 0 => {
                vec![Problem::new(OPENING_DEPOSIT, "must not be negative")]
            }
            Some(minor_units) if minor_units > 0 && self.common.is_production() => {
                vec![Problem::development_only(OPENING_DEPOSIT)]
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use service_kit::config::{Error, Variables, load_from};

    use super::*;

    fn load(pairs: &[(&str, &str)]) -> Result<Config, Error> {
        let common = [
            ("STAKEMATE_DATABASE_URL", "postgres://wallet:c0mpl1cated@db/wallet"),
            ("STAKEMATE_NATS_URL", "nats://nats:4222"),
            ("STAKEMATE_TOKEN_PUBLIC_KEY_FILE", "/keys/public.pem"),
        ];
        let pairs = common.iter().chain(pairs);
        let pairs = pairs.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        load_from(&Variables::from_pairs("wallet", pairs))
    }

    const DEPOSIT: &str = "STAKEMATE_WALLET_OPENING_DEPOSIT_MINOR_UNITS";
    const DEVELOPMENT: (&str, &str) = ("STAKEMATE_ENVIRONMENT", "development");

    #[test]
    fn in_development_every_account_is_given_ten_thousand_unless_told_otherwise() {
        let deposit = load(&[DEVELOPMENT]).expect("good").opening_deposit();
        assert_eq!(deposit.expect("some").amount.minor(), 1_000_000);
        let deposit = load(&[DEVELOPMENT, (DEPOSIT, "250")]).expect("good");
        assert_eq!(deposit.opening_deposit().expect("some").amount.minor(), 250);
        let none = load(&[DEVELOPMENT, (DEPOSIT, "0")]).expect("good");
        assert_eq!(none.opening_deposit(), None);
    }

    #[test]
    fn production_gives_nothing_away_and_refuses_to_be_told_so() {
        assert_eq!(load(&[]).expect("good").opening_deposit(), None);
        let refused = load(&[(DEPOSIT, "250")]).expect_err("refused");
        assert_eq!(refused.problems.len(), 1);
        assert!(refused.to_string().contains("OPENING_DEPOSIT_MINOR_UNITS"));
    }

    #[test]
    fn nobody_begins_with_debts() {
        assert!(load(&[DEVELOPMENT, (DEPOSIT, "-1")]).is_err());
    }
}
