//! Lets in who shows a token.
//!
//! ```text
//!  Authorization: Bearer gyre_...            programs
//!                 Basic base64(NAME:gyre_…)  browsers, which ask for a name and a password
//! ```
//!
//! What changes nothing (GET, HEAD) needs the role `read`, all else `write` and `Bearer`: browsers
//! send what they keep for `Basic` by themselves, also when the page of a stranger makes them ask
//! (CSRF). No answer and no error repeats a token.

use std::sync::{Arc, PoisonError, RwLock};

use access::{Grant, Role, Token, Tokens};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};

use crate::base64;
use crate::visitor::Visitor;

/// Who may ask. The tokens can be replaced while the server runs.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    tokens: Arc<RwLock<Arc<Tokens>>>,
}

/// How a token is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By a program, on purpose.
    Bearer,
    /// By a browser, which may do so by itself.
    Basic,
}

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    /// It shows no token.
    NoToken,
    /// It shows something that is no token here.
    UnknownToken,
    /// Its token permits less.
    Needs(Role),
    /// It changes something, and a browser may have sent it by itself.
    NeedsBearer,
}

impl Gate {
    /// A gate for the bearers of these tokens.
    #[must_use]
    pub fn new(tokens: Tokens) -> Self {
        let gate = Self::default();
        gate.replace(tokens);
        gate
    }

    /// From now on these tokens count. Requests that were let in before are answered.
    pub fn replace(&self, tokens: Tokens) {
        *self.tokens.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tokens);
    }

    /// All pages of a router, for those who are let in.
    #[must_use]
    pub fn around(self, router: Router) -> Router {
        router.layer(from_fn_with_state(self, check))
    }

    fn admit(&self, method: &Method, headers: &HeaderMap) -> Result<Visitor, Refusal> {
        let (way, token) = shown(headers)?;
        let tokens = Arc::clone(&self.tokens.read().unwrap_or_else(PoisonError::into_inner));
        let grant = tokens.find(&token).ok_or(Refusal::UnknownToken)?;
        permit(grant, way, method)?;
        Ok(Visitor { scope: grant.scope.clone(), role: grant.role })
    }
}

async fn check(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    match gate.admit(request.method(), request.headers()) {
        Ok(visitor) => {
            request.extensions_mut().insert(visitor);
            next.run(request).await
        }
        Err(refusal) => refusal.answer(request.uri().path().starts_with("/api/")),
    }
}

fn permit(grant: &Grant, way: Way, method: &Method) -> Result<(), Refusal> {
    let changes_nothing = matches!(*method, Method::GET | Method::HEAD);
    let needed = if changes_nothing { Role::Read } else { Role::Write };
    if !grant.role.includes(needed) {
        return Err(Refusal::Needs(needed));
    }
    match changes_nothing || way == Way::Bearer {
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
        token if is("bearer") => (Way::Bearer, Token::read(token)),
        pair if is("basic") => (Way::Basic, password(pair)),
        _ => return Err(Refusal::NoToken),
    };
    Ok((way, token.ok_or(Refusal::UnknownToken)?))
}

/// The token that stands where a password would, whatever the name is.
fn password(encoded: &str) -> Option<Token> {
    let pair = String::from_utf8(base64::decode(encoded)?).ok()?;
    Token::read(pair.split_once(':')?.1)
}

impl Refusal {
    fn status(self) -> StatusCode {
        match self {
            Self::NoToken | Self::UnknownToken => StatusCode::UNAUTHORIZED,
            Self::Needs(_) | Self::NeedsBearer => StatusCode::FORBIDDEN,
        }
    }

    fn words(self) -> String {
        match self {
            Self::NoToken => "A token is needed: as the password in a browser, or as \
                `Authorization: Bearer TOKEN`. `gyre token new` makes one."
                .to_owned(),
            Self::UnknownToken => "This token is not known here.".to_owned(),
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
