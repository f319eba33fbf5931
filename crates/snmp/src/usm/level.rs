//! What protects a message.

/// What protects a message. A higher level protects more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecurityLevel {
    /// Nothing: noAuthNoPriv.
    Plain,
    /// It is authenticated: authNoPriv.
    Authenticated,
    /// It is authenticated and encrypted: authPriv.
    Encrypted,
}

impl SecurityLevel {
    /// The name in the standard.
    pub fn name(self) -> &'static str {
        match self {
            SecurityLevel::Plain => "noAuthNoPriv",
            SecurityLevel::Authenticated => "authNoPriv",
            SecurityLevel::Encrypted => "authPriv",
        }
    }
}
