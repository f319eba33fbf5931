//! Lets in who shows a token.
//!
//! ```text
//!  Authorization: Bearer gyre_...            programs
//!                 Token gyre_...             clients of Influx
//!                 Basic base64(NAME:gyre_…)  browsers, which ask for a name and a password
//! ```
//!
//! What changes nothing (GET, HEAD, and questions that are posted because they are long) needs the role `read`, all else `write` and `Bearer`: browsers
//! send what they keep for `Basic` by themselves, also when the page of a stranger makes them ask
//! (CSRF). No answer and no error repeats a token.

use std::sync::Arc;

use access::{Current, Grant, Role, Token};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as STANDARD;

use crate::peer::Peer;
use crate::proxies::Proxies;
use crate::request_log::Asker;
use crate::visitor::Visitor;

/// Who may ask. The tokens can be replaced while the server runs; requests that were let in before
/// are answered.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    tokens: Current,
    proxies: Option<Arc<Proxies>>,
}

/// How a token is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By a program, on purpose.
    Bearer,
    /// By a browser, which may do so by itself.
    Basic,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// It changes nothing.
    Question,
    Change,
}

impl Deed {
    fn of(request: &Request) -> Self {
        let is_question = match *request.method() {
            Method::GET | Method::HEAD => true,
            Method::POST => crate::data::is_question(request.uri().path()),
            _ => false,
        };
        if is_question { Self::Question } else { Self::Change }
    }
}

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    /// It shows no token.
    NoToken,
    /// It shows something that is no token here.
    UnknownToken,
    /// A proxy names somebody who is not known here, or several.
    UnknownUser,
    /// Its token permits less.
    Needs(Role),
    /// It changes something, and a browser may have sent it by itself.
    NeedsBearer,
}

impl Gate {
    /// A gate for the bearers of these tokens.
    #[must_use]
    pub fn new(tokens: Current) -> Self {
        Self { tokens, proxies: None }
    }

    /// The same, where these proxies say who asks.
    #[must_use]
    pub fn behind(self, proxies: Proxies) -> Self {
        Self { proxies: Some(Arc::new(proxies)), ..self }
    }

    /// All pages of a router, for those who are let in.
    pub fn around(self, router: Router) -> Router {
        router.layer(from_fn_with_state(self, check))
    }

    fn admit(&self, request: &Request) -> Result<Visitor, Refusal> {
        let (deed, headers) = (Deed::of(request), request.headers());
        let peer = request.extensions().get::<Peer>();
        let tokens = self.tokens.tokens();
        if let Some(user) = self.user(peer, headers)? {
            return visitor(tokens.of_proxy(&user).ok_or(Refusal::UnknownUser)?, deed);
        }
        if let Some(grant) = peer.and_then(|peer| tokens.of_certificate(&peer.names)) {
            return visitor(grant, deed);
        }
        let (way, token) = shown(headers)?;
        let grant = tokens.find(&token).ok_or(Refusal::UnknownToken)?;
        permit(grant, way, deed)?;
        Ok(Visitor::of(grant))
    }

    /// The user whom a proxy names.
    fn user(&self, peer: Option<&Peer>, headers: &HeaderMap) -> Result<Option<String>, Refusal> {
        match (&self.proxies, peer) {
            (Some(proxies), Some(peer)) => {
                proxies.user(peer.address, headers).map_err(|_| Refusal::UnknownUser)
            }
            _ => Ok(None),
        }
    }
}

/// The visitor of whom a browser tells by itself: by a certificate, or through a proxy that knows
/// him by a cookie.
fn visitor(grant: &Grant, deed: Deed) -> Result<Visitor, Refusal> {
    permit(grant, Way::Basic, deed)?;
    Ok(Visitor::of(grant))
}

async fn check(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    match gate.admit(&request) {
        Ok(visitor) => {
            let asker = Asker(visitor.name.clone());
            request.extensions_mut().insert(visitor);
            let mut response = next.run(request).await;
            response.extensions_mut().insert(asker);
            response
        }
        Err(refusal) => refusal.answer(request.uri().path().starts_with("/api/")),
    }
}

fn permit(grant: &Grant, way: Way, deed: Deed) -> Result<(), Refusal> {
    let needed = match deed {
        Deed::Question => Role::Read,
        Deed::Change => Role::Write,
    };
    if !grant.role.includes(needed) {
        return Err(Refusal::Needs(needed));
    }
    match deed == Deed::Question || way == Way::Bearer {
        true => Ok(()),
        false => Err(Refusal::NeedsBearer),
    }
}

/// The token of a request. Of several `Authorization` headers none counts: a proxy may have looked
/// at another one.
fn shown(headers: &HeaderMap) -> Result<(Way, Token), Refusal> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let (value, others) = (all.next().ok_or(Refusal::NoToken)?, all.next());
    let text = value.to_str().ok().filter(|_| others.is_none()).ok_or(Refusal::UnknownToken)?;
    let (scheme, rest) = text.split_once(' ').ok_or(Refusal::UnknownToken)?;
    let is = |name: &str| scheme.eq_ignore_ascii_case(name);
    let (way, token) = match rest.trim() {
        // `Token` is what clients of Influx call it.
        token if is("bearer") || is("token") => (Way::Bearer, Token::read(token)),
        pair if is("basic") => (Way::Basic, password(pair)),
        _ => return Err(Refusal::NoToken),
    };
    Ok((way, token.ok_or(Refusal::UnknownToken)?))
}

/// The token that stands where a password would, whatever the name is.
fn password(encoded: &str) -> Option<Token> {
    let pair = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    Token::read(pair.split_once(':')?.1)
}

impl Refusal {
    fn status(self) -> StatusCode {
        match self {
            Self::NoToken | Self::UnknownToken => StatusCode::UNAUTHORIZED,
            Self::UnknownUser | Self::Needs(_) | Self::NeedsBearer => StatusCode::FORBIDDEN,
        }
    }

    fn words(self) -> String {
        match self {
            Self::NoToken => "A token is needed: as the password in a browser, or as \
                `Authorization: Bearer TOKEN`. `gyre token new` makes one."
                .to_owned(),
            Self::UnknownToken => "This token is not known here.".to_owned(),
            Self::UnknownUser => "This user is not known here.".to_owned(),
            Self::Needs(role) => format!("This needs a token with the role {role}."),
            Self::NeedsBearer => "What changes something needs `Authorization: Bearer TOKEN`: \
                browsers send other forms by themselves."
                .to_owned(),
        }
    }

    /// The answer; programs that ask for JSON get it.
    fn answer(self, is_json: bool) -> Response {
        let (words, status) = (self.words(), self.status());
        let (media_type, body) = match is_json {
            true => ("application/json", serde_json::json!({ "error": words }).to_string()),
            false => ("text/plain; charset=utf-8", words + "\n"),
        };
        let headers = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "no-store")];
        let mut response = (status, headers, body).into_response();
        if status == StatusCode::UNAUTHORIZED {
            for way in [r#"Basic realm="gyre", charset="UTF-8""#, r#"Bearer realm="gyre""#] {
                let value = HeaderValue::from_static(way);
                response.headers_mut().append(header::WWW_AUTHENTICATE, value);
            }
        }
        response
    }
}
