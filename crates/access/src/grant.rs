//! What a client may do.

use std::fmt;

use crate::{Proof, Role, Scope};

/// What a client may do: a line of a file of tokens.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Who it is; logs and lists show it.
    pub name: String,
    /// What it permits.
    pub role: Role,
    /// The names that it permits this for.
    pub scope: Scope,
    /// By what the client is known.
    pub proof: Proof,
}

impl Grant {
    /// Whether a text can be the name of a token.
    #[must_use]
    pub fn is_name(text: &str) -> bool {
        let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.@".contains(&byte);
        (1..=64).contains(&text.len()) && text.bytes().all(is_usual)
    }

    /// Whether a text can be a prefix: it is one word of a line, and no comment.
    #[must_use]
    pub fn is_prefix(text: &str) -> bool {
        let is_bad = |letter: char| letter.is_whitespace() || letter.is_control();
        !text.is_empty() && !text.starts_with('#') && !text.contains(is_bad)
    }
}

/// A line of a file of tokens, without its end.
impl fmt::Display for Grant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} {}", self.name, self.role, self.proof)?;
        self.scope.prefixes().iter().try_for_each(|prefix| write!(formatter, " {prefix}"))
    }
}
