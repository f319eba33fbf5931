//! Who asks, and what is shown to them.

use std::convert::Infallible;

use access::{Grant, Role, Scope};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// Who asks. Where the server has no [`crate::Gate`], everybody is a visitor who sees all.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    /// By what name the gate knows it; empty without a gate.
    pub(crate) name: String,
    /// The names that are shown.
    pub(crate) scope: Scope,
    /// What the client may do.
    pub(crate) role: Role,
}

/// One who sees all and may do all.
impl Default for Visitor {
    fn default() -> Self {
        Self { name: String::new(), scope: Scope::default(), role: Role::Admin }
    }
}

impl Visitor {
    /// One of whom the gate knows this.
    pub(crate) fn of(grant: &Grant) -> Self {
        Self { name: grant.name.clone(), scope: grant.scope.clone(), role: grant.role }
    }
}

/// The visitor that the gate let in.
impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}
