//! What is wrong with a file of tokens.

/// A line that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {problem}")]
pub struct Wrong {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a line. Nothing of a hash is repeated: it may be a token that was put in its
/// place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Bytes that are not text.
    #[error("expected UTF-8")]
    NotText,
    /// Too few words.
    #[error("expected NAME ROLE PROOF [PREFIX...], found {0} word(s)")]
    Short(usize),
    /// No name.
    #[error("expected a name of at most 64 letters, digits, `_`, `-`, `.` and `@`")]
    Name,
    /// No role.
    #[error("expected the role read, write or admin, found {0}")]
    Role(String),
    /// Nothing by which a client is known.
    #[error(
        "expected cert, proxy, or sha256: and 64 hexadecimal digits in lower case, as `gyre token new` \
         writes"
    )]
    Hash,
    /// The name is that of an earlier line.
    #[error("the name {0} stands twice")]
    NameTwice(String),
    /// The hash is that of an earlier line.
    #[error("the token of {0} stands twice")]
    HashTwice(String),
}
