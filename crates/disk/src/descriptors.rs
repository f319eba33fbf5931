//! How many files and sockets this process may have open, and how they are divided.
//!
//! ```text
//!  limit = reserved | files that stay open | clients x descriptors of each
//!          the rest of the program: a quarter, at most RESERVED_MAX
//! ```

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors that are not divided: logs, catalogues, standard streams, listening sockets, files
/// that are open during one call.
const RESERVED_MAX: u64 = 1024;

/// Raises the soft limit of open descriptors (`RLIMIT_NOFILE`) to the hard limit. Returns the new
/// limit; `u64::MAX` if there is none.
pub fn raise_descriptor_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let _ = setrlimit(Resource::Nofile, raised); // what holds is read below
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// The descriptors that a server wants, or gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptors {
    /// Clients at the same time.
    pub clients: usize,
    /// Descriptors for each client, including its socket.
    pub per_client: usize,
    /// Files that stay open between requests.
    pub files: usize,
}

impl Descriptors {
    /// The largest part of these wishes that a limit allows: at least one client and one file.
    #[must_use]
    pub fn within(self, limit: u64) -> Self {
        let reserved = RESERVED_MAX.min(limit / 4);
        let room = usize::try_from(limit - reserved).unwrap_or(usize::MAX);
        if self.needed() <= room {
            return self;
        }
        let files = self.files.min((room / 2).max(1));
        let clients = self.clients.min((room.saturating_sub(files) / self.per_client).max(1));
        // If clients need less than their half, files get the rest.
        let files = self.files.min(room.saturating_sub(clients * self.per_client)).max(files);
        Self { clients, files, ..self }
    }

    /// The smallest limit that allows all of these wishes.
    #[must_use]
    pub fn limit_needed(self) -> u64 {
        self.needed() as u64 + RESERVED_MAX
    }

    fn needed(self) -> usize {
        self.clients.saturating_mul(self.per_client).saturating_add(self.files)
    }
}

#[cfg(test)]
mod tests {
    use super::Descriptors;

    #[test]
    fn what_fits_is_given_and_the_rest_is_divided() {
        let wanted = Descriptors { clients: 4096, per_client: 2, files: 4096 };
        assert_eq!(wanted.within(u64::MAX), wanted);
        assert_eq!(wanted.limit_needed(), 4096 * 3 + 1024);
        assert_eq!(wanted.within(wanted.limit_needed()), wanted);
        assert_ne!(wanted.within(wanted.limit_needed() - 1), wanted);
        let given = wanted.within(1024);
        assert_eq!(given, Descriptors { clients: 192, per_client: 2, files: 384 });
        let few = Descriptors { clients: 10, ..wanted };
        assert_eq!(few.within(1024), Descriptors { files: 748, ..few });
    }

    #[test]
    fn no_limit_is_exceeded() {
        for limit in 8..3000 {
            for (clients, files) in [(1, 1), (5, 4096), (4096, 5), (4096, 4096)] {
                let wanted = Descriptors { clients, per_client: 2, files };
                let given = wanted.within(limit);
                assert!(given.clients >= 1 && given.files >= 1);
                assert!(given.needed() as u64 <= limit - limit / 4 || limit > 4096, "{limit}");
                assert!(given.clients <= clients && given.files <= files);
            }
        }
    }
}
