//! Which targets a question is about.

use std::sync::Arc;

use access::Scope;
use texts::Reader;

use crate::Catalogue;

/// The targets that a visitor sees and that have some words.
#[derive(Clone)]
pub(super) struct Filter {
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) scope: Scope,
    /// Words in lower case, all of which the name, title, device or remark has.
    pub(super) words: Vec<String>,
    /// The device; empty for any.
    pub(super) device: String,
}

impl Filter {
    pub(super) fn has(&self, position: usize) -> bool {
        if !self.scope.sees(self.catalogue.name_at(position)) {
            return false;
        }
        if self.words.is_empty() && self.device.is_empty() {
            return true;
        }
        let target = self.catalogue.target(position);
        let mut reader = Reader::default();
        (self.device.is_empty() || *target.device == *self.device)
            && self.words.iter().all(|word| target.mentions(word, &mut reader))
    }
}
