//! The context that a user asks about.

use super::scoped::Scope;

/// The context that a user asks about. The default is what nearly all devices have: one context
/// without a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Context {
    /// The engine that has the values, if it is not the one that is asked.
    pub engine_id: Option<Box<[u8]>>,
    /// The name of the set of values.
    pub name: Box<[u8]>,
}

impl Context {
    /// As a message has it that goes to this engine.
    pub(crate) fn scope<'a>(&'a self, asked: &'a [u8]) -> Scope<'a> {
        Scope { engine_id: self.engine_id.as_deref().unwrap_or(asked), name: &self.name }
    }
}
