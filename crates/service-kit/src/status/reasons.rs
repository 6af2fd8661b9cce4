//! The reasons of refusals, from the enums of the protos.

/// A reason: a value of some proto's `ErrorReason`.
pub trait Reason: Copy {
    /// The domain of its `ErrorInfo`: `stakemate.<service>`, or `stakemate` for those that every service may give.
    const DOMAIN: &'static str;

    /// UPPER_SNAKE, without the prefix of the enum.
    fn name(self) -> &'static str;
}

macro_rules! reasons {
    ($($reason:ty => $domain:literal, $prefix:literal;)*) => {$(
        impl Reason for $reason {
            const DOMAIN: &'static str = $domain;

            fn name(self) -> &'static str {
                let name = self.as_str_name();
                name.strip_prefix($prefix).unwrap_or(name)
            }
        }
    )*};
}

reasons! {
    proto::types::v1::CommonErrorReason => "stakemate", "COMMON_ERROR_REASON_";
    proto::gateway::v1::ErrorReason => "stakemate.gateway", "ERROR_REASON_";
    proto::matchmaking::v1::ErrorReason => "stakemate.matchmaking", "ERROR_REASON_";
    proto::game::v1::ErrorReason => "stakemate.game", "ERROR_REASON_";
    proto::rating::v1::ErrorReason => "stakemate.rating", "ERROR_REASON_";
    proto::wallet::v1::ErrorReason => "stakemate.wallet", "ERROR_REASON_";
    proto::fairplay::v1::ErrorReason => "stakemate.fairplay", "ERROR_REASON_";
    proto::operator::v1::ErrorReason => "stakemate.operator", "ERROR_REASON_";
}
