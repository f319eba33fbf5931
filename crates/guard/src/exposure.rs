//! Which addresses others than this machine's users reach.

use std::net::IpAddr;

/// An address that is exposed though nobody is asked there who they are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0}: others than users of this machine reach it, and nothing says who may ask: --tokens FILE \
     asks for tokens, --insecure lets everybody in"
)]
pub struct Exposed(pub String);

/// Whether others than users of this machine may reach a socket that listens here. An address of
/// IPv4 within IPv6 counts as what it is.
#[must_use]
pub fn is_exposed(address: IpAddr) -> bool {
    !address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::is_exposed;

    #[test]
    fn loopback_alone_is_not_exposed() {
        for address in ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"] {
            assert!(!is_exposed(address.parse().unwrap()), "{address}");
        }
        for address in ["0.0.0.0", "::", "10.0.0.1", "::ffff:10.0.0.1", "fe80::1", "::127.0.0.1"] {
            assert!(is_exposed(address.parse().unwrap()), "{address}");
        }
    }
}
