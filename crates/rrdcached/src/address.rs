//! Where a daemon is found, as `--daemon` and `RRDCACHED_ADDRESS` tell it.

use std::path::PathBuf;

/// The port of a daemon that names none.
pub const DEFAULT_PORT: &str = "42217";

/// An address taken apart; no name is resolved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `unix:PATH`, or anything that begins with a slash.
    Unix(PathBuf),
    /// `HOST`, `HOST:PORT`, `[HOST]` or `[HOST]:PORT`.
    Network {
        /// A name or a number of either family, without brackets.
        host: String,
        /// As it is written, [`DEFAULT_PORT`] where none is.
        port: String,
        /// Whether the connection is encrypted: `tls:` stands before the rest.
        is_tls: bool,
    },
}

/// Why a text is no address, in rrdtool's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// A bracket that is never closed.
    #[error("malformed address: {0}")]
    OpenBracket(String),
    /// Something other than a port after the bracket.
    #[error("garbage after address: {0}")]
    Garbage(String),
}

impl Address {
    /// Takes an address apart.
    ///
    /// The last colon separates the port, as it does for rrdtool: an IPv6 number needs brackets.
    ///
    /// # Errors
    /// Where brackets are wrong.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if let Some(path) = text.strip_prefix("unix:") {
            return Ok(Self::Unix(path.into()));
        }
        if text.starts_with('/') {
            return Ok(Self::Unix(text.into()));
        }
        if let Some(rest) = text.strip_prefix("tls:") {
            return Self::parse_network(rest, true);
        }
        Self::parse_network(text, false)
    }

    fn parse_network(text: &str, is_tls: bool) -> Result<Self, AddressError> {
        let network =
            |host: &str, port: &str| Self::Network { host: host.into(), port: port.into(), is_tls };
        if let Some(rest) = text.strip_prefix('[') {
            let closed = rest.split_once(']');
            let (host, tail) = closed.ok_or_else(|| AddressError::OpenBracket(text.into()))?;
            return match tail.strip_prefix(':') {
                Some(port) => Ok(network(host, port)),
                None if tail.is_empty() => Ok(network(host, DEFAULT_PORT)),
                None => Err(AddressError::Garbage(tail.into())),
            };
        }
        let (host, port) = text.rsplit_once(':').unwrap_or((text, DEFAULT_PORT));
        Ok(network(host, port))
    }

    /// Whether the daemon is on this machine by its address, so that it sees the same paths.
    #[must_use]
    pub fn is_local(&self) -> bool {
        matches!(self, Self::Unix(_))
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, AddressError};

    #[test]
    fn knows_every_form() {
        for (text, host, port) in [
            ("localhost", "localhost", "42217"),
            ("a.example:1", "a.example", "1"),
            ("localhost:", "localhost", ""),
            ("[::1]", "::1", "42217"),
            ("[::1]:42", "::1", "42"),
            ("::1:42", "::1", "42"),
            ("127.0.0.1", "127.0.0.1", "42217"),
        ] {
            for (mark, is_tls) in [("", false), ("tls:", true)] {
                let (host, port) = (host.into(), port.into());
                let found = Address::parse(&format!("{mark}{text}"));
                assert_eq!(found, Ok(Address::Network { host, port, is_tls }), "{text}");
            }
        }
        for (text, path) in [("unix:/a", "/a"), ("/a:1", "/a:1"), ("unix:a", "a")] {
            assert_eq!(Address::parse(text), Ok(Address::Unix(path.into())), "{text}");
        }
    }

    #[test]
    fn refuses_wrong_brackets() {
        assert_eq!(Address::parse("[::1"), Err(AddressError::OpenBracket("[::1".into())));
        assert_eq!(Address::parse("[::1]x"), Err(AddressError::Garbage("x".into())));
    }
}
