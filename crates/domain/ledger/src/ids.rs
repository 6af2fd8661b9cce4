//! Ids as 128-bit numbers: the bytes of a UUID, without needing a UUID library in a pure crate.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u128);

        impl $name {
            /// The id with this number (the big-endian value of the UUID's bytes).
            #[must_use]
            pub const fn new(value: u128) -> Self {
                Self(value)
            }

            /// The id as a number.
            #[must_use]
            pub const fn value(self) -> u128 {
                self.0
            }
        }
    };
}

id!(
    /// A player, who owns an available and a held account in each currency.
    PlayerId
);
id!(
    /// A staked match, from the hold to its settlement.
    MatchId
);
id!(
    /// One transfer. The caller derives it from the match and the step, so that a repeated step is the same transfer.
    TransferId
);
