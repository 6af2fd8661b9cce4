//! The wire and the log: code generated from `proto/`, and how its messages are put on the wire ([`codec`]).
//!
//! One module a package: `stakemate.game.v1` is [`game::v1`]. Services and stored events share these messages; domain
//! types are separate and meet them in each service's `grpc/convert.rs` and `store/` codecs.

#![allow(clippy::all, missing_docs)]

pub mod codec;

macro_rules! package {
    ($module:ident, $name:literal) => {
        #[doc = concat!("`", $name, "`")]
        pub mod $module {
            /// Version 1.
            pub mod v1 {
                tonic::include_proto!($name);
            }
        }
    };
}

package!(r#type, "stakemate.r#type.v1");
pub use r#type as types;
package!(gateway, "stakemate.gateway.v1");
package!(game, "stakemate.game.v1");
package!(matchmaking, "stakemate.matchmaking.v1");
package!(rating, "stakemate.rating.v1");
package!(wallet, "stakemate.wallet.v1");
package!(fairplay, "stakemate.fairplay.v1");
package!(operator, "stakemate.operator.v1");

/// The encoded `FileDescriptorSet` of all packages, for those who meet messages by name.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
