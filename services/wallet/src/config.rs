//! The settings of the wallet.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;

use domain_ledger::eligibility::{Policy, Region, Regions};
use domain_ledger::{Amount, Currency, RestitutionPolicy};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use service_kit::config::{CommonConfig, Problem, ServiceConfig};

use crate::app::desk::Desk;
use crate::app::opening::OpeningDeposit;
use crate::app::payments::PaymentProvider;
use crate::payments::{PlayMoney, Webhook};

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
    /// What is said about the desk at which players bring and fetch money.
    #[serde(flatten)]
    pub desk: DeskConfig,
}

/// The settings of the desk.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct DeskConfig {
    /// `STAKEMATE_WALLET_PAYMENT_PROVIDER`: `play-money` (the default in development, refused in production), `webhook`, or
    /// `none` (the default in production), with which no money is taken or paid.
    #[serde(default)]
    pub payment_provider: Option<String>,
    /// `STAKEMATE_WALLET_PAYMENT_CURRENCY`: the currency that is taken and paid; `XPL` when left out.
    #[serde(default)]
    pub payment_currency: Option<String>,
    /// `STAKEMATE_WALLET_PAYMENT_CHECKOUT_URL`: the webhook provider's page where players pay.
    #[serde(default)]
    pub payment_checkout_url: Option<String>,
    /// `STAKEMATE_WALLET_PAYMENT_WEBHOOK_SECRET`, or `…_SECRET_FILE`: what the provider signs its calls with.
    #[serde(default)]
    pub payment_webhook_secret: Option<SecretString>,
    /// `STAKEMATE_WALLET_PAYMENT_WEBHOOK_ADDRESS`: where the provider's calls are taken.
    #[serde(default)]
    pub payment_webhook_address: Option<SocketAddr>,
    /// `STAKEMATE_WALLET_ADJUSTMENT_APPROVAL_ABOVE_MINOR_UNITS`: adjustments of more need a second person; 10000 when left out.
    #[serde(default)]
    pub adjustment_approval_above_minor_units: Option<i64>,
    /// `STAKEMATE_WALLET_VICTIM_REFUNDS`: in which currencies the house's fund makes good what players lost to somebody against whom a
    /// case was decided: `all` (when left out), `none`, or codes as `XPL,EUR`. A change counts for decisions that are made after it.
    #[serde(default)]
    pub victim_refunds: Option<String>,
    /// `STAKEMATE_WALLET_ELIGIBILITY_NEEDS_IDENTITY`: whether nobody plays whose identity was not verified.
    #[serde(default)]
    pub eligibility_needs_identity: bool,
    /// `STAKEMATE_WALLET_ELIGIBILITY_AGE_YEARS_MIN`: the least age.
    #[serde(default)]
    pub eligibility_age_years_min: Option<u8>,
    /// `STAKEMATE_WALLET_ELIGIBILITY_REGIONS`: where may be played, as `GB,US-NY`; everywhere when left out.
    #[serde(default, deserialize_with = "service_kit::config::comma_separated")]
    pub eligibility_regions: Vec<String>,
}

/// Adjustments of more than 100.00 need a second person unless something else is said.
pub const APPROVAL_ABOVE_MINOR_UNITS: i64 = 10_000;

