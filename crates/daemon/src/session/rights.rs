//! What a client may do: what its socket takes, as far as its token permits it.

use access::{Grant, Scope, Token, TokenHash, Tokens};
use rrdcached::server::Command;

use super::permissions::Permissions;
use crate::admission::Access;
use crate::encryption::Certified;
use crate::stream::Way;

/// What a socket asks of the clients that come to it.
#[derive(Clone, Debug)]
pub(crate) struct Entrance {
    /// The commands that it takes (`-P`).
    pub(crate) permissions: Permissions,
    /// How the client came.
    pub(crate) way: Way,
    /// The names of its certificate, once they are known.
    pub(crate) certified: Certified,
    /// Who may ask.
    pub(crate) access: Access,
}

/// What a client may do.
#[derive(Debug)]
pub(super) struct Rights {
    entrance: Entrance,
    /// What the client showed, and which edition of the tokens was asked about it.
    shown: Option<Shown>,
    /// Whether its certificate was looked at.
    has_looked: bool,
    /// The commands that it may give now.
    permissions: Permissions,
    /// The names that it may give.
    scope: Scope,
}

#[derive(Debug)]
struct Shown {
    proof: Proven,
    edition: u64,
}

/// By what a client is known.
#[derive(Clone, Copy, Debug)]
enum Proven {
    Token(TokenHash),
    Certificate,
}

/// Why a token is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotTaken {
    /// There are none here.
    #[error("There are no tokens here: every client may do what the socket takes.")]
    NoTokens,
    /// It came in the clear.
    #[error(
        "A token is not taken in the clear: others may have read it on its way, make a new one. \
         Connect over TLS."
    )]
    InTheClear,
    /// It is no token that counts.
    #[error("This token is not known here.")]
    Unknown,
}

impl Rights {
    /// Those of a client that showed no token.
    pub(super) fn of(entrance: Entrance) -> Self {
        let permissions = entrance.of_strangers();
        let scope = Scope::default();
        Self { entrance, shown: None, has_looked: false, permissions, scope }
    }

    /// The client shows a token, and may do what that permits from now on; nothing more than a
    /// stranger if it is not taken.
    pub(super) fn show(&mut self, token: &[u8]) -> Result<(), NotTaken> {
        self.forget();
        let tokens = self.entrance.access.tokens.as_ref().ok_or(NotTaken::NoTokens)?;
        if self.entrance.way == Way::Clear && !self.entrance.access.is_insecure {
            return Err(NotTaken::InTheClear);
        }
        let token = str::from_utf8(token).ok().and_then(Token::read).ok_or(NotTaken::Unknown)?;
        // Before the tokens: those that come in between are asked once more.
        let edition = tokens.edition();
        let proof = Proven::Token(token.hash());
        let all = tokens.tokens();
        self.grant(self.entrance.find(&all, proof).ok_or(NotTaken::Unknown)?);
        self.shown = Some(Shown { proof, edition });
        Ok(())
    }

    /// Whether the tokens are still those that were asked.
    pub(super) fn are_current(&self) -> bool {
        let Some(shown) = &self.shown else {
            return self.has_looked || self.entrance.certified.get().is_none();
        };
        self.entrance.access.tokens.as_ref().is_some_and(|tokens| tokens.edition() == shown.edition)
    }

    /// Asks for the token again, where the tokens were replaced since.
    pub(super) fn renew(&mut self) {
        if self.are_current() {
            return;
        }
        let proof = self.shown.take().map_or(Proven::Certificate, |shown| shown.proof);
        self.has_looked = true;
        let Some(tokens) = self.entrance.access.tokens.clone() else { return };
        self.forget();
        let edition = tokens.edition();
        if let Some(grant) = self.entrance.find(&tokens.tokens(), proof) {
            self.grant(grant);
            self.shown = Some(Shown { proof, edition });
        }
    }

    fn forget(&mut self) {
        (self.shown, self.permissions) = (None, self.entrance.of_strangers());
        self.scope = Scope::default();
    }

    fn grant(&mut self, grant: &Grant) {
        self.permissions = self.entrance.permissions.and(Permissions::of(grant.role));
        if !grant.scope.is_everything() {
            // A call's names lie in its bytes, which only the store reads.
            self.permissions = self.permissions.without(Command::Call);
        }
        self.scope = grant.scope.clone();
    }

    /// The commands that the client may give.
    pub(super) fn permissions(&self) -> Permissions {
        self.permissions
    }

    /// The names that it may give.
    pub(super) fn scope(&self) -> &Scope {
        &self.scope
    }
}

impl Entrance {
    fn find<'t>(&self, tokens: &'t Tokens, proof: Proven) -> Option<&'t Grant> {
        match proof {
            Proven::Token(hash) => tokens.find_by(hash),
            Proven::Certificate => tokens.of_certificate(self.certified.get()?),
        }
    }

    /// What a client may do that showed no token. At a socket of the file system that is what the
    /// socket takes: who may connect there is said by its mode.
    fn of_strangers(&self) -> Permissions {
        match self.access.tokens.is_none() || self.way == Way::Unix {
            true => self.permissions,
            false => Permissions::OF_STRANGERS,
        }
    }
}

#[cfg(test)]
mod tests {
    use access::{Current, Token, Tokens};
    use rrdcached::server::Command;

    use super::{Entrance, NotTaken, Rights};
    use crate::admission::Access;
    use crate::encryption::Certified;
    use crate::session::Permissions;
    use crate::stream::Way;

    fn entrance(way: Way, is_insecure: bool) -> (Entrance, Token) {
        let token = Token::of([7; 32]);
        let tokens = Tokens::parse(format!("a read {}", token.hash()).as_bytes()).unwrap();
        let access = Access { tokens: Some(Current::new(tokens)), is_insecure };
        let (permissions, certified) = (Permissions::ALL, Certified::default());
        (Entrance { permissions, way, certified, access }, token)
    }

    #[test]
    fn a_token_is_not_taken_in_the_clear_from_elsewhere() {
        for (way, is_insecure, expected) in [
            (Way::Clear, false, Err(NotTaken::InTheClear)),
            (Way::Clear, true, Ok(())),
            (Way::Tls, false, Ok(())),
            (Way::Loopback, false, Ok(())),
            (Way::Unix, false, Ok(())),
        ] {
            let (entrance, token) = entrance(way, is_insecure);
            let mut rights = Rights::of(entrance);
            assert_eq!(rights.permissions().allow(Command::Ping), way == Way::Unix, "{way:?}");
            assert_eq!(rights.show(token.reveal().as_bytes()), expected, "{way:?}");
            assert_eq!(rights.permissions().allow(Command::Ping), expected.is_ok(), "{way:?}");
            assert!(!rights.permissions().allow(Command::Update), "{way:?}");
        }
    }
}
