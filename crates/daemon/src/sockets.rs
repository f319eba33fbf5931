//! Sockets as a command line names them: what an option says holds for the addresses behind it.

use crate::address::{Address, AddressError};
use crate::session::{NoCommand, Permissions};

/// A socket to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listening {
    /// Where it is.
    pub address: Address,
    /// The commands that it takes.
    pub permissions: Permissions,
    /// The group of a Unix socket, by name or number, if it is not this process's.
    pub group: Option<String>,
    /// The mode of a Unix socket, if it is not the usual one.
    pub mode: Option<u32>,
}

impl Default for Listening {
    fn default() -> Self {
        let address = Address::Unix("/tmp/rrdcached.sock".into());
        Self { address, permissions: Permissions::ALL, group: None, mode: None }
    }
}

/// The sockets that options name, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sockets {
    /// Those that are named.
    pub named: Vec<Listening>,
    /// What the next one is like, and one that no option names.
    pub others: Listening,
}

/// A client's socket, and the file that is open for its request.
const DESCRIPTORS_PER_CLIENT: usize = 2;
/// The socket over which a client's connection is encrypted, and the other end of the daemon's.
const DESCRIPTORS_OF_TLS: usize = 2;

/// Descriptors for each client of these sockets.
#[must_use]
pub fn descriptors_per_client(sockets: &[Listening]) -> usize {
    let is_encrypted =
        |socket: &Listening| matches!(socket.address, Address::Network { is_tls: true, .. });
    match sockets.iter().any(is_encrypted) {
        true => DESCRIPTORS_PER_CLIENT + DESCRIPTORS_OF_TLS,
        false => DESCRIPTORS_PER_CLIENT,
    }
}

/// Why an option says nothing of a socket.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SocketMisuse {
    /// It is not where a socket can be.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// No mode in octal.
    #[error("Invalid file mode \"{0}\".")]
    Mode(String),
    /// A name that is no command's.
    #[error("Adding permission \"{0}\" to socket failed: no such command.")]
    Command(String),
}

impl Sockets {
    /// One more (`-l`), which is as the options before it say.
    ///
    /// # Errors
    /// What is wrong with the address.
    pub fn listen(&mut self, text: &str) -> Result<(), SocketMisuse> {
        self.add(Address::parse(text)?);
        Ok(())
    }

    /// One more on every interface (`-L`), which is as the options before it say.
    pub fn listen_everywhere(&mut self) {
        self.add(Address::everywhere());
    }

    fn add(&mut self, address: Address) {
        self.named.push(Listening { address, ..self.others.clone() });
    }

    /// The mode of those that follow (`-m`).
    ///
    /// # Errors
    /// It is none.
    pub fn set_mode(&mut self, text: &str) -> Result<(), SocketMisuse> {
        let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o7777);
        self.others.mode = Some(mode.ok_or_else(|| SocketMisuse::Mode(text.into()))?);
        Ok(())
    }

    /// The group of those that follow (`-s`).
    pub fn set_group(&mut self, text: &str) {
        self.others.group = Some(text.into());
    }

    /// The commands of those that follow (`-P`).
    ///
    /// # Errors
    /// The list names something else.
    pub fn permit(&mut self, list: &str) -> Result<(), SocketMisuse> {
        self.others.permissions =
            Permissions::parse(list).map_err(|NoCommand(name)| SocketMisuse::Command(name))?;
        Ok(())
    }
}
