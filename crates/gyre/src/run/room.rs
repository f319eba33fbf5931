//! How the descriptors of this process are divided among web pages, clients and files.

use disk::Descriptors;
use files::OPEN_FILES_MAX;

/// Connections to the web pages.
const WEB_CLIENTS: usize = 512;
/// Connections over rrdcached's protocol, as many as the daemon allows.
const PROTOCOL_CLIENTS: usize = 4096;
/// Of a connection over rrdcached's protocol: its socket, and the file that is open for its
/// request.
const PER_PROTOCOL_CLIENT: usize = 2;

/// What each part may have open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Connections to the web pages.
    pub(super) web: usize,
    /// Connections over rrdcached's protocol.
    pub(super) protocol: usize,
    /// Files that a store has open: `.rrd` files between updates, or those of the groups of a ring
    /// store that are being read or flushed.
    pub(super) files: usize,
}

impl Room {
    /// What a limit allows.
    pub(super) fn within(limit: u64, speaks_protocol: bool) -> Self {
        let protocol = if speaks_protocol { PROTOCOL_CLIENTS * PER_PROTOCOL_CLIENT } else { 0 };
        let clients = WEB_CLIENTS + protocol;
        let wanted = Descriptors { clients, per_client: 1, files: OPEN_FILES_MAX };
        let given = wanted.within(limit);
        // Of fewer descriptors each kind of client has its part.
        let protocol = given.clients * protocol / clients;
        Self {
            web: (given.clients - protocol).max(1),
            protocol: (protocol / PER_PROTOCOL_CLIENT).max(1),
            files: given.files,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_part() {
        let all = Room { web: WEB_CLIENTS, protocol: PROTOCOL_CLIENTS, files: OPEN_FILES_MAX };
        assert_eq!(Room::within(1 << 20, true), all);
        assert_eq!(Room::within(1 << 20, false).web, WEB_CLIENTS);
        let few = Room::within(1024, true);
        assert!(few.web + few.protocol * PER_PROTOCOL_CLIENT + few.files <= 768, "{few:?}");
        assert!(few.web > 10 && few.protocol > 100, "{few:?}");
    }
}
