//! Amounts, currencies and fee rates. Each is checked when it is made and never again.

use std::fmt;
use std::num::NonZeroI64;

use thiserror::Error;

/// A sum of money that is moved: a positive number of minor units (cents). The currency stands beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(NonZeroI64);

/// The number is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum AmountError {
    /// Nothing, or less, cannot be moved.
    #[error("amount is not positive")]
    NotPositive,
    /// More than 2^63 − 1 minor units.
    #[error("amount does not fit 64 bits")]
    TooLarge,
}

impl Amount {
    /// Checks a number of minor units.
    ///
    /// # Errors
    /// When it is zero or negative.
    pub fn new(minor: i64) -> Result<Self, AmountError> {
        match NonZeroI64::new(minor) {
            Some(positive) if minor > 0 => Ok(Self(positive)),
            _ => Err(AmountError::NotPositive),
        }
    }

    /// The number of minor units.
    #[must_use]
    pub const fn minor(self) -> i64 {
        self.0.get()
    }
}

impl TryFrom<i128> for Amount {
    type Error = AmountError;

    fn try_from(minor: i128) -> Result<Self, AmountError> {
        if minor <= 0 {
            return Err(AmountError::NotPositive);
        }
        i64::try_from(minor).map_err(|_| AmountError::TooLarge).and_then(Self::new)
    }
}

/// An ISO 4217 code, or a code of the same shape for play money: three capital letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

/// The text is not three capital letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("currency is not three capital letters")]
pub struct CurrencyError;

impl Currency {
    /// The play money of the seeded cities.
    pub const XPL: Self = Self(*b"XPL");

    /// Checks a code. Nothing is trimmed or put into capitals: a code that needs it was not written by one of us.
    ///
    /// # Errors
    /// When the text is anything but three letters from `A` to `Z`.
    pub fn parse(code: &str) -> Result<Self, CurrencyError> {
        let bytes: [u8; 3] = code.as_bytes().try_into().map_err(|_| CurrencyError)?;
        if bytes.iter().all(u8::is_ascii_uppercase) { Ok(Self(bytes)) } else { Err(CurrencyError) }
    }

    /// The code.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("three capital letters are text")
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Currency({})", self.as_str())
    }
}

/// A fee rate in hundredths of a per cent, from 0 to 10,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BasisPoints(u16);

/// The rate is more than the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{0} basis points are more than the whole")]
pub struct BasisPointsError(u32);

impl BasisPoints {
    /// The whole: a fee can take no more.
    pub const WHOLE: Self = Self(10_000);

    /// Checks a rate.
    ///
    /// # Errors
    /// When it is above 10,000.
    pub fn new(basis_points: u32) -> Result<Self, BasisPointsError> {
        match u16::try_from(basis_points) {
            Ok(rate) if rate <= Self::WHOLE.0 => Ok(Self(rate)),
            _ => Err(BasisPointsError(basis_points)),
        }
    }

    /// The rate as a number.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }
}
