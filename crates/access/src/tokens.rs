//! All tokens of a file.

use std::collections::BTreeSet;

use crate::{Grant, Problem, Proof, Role, Scope, Token, TokenHash, Wrong};

/// The tokens of a file.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    grants: Vec<Grant>,
}

impl Tokens {
    /// Reads a file's bytes. Empty lines, and lines that begin with `#`, are passed over.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, Wrong> {
        let (mut tokens, mut names, mut hashes) =
            (Self::default(), BTreeSet::new(), BTreeSet::new());
        for (nth, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let wrong = |problem| Wrong { line: nth + 1, problem };
            let Some(grant) = grant(line).map_err(wrong)? else { continue };
            if !names.insert(grant.name.clone()) {
                return Err(wrong(Problem::NameTwice(grant.name)));
            }
            let hash = grant.proof.token().map(TokenHash::to_string);
            if hash.is_some_and(|hash| !hashes.insert(hash)) {
                return Err(wrong(Problem::HashTwice(grant.name)));
            }
            tokens.grants.push(grant);
        }
        Ok(tokens)
    }

    /// All of them, in the order of the file.
    #[must_use]
    pub fn grants(&self) -> &[Grant] {
        &self.grants
    }

    /// What a token permits; `None` if there is no such token. All hashes are compared in any case:
    /// the time tells neither whether there is one, nor which.
    #[must_use]
    pub fn find(&self, token: &Token) -> Option<&Grant> {
        self.find_by(token.hash())
    }

    /// The same by what is kept of the token.
    #[must_use]
    pub fn find_by(&self, hash: TokenHash) -> Option<&Grant> {
        let same = |found: Option<usize>, (nth, grant): (usize, &Grant)| {
            let is_it = grant.proof.token().is_some_and(|kept| bool::from(kept.is(&hash)));
            if is_it { Some(nth) } else { found }
        };
        let found = self.grants.iter().enumerate().fold(None, same)?;
        self.grants.get(found)
    }

    /// What the client of a certificate may do: the first of its names that has a line counts.
    #[must_use]
    pub fn of_certificate(&self, names: &[String]) -> Option<&Grant> {
        let of = |name: &String| {
            let mut named = self.grants.iter().filter(|grant| grant.name == *name);
            named.find(|grant| matches!(grant.proof, Proof::Certificate))
        };
        names.iter().find_map(of)
    }

    /// What a user may do whom a proxy names.
    #[must_use]
    pub fn of_proxy(&self, user: &str) -> Option<&Grant> {
        let mut named = self.grants.iter().filter(|grant| grant.name == user);
        named.find(|grant| matches!(grant.proof, Proof::Proxy))
    }
}

/// What a line says; `None` if it says nothing.
fn grant(line: &[u8]) -> Result<Option<Grant>, Problem> {
    let line = str::from_utf8(line).map_err(|_| Problem::NotText)?.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let (Some(name), Some(role), Some(proof)) = (words.next(), words.next(), words.next()) else {
        return Err(Problem::Short(line.split_whitespace().count()));
    };
    if !Grant::is_name(name) {
        return Err(Problem::Name);
    }
    Ok(Some(Grant {
        name: name.to_owned(),
        role: Role::named(role).ok_or_else(|| Problem::Role(shown(role)))?,
        proof: Proof::read(proof).ok_or(Problem::Hash)?,
        scope: Scope::of(words.map(str::to_owned).collect()),
    }))
}

/// A word as an error shows it. A token that stands in the wrong place is not shown.
fn shown(word: &str) -> String {
    match word.len() {
        0..=16 => word.escape_debug().to_string(),
        _ => "something longer".to_owned(),
    }
}
