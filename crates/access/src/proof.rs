//! By what a client is known.

use std::fmt;

use crate::TokenHash;

/// By what a client is known.
#[derive(Clone, Copy, Debug)]
pub enum Proof {
    /// It shows the token of this hash.
    Token(TokenHash),
    /// Its certificate bears its name.
    Certificate,
    /// A proxy that asked it says its name.
    Proxy,
}

/// The word for a certificate.
const CERTIFICATE: &str = "cert";
/// The word for a proxy.
const PROXY: &str = "proxy";

impl Proof {
    /// Reads what [`Proof`] shows.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        match text {
            CERTIFICATE => Some(Self::Certificate),
            PROXY => Some(Self::Proxy),
            _ => TokenHash::read(text).map(Self::Token),
        }
    }

    /// The hash of a token.
    pub(crate) fn token(&self) -> Option<&TokenHash> {
        match self {
            Self::Token(hash) => Some(hash),
            _ => None,
        }
    }

    /// The word for its kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Token(_) => "token",
            Self::Certificate => CERTIFICATE,
            Self::Proxy => PROXY,
        }
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(hash) => hash.fmt(formatter),
            other => formatter.write_str(other.kind()),
        }
    }
}
