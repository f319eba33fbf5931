//! Divides the file descriptors of this process among web pages, clients and files.

use daemon::{Listening, descriptors_per_client};
use disk::Descriptors;
use files::OPEN_FILES_MAX;

/// Connections to the web pages.
const WEB_CLIENTS: usize = 512;
/// The most connections of rrdcached's protocol, the same as in the daemon.
const PROTOCOL_CLIENTS: usize = 4096;

/// Connections of agents.
const AGENT_CLIENTS: usize = 1024;

/// The most descriptors for each use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Connections to the web pages.
    pub(super) web: usize,
    /// Connections of rrdcached's protocol.
    pub(super) protocol: usize,
    /// Connections of agents.
    pub(super) agents: usize,
    /// Files that a store has open: `.rrd` files between updates, or files of ring store groups
    /// that are being read or flushed.
    pub(super) files: usize,
}

impl Room {
    /// Divides the descriptors that a limit allows, where rrdcached's protocol is served at these
    /// sockets.
    pub(super) fn within(limit: u64, sockets: &[Listening], hears_agents: bool) -> Self {
        let per_client = descriptors_per_client(sockets);
        let protocol = if sockets.is_empty() { 0 } else { PROTOCOL_CLIENTS * per_client };
        let agents = if hears_agents { AGENT_CLIENTS } else { 0 };
        let clients = WEB_CLIENTS + protocol + agents;
        let wanted = Descriptors { clients, per_client: 1, files: OPEN_FILES_MAX };
        let given = wanted.within(limit);
        // If there are fewer descriptors, all kinds of clients get proportional shares.
        let share = |wanted: usize| given.clients * wanted / clients;
        let (protocol, agents) = (share(protocol), share(agents));
        Self {
            web: (given.clients - protocol - agents).max(1),
            protocol: (protocol / per_client).max(1),
            agents: agents.max(1),
            files: given.files,
        }
    }
}

#[cfg(test)]
mod tests {
    use daemon::Sockets;

    use super::*;

    #[test]
    fn each_has_its_part() {
        let all = Room {
            web: WEB_CLIENTS,
            protocol: PROTOCOL_CLIENTS,
            agents: AGENT_CLIENTS,
            files: OPEN_FILES_MAX,
        };
        let sockets = |address: &str| {
            let mut sockets = Sockets::default();
            sockets.listen(address).unwrap();
            sockets.named
        };
        assert_eq!(Room::within(1 << 20, &[], false).web, WEB_CLIENTS);
        for (address, per_client) in [("/a", 2), ("localhost:1", 2), ("tls:localhost:1", 4)] {
            let sockets = sockets(address);
            assert_eq!(Room::within(1 << 20, &sockets, true), all, "{address}");
            let few = Room::within(1024, &sockets, true);
            assert!(few.web + few.protocol * per_client + few.agents + few.files <= 768, "{few:?}");
            assert!(few.web > 10 && few.protocol > 80 && few.agents > 10, "{few:?}");
        }
    }
}
