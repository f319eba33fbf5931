//! Who may keep boards.
//!
//! With tokens, a client with the role `write` makes boards, and one with `admin` replaces them.
//! Without tokens, programs and browsers of this machine may, if they send a header that no page of
//! a stranger can make a browser send.

use std::net::IpAddr;

use access::Role;
use axum::http::{HeaderMap, StatusCode, header};

use super::shelf::{Shelf, Unsaved};
use crate::visitor::Visitor;

/// The header by which a page of this server says that it meant to.
const MEANT: &str = "x-gyre-change";
/// The headers of proxies: whoever asks through one may be anywhere.
const FORWARDED: [&str; 4] = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/// Who asks to keep a board.
pub(super) struct Asker<'a> {
    pub(super) visitor: &'a Visitor,
    /// Where the client is, if that is known.
    pub(super) address: Option<IpAddr>,
    pub(super) headers: &'a HeaderMap,
    /// Whether clients show tokens.
    pub(super) is_guarded: bool,
}

/// Why a board is not kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("this needs a token with the role {0}")]
    Role(Role),
    #[error("this token is for some names; the text of a board may name any")]
    Scope,
    #[error("without --tokens, boards are kept from this machine only, and not through a proxy")]
    Elsewhere,
    #[error("expected the header X-Gyre-Change: board")]
    NotMeant,
    #[error("If-Match: expected one ETag")]
    Tag,
    #[error(transparent)]
    Unsaved(#[from] Unsaved),
}

impl Refusal {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Role(_) | Self::Scope | Self::Elsewhere | Self::NotMeant => StatusCode::FORBIDDEN,
            Self::Tag | Self::Unsaved(Unsaved::Name) => StatusCode::BAD_REQUEST,
            Self::Unsaved(Unsaved::Wrong(_)) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Unsaved(Unsaved::Exists | Unsaved::Changed) => StatusCode::PRECONDITION_FAILED,
            Self::Unsaved(Unsaved::TooMany) => StatusCode::CONFLICT,
            Self::Unsaved(Unsaved::Disk(_)) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// Keeps a board; returns its ETag.
pub(super) fn keep(
    shelf: &Shelf,
    asker: &Asker<'_>,
    name: &str,
    text: &[u8],
) -> Result<String, Refusal> {
    let expected = asker.expected()?;
    asker.check(expected.is_some())?;
    Ok(shelf.save(name, text, expected)?)
}

impl<'a> Asker<'a> {
    /// The ETag of the board that is to be replaced.
    fn expected(&self) -> Result<Option<&'a str>, Refusal> {
        let mut tags = self.headers.get_all(header::IF_MATCH).iter();
        match (tags.next(), tags.next()) {
            (None, _) => Ok(None),
            (Some(tag), None) => tag.to_str().map(Some).map_err(|_| Refusal::Tag),
            (Some(_), Some(_)) => Err(Refusal::Tag),
        }
    }

    fn check(&self, replaces: bool) -> Result<(), Refusal> {
        let needed = if replaces { Role::Admin } else { Role::Write };
        if !self.visitor.role.includes(needed) {
            return Err(Refusal::Role(needed));
        }
        if !self.visitor.scope.is_everything() {
            return Err(Refusal::Scope);
        }
        if self.is_guarded {
            return Ok(()); // the gate has asked for a token that no browser sends by itself
        }
        let is_near = self.address.is_some_and(|address| address.is_loopback());
        if !is_near || FORWARDED.iter().any(|name| self.headers.contains_key(*name)) {
            return Err(Refusal::Elsewhere);
        }
        match self.headers.get(MEANT).is_some_and(|value| value == "board") {
            true => Ok(()),
            false => Err(Refusal::NotMeant),
        }
    }
}

#[cfg(test)]
mod tests {
    use access::{Role, Scope};
    use axum::http::{HeaderMap, HeaderValue};

    use super::{Asker, Refusal};
    use crate::visitor::Visitor;

    fn check(
        role: Role,
        address: &str,
        headers: &[(&'static str, &'static str)],
        is_guarded: bool,
    ) -> Result<(), Refusal> {
        let visitor = Visitor { role, ..Visitor::default() };
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            all.append(*name, HeaderValue::from_static(value));
        }
        let address = address.parse().ok();
        let asker = Asker { visitor: &visitor, address, headers: &all, is_guarded };
        asker.check(asker.expected()?.is_some())
    }

    const MEANT: (&str, &str) = ("x-gyre-change", "board");

    #[test]
    fn without_tokens_only_this_machine_keeps_boards_on_purpose() {
        let check = |address, headers: &_| check(Role::Admin, address, headers, false);
        assert!(check("127.0.0.1", &[MEANT]).is_ok());
        assert!(check("::1", &[MEANT]).is_ok());
        assert!(matches!(check("192.0.2.1", &[MEANT]), Err(Refusal::Elsewhere)));
        assert!(matches!(check("", &[MEANT]), Err(Refusal::Elsewhere)));
        let proxied = [MEANT, ("x-forwarded-for", "192.0.2.1")];
        assert!(matches!(check("127.0.0.1", &proxied), Err(Refusal::Elsewhere)));
        assert!(matches!(check("127.0.0.1", &[]), Err(Refusal::NotMeant)));
    }

    #[test]
    fn with_tokens_the_role_says_it() {
        let check = |role, headers: &_| check(role, "192.0.2.1", headers, true);
        let replacing = [("if-match", "\"1\"")];
        assert!(check(Role::Write, &[]).is_ok());
        assert!(check(Role::Admin, &replacing).is_ok());
        assert!(matches!(check(Role::Read, &[]), Err(Refusal::Role(Role::Write))));
        assert!(matches!(check(Role::Write, &replacing), Err(Refusal::Role(Role::Admin))));
        let twice = [("if-match", "\"1\""), ("if-match", "\"2\"")];
        assert!(matches!(check(Role::Admin, &twice), Err(Refusal::Tag)));
    }

    #[test]
    fn one_who_sees_some_names_keeps_no_board() {
        let scope = Scope::of(vec!["site01".to_owned()]);
        let visitor = Visitor { scope, ..Visitor::default() };
        let headers = HeaderMap::new();
        let asker = Asker { visitor: &visitor, address: None, headers: &headers, is_guarded: true };
        assert!(matches!(asker.check(false), Err(Refusal::Scope)));
    }
}
