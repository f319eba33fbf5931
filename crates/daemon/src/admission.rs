//! Who may ask.

use access::Current;

/// Who may ask. Without anything said here, that is everybody who reaches a socket.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The tokens of those who may; `None` for everybody.
    pub tokens: Option<Current>,
    /// Whether everybody may ask where other machines reach a socket, and tokens may be shown there
    /// in the clear.
    pub is_insecure: bool,
}

impl Access {
    /// Whether it says something about who may where other machines reach a socket.
    #[must_use]
    pub fn says_who(&self) -> bool {
        self.tokens.is_some() || self.is_insecure
    }
}
