//! Picks ports of the loopback that nobody uses.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::sync::{Mutex, PoisonError};

use rand::Rng;

use super::{StartError, io_error};

/// Below the range from which the kernel takes ports for outgoing connections, so that no connection takes a
/// service's port while the service is being restarted.
const RANGE: std::ops::Range<u16> = 20_000..32_000;
const ATTEMPTS_MAX: u32 = 1_000;

/// The ports that this process has given away. Between the choice of a port and the moment at which its service listens there nobody
/// holds it, so each is also bound for datagrams, which no service uses: whoever else looks for a port, in this process or another,
/// sees that it is spoken for. The kernel forgets it with the process.
static SPOKEN_FOR: Mutex<Vec<UdpSocket>> = Mutex::new(Vec::new());

/// Which port the edge shall have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgePort {
    /// That one, or none.
    Given(u16),
    /// Any that is free.
    Free,
}

impl EdgePort {
    /// The address to listen on; fails if the given port is taken.
    pub fn resolve(self) -> Result<SocketAddr, StartError> {
        let port = match self {
            Self::Free => return free_address(),
            Self::Given(port) => port,
        };
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        match TcpListener::bind(address) {
            Ok(_) => {
                // Whoever gave it may hold it so already.
                if let Ok(claim) = UdpSocket::bind(address) {
                    keep(claim);
                }
                Ok(address)
            }
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(StartError::PortTaken { port }),
            Err(error) => Err(io_error(format!("listen on {address}"))(error)),
        }
    }
}

/// An address at which nobody listens now, and that nobody else is given while this process runs.
pub fn free_address() -> Result<SocketAddr, StartError> {
    let mut random = rand::rng();
    for _ in 0..ATTEMPTS_MAX {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, random.random_range(RANGE)));
        let Ok(claim) = UdpSocket::bind(address) else { continue };
        if TcpListener::bind(address).is_ok() {
            keep(claim);
            return Ok(address);
        }
    }
    let error = io::Error::new(io::ErrorKind::AddrInUse, "every port that was tried is taken");
    Err(io_error("find a free port")(error))
}

fn keep(claim: UdpSocket) {
    SPOKEN_FOR.lock().unwrap_or_else(PoisonError::into_inner).push(claim);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_port_is_named() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("it listens").port();
        let error = EdgePort::Given(port).resolve().expect_err("it is taken");
        assert_eq!(
            error.to_string(),
            format!("port {port} is taken; choose another with --port or STAKEMATE_PORT")
        );
    }

    #[test]
    fn a_free_address_can_be_listened_on_outside_the_kernels_own_range() {
        let address = free_address().expect("a free port");
        assert!(RANGE.contains(&address.port()));
        assert!(TcpListener::bind(address).is_ok());
    }

    #[test]
    fn no_address_is_given_twice() {
        // So many of 12,000 that an honest draw would repeat itself almost surely.
        let given: std::collections::HashSet<SocketAddr> =
            (0..400).map(|_| free_address().expect("a free port")).collect();
        assert_eq!(given.len(), 400);
    }
}
