//! Who asks, and what is shown to them.

use std::convert::Infallible;

use access::{Role, Scope};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// Who asks. Where the server has no [`crate::Gate`], everybody is a visitor who sees all.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    /// The names that are shown.
    pub(crate) scope: Scope,
    /// What the client may do.
    pub(crate) role: Role,
}

/// One who sees all and may do all.
impl Default for Visitor {
    fn default() -> Self {
        Self { scope: Scope::default(), role: Role::Admin }
    }
}

/// The visitor that the gate let in.
impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}
