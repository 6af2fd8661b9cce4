//! Telling callers apart: by player, else by address.

use std::net::{IpAddr, Ipv6Addr};

use http::{Extensions, HeaderMap};
use service_kit::auth::Authentication;
use tonic::transport::server::TcpConnectInfo;

/// Where a call comes from, as far as we can believe it; an extension of every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PeerAddress(pub(super) Option<IpAddr>);

/// Finds the address of a caller.
#[derive(Clone, Copy, Debug)]
pub struct Callers {
    trusted_proxies: usize,
}

impl Callers {
    /// `trusted_proxies` of ours stand in front; each appends the address that it saw to `x-forwarded-for`. What is further
    /// left in that header was written by the client, and is not believed.
    pub fn new(trusted_proxies: u32) -> Self {
        Self { trusted_proxies: usize::try_from(trusted_proxies).unwrap_or(usize::MAX) }
    }

    pub(super) fn address(self, headers: &HeaderMap, extensions: &Extensions) -> PeerAddress {
        let peer =
            extensions.get::<TcpConnectInfo>().and_then(TcpConnectInfo::remote_addr).map(|peer| peer.ip());
        if self.trusted_proxies == 0 {
            return PeerAddress(peer);
        }
        let forwarded: Vec<IpAddr> = headers
            .get_all("x-forwarded-for")
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|text| text.split(','))
            .filter_map(|text| text.trim().parse().ok())
            .collect();
        let seen_by_first =
            forwarded.len().checked_sub(self.trusted_proxies).and_then(|at| forwarded.get(at));
        PeerAddress(seen_by_first.copied().or(peer))
    }
}

/// Whose limits a call counts against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// A signed-in player's.
    Player(uuid::Uuid),
    /// An address's.
    Address(String),
}

impl Caller {
    pub(super) fn of(extensions: &Extensions) -> Self {
        match extensions.get::<Authentication>() {
            Some(Authentication::Known(principal)) => Self::Player(principal.player_id),
            _ => Self::Address(address_text(extensions)),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Player(player_id) => format!("player:{player_id}"),
            Self::Address(address) => format!("address:{address}"),
        }
    }
}

/// The address as it is counted: one household has a whole /64 of IPv6.
pub(super) fn address_text(extensions: &Extensions) -> String {
    match extensions.get::<PeerAddress>() {
        Some(PeerAddress(Some(IpAddr::V6(address)))) => match address.to_ipv4_mapped() {
            Some(address) => address.to_string(),
            None => {
                let [a, b, c, d, ..] = address.segments();
                format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
        },
        Some(PeerAddress(Some(address))) => address.to_string(),
        _ => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(trusted_proxies: u32, forwarded_for: &str) -> Option<IpAddr> {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", forwarded_for.parse().expect("a header"));
        Callers::new(trusted_proxies).address(&headers, &Extensions::new()).0
    }

    #[test]
    fn what_a_client_wrote_into_x_forwarded_for_is_not_believed() {
        assert_eq!(found(0, "1.1.1.1"), None);
        assert_eq!(found(1, "1.1.1.1, 2.2.2.2"), "2.2.2.2".parse().ok());
        assert_eq!(found(2, "1.1.1.1, 2.2.2.2, 3.3.3.3"), "2.2.2.2".parse().ok());
        assert_eq!(found(3, "1.1.1.1"), None);
    }

    #[test]
    fn one_ipv6_network_is_one_caller() {
        let text = |address: &str| {
            let mut extensions = Extensions::new();
            extensions.insert(PeerAddress(address.parse().ok()));
            address_text(&extensions)
        };
        assert_eq!(text("2001:db8:1:2:3:4:5:6"), text("2001:db8:1:2::9"));
        assert_ne!(text("2001:db8:1:2::9"), text("2001:db8:1:3::9"));
        assert_eq!(text("::ffff:10.0.0.1"), "10.0.0.1");
    }
}
