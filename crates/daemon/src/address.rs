//! Where clients find a daemon, as `-l` says it.

use std::fmt;
use std::path::PathBuf;

/// The port of an address that names none.
const DEFAULT_PORT: u16 = 42217;
/// Stands before an address whose connections are encrypted.
const TLS: &str = "tls:";

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A socket in the file system.
    Unix(PathBuf),
    /// A port.
    Network {
        /// A name or a number of either family, without brackets; empty for every interface.
        host: String,
        /// Its number; 0 is one that the system chooses.
        port: u16,
        /// Whether the connections are encrypted.
        is_tls: bool,
    },
}

/// Why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// A bracket that is never closed.
    #[error("Malformed address: {0}")]
    OpenBracket(String),
    /// Something other than a port after the bracket.
    #[error("Garbage after address: {0}")]
    Garbage(String),
    /// A port that is no number of 16 bits.
    #[error("expected the number of a port, found '{0}'")]
    Port(String),
}

impl Address {
    /// The usual port of every interface of this machine.
    #[must_use]
    pub fn everywhere() -> Self {
        Self::Network { host: String::new(), port: DEFAULT_PORT, is_tls: false }
    }

    /// Reads what `-l` says. A host with more than one colon is a number of IPv6, unless brackets
    /// stand around it.
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if let Some(path) = text.strip_prefix("unix:") {
            return Ok(Self::Unix(path.into()));
        }
        if text.starts_with('/') {
            return Ok(Self::Unix(text.into()));
        }
        let (text, is_tls) = match text.strip_prefix(TLS) {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let closed = rest.split_once(']');
                let (host, tail) = closed.ok_or_else(|| AddressError::OpenBracket(text.into()))?;
                let port = tail.strip_prefix(':');
                if port.is_none() && !tail.is_empty() {
                    return Err(AddressError::Garbage(tail.into()));
                }
                (host, port)
            }
            None => match text.split_once(':') {
                Some((host, port)) if !port.contains(':') => (host, Some(port)),
                _ => (text, None),
            },
        };
        let wrong = |port: &str| AddressError::Port(port.into());
        let port = port.map(|port| port.parse().map_err(|_| wrong(port))).transpose()?;
        Ok(Self::Network { host: host.into(), port: port.unwrap_or(DEFAULT_PORT), is_tls })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => path.display().fmt(formatter),
            Self::Network { host, port, is_tls } => {
                let mark = if *is_tls { TLS } else { "" };
                write!(formatter, "{mark}{host}:{port}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn addresses_are_those_of_rrdcached() {
        let network =
            |host: &str, port| Ok(Address::Network { host: host.into(), port, is_tls: false });
        for (text, address) in [
            ("unix:/a", Ok(Address::Unix("/a".into()))),
            ("/a:5", Ok(Address::Unix("/a:5".into()))),
            ("", network("", 42217)),
            (":5", network("", 5)),
            ("localhost", network("localhost", 42217)),
            ("localhost:5", network("localhost", 5)),
            ("10.0.0.1:5", network("10.0.0.1", 5)),
            ("::1", network("::1", 42217)),
            ("[::1]", network("::1", 42217)),
            ("[::1]:5", network("::1", 5)),
        ] {
            assert_eq!(Address::parse(text), address, "{text}");
        }
        let encrypted = Address::Network { host: "::1".into(), port: 5, is_tls: true };
        assert_eq!(Address::parse("tls:[::1]:5"), Ok(encrypted));
        for text in ["[::1", "[::1]5", "a:b", "a:70000", "[a]:"] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }
}
