//! Why a host has no address.

use std::fmt;

/// Why the resolver has no answer: an error number of `getaddrinfo(3)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unresolved {
    pub(crate) number: i32,
}

impl fmt::Display for Unresolved {
    /// The words of the C library, and the number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self.number {
            -1 => "Bad value for ai_flags",
            // What cannot be a name at all has no number.
            -2 | 0 => "Name or service not known",
            -3 => "Temporary failure in name resolution",
            -4 => "Non-recoverable failure in name resolution",
            -5 => "No address associated with hostname",
            -6 => "ai_family not supported",
            -7 => "ai_socktype not supported",
            -8 => "Servname not supported for ai_socktype",
            -10 => "Memory allocation failure",
            -11 => "System error",
            _ => "Unknown error",
        };
        write!(f, "{words} ({})", if self.number == 0 { -2 } else { self.number })
    }
}