/// A secret of fewer bytes can be guessed.
const WEBHOOK_SECRET_BYTES_MIN: usize = 16;

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

    fn provider_name(&self) -> &str {
        let default = if self.common.is_production() { "none" } else { "play-money" };
        self.desk.payment_provider.as_deref().unwrap_or(default)
    }

    /// The provider that calls back, if it is configured.
    #[must_use]
    pub fn webhook(&self) -> Option<Webhook> {
        if self.provider_name() != "webhook" {
            return None;
        }
        let url = self.desk.payment_checkout_url.clone()?;
        Some(Webhook::new(url, self.desk.payment_webhook_secret.clone()?))
    }

    /// The desk as it is set up; the settings are good (see `problems`).
    #[must_use]
    pub fn desk(&self) -> Desk {
        let provider: Option<Arc<dyn PaymentProvider>> = match self.provider_name() {
            "play-money" => Some(Arc::new(PlayMoney)),
            _ => self.webhook().map(|webhook| Arc::new(webhook) as Arc<dyn PaymentProvider>),
        };
        let regions = self.desk.eligibility_regions.iter().filter_map(|code| Region::parse(code).ok());
        let regions: BTreeSet<Region> = regions.collect();
        Desk {
            policy: Policy {
                needs_identity: self.desk.eligibility_needs_identity,
                age_years_min: self.desk.eligibility_age_years_min,
                regions: if regions.is_empty() { Regions::All } else { Regions::Only(regions) },
            },
            currency: self.currency().unwrap_or(Currency::XPL),
            provider,
            approval_above_minor: self
                .desk
                .adjustment_approval_above_minor_units
                .unwrap_or(APPROVAL_ABOVE_MINOR_UNITS),
        }
    }

    /// What the house makes good; the settings are good (see `problems`).
    #[must_use]
    pub fn restitution_policy(&self) -> RestitutionPolicy {
        restitution_policy(self.desk.victim_refunds.as_deref()).unwrap_or(RestitutionPolicy::Nothing)
    }

    fn currency(&self) -> Option<Currency> {
        self.desk.payment_currency.as_deref().map_or(Some(Currency::XPL), |code| Currency::parse(code).ok())
    }

    fn desk_problems(&self) -> Vec<Problem> {
        let desk = &self.desk;
        let mut problems = Vec::new();
        match self.provider_name() {
            "play-money" if self.common.is_production() => {
                problems.push(Problem::development_only("payment_provider"));
            }
            "none" | "play-money" => {}
            "webhook" => {
                let missing = [
                    ("payment_checkout_url", desk.payment_checkout_url.is_none()),
                    ("payment_webhook_address", desk.payment_webhook_address.is_none()),
                ];
                for (name, _) in missing.into_iter().filter(|(_, is_missing)| *is_missing) {
                    problems.push(Problem::new(name, "is needed with the webhook provider"));
                }
                let secret =
                    desk.payment_webhook_secret.as_ref().map_or(0, |secret| secret.expose_secret().len());
                if secret < WEBHOOK_SECRET_BYTES_MIN {
                    let reason = "must have 16 bytes at least with the webhook provider";
                    problems.push(Problem::new("payment_webhook_secret", reason));
                }
            }
            _ => problems.push(Problem::new("payment_provider", "must be play-money, webhook or none")),
        }
        if self.currency().is_none() {
            problems.push(Problem::new("payment_currency", "must be three capital letters"));
        }
        if restitution_policy(desk.victim_refunds.as_deref()).is_none() {
            problems.push(Problem::new(
                "victim_refunds",
                "must be all, none, or codes of currencies like XPL,EUR",
            ));
        }
        if desk.adjustment_approval_above_minor_units.is_some_and(|minor| minor < 0) {
            let name = "adjustment_approval_above_minor_units";
            problems.push(Problem::new(name, "must not be negative"));
        }
        // A region that is left out by mistake would open all of them.
        if desk.eligibility_regions.iter().any(|code| Region::parse(code).is_err()) {
            problems.push(Problem::new("eligibility_regions", "must be codes like GB or US-NY"));
        }
        problems
    }
}

/// Nothing when it is none.
fn restitution_policy(text: Option<&str>) -> Option<RestitutionPolicy> {
    match text.map(str::trim) {
        None | Some("" | "all") => Some(RestitutionPolicy::Everything),
        Some("none") => Some(RestitutionPolicy::Nothing),
        Some(codes) => {
            let currencies: Result<_, _> =
                codes.split(',').map(|code| Currency::parse(code.trim())).collect();
            currencies.ok().map(RestitutionPolicy::Only)
        }
    }
}

impl ServiceConfig for Config {
    fn common(&self) -> &CommonConfig {
        &self.common
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = self.desk_problems();
        problems.extend(self.deposit_problem());
        problems
    }
}

impl Config {
    fn deposit_problem(&self) -> Option<Problem> {
        match self.opening_deposit_minor_units {
            Some(minor_units) if minor_units < 0 => {
                Some(Problem::new(OPENING_DEPOSIT, "must not be negative"))
            }
            Some(minor_units) if minor_units > 0 && self.common.is_production() => {
                Some(Problem::development_only(OPENING_DEPOSIT))
            }
            _ => None,
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
    fn victims_are_refunded_unless_told_otherwise_and_a_currency_that_is_none_is_refused() {
        const REFUNDS: &str = "STAKEMATE_WALLET_VICTIM_REFUNDS";
        let covers = |pairs: &[(&str, &str)]| {
            let policy = load(pairs).expect("good").restitution_policy();
            ["XPL", "EUR"].map(|code| policy.covers(Currency::parse(code).expect("a currency")))
        };
        assert_eq!(covers(&[]), [true, true]);
        assert_eq!(covers(&[(REFUNDS, "none")]), [false, false]);
        assert_eq!(covers(&[(REFUNDS, "EUR, GBP")]), [false, true]);
        assert!(load(&[(REFUNDS, "euro")]).is_err());
    }

    #[test]
    fn nobody_begins_with_debts() {
        assert!(load(&[DEVELOPMENT, (DEPOSIT, "-1")]).is_err());
    }
}
