//! Who is at the other end of a connection.

use std::net::IpAddr;

/// Who is at the other end of a connection. Each of its requests has it among its extensions.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// Its address; one of IPv4 within IPv6 as what it is.
    pub(crate) address: IpAddr,
    /// The names of its certificate; none where it showed none.
    pub(crate) names: Vec<String>,
}
