//! The text of a key while files are read.

use std::sync::Arc;

use super::cut::Cut;
use crate::Position;
use crate::text::is_space;

/// A value and its place.
#[derive(Clone, Debug)]
pub(super) struct Value {
    text: Text,
    /// The line that set it; for a default, the line of the default.
    pub(super) position: Position,
}

/// Default text is shared by all targets that have it, and other text lies in its file, until a
/// target appends to its own.
#[derive(Clone, Debug)]
enum Text {
    Shared(Arc<[u8]>),
    Cut(Cut),
    Own(Vec<u8>),
}

impl Value {
    pub(super) fn shared(text: &Arc<[u8]>, position: &Position) -> Self {
        Self { text: Text::Shared(Arc::clone(text)), position: position.clone() }
    }

    pub(super) fn own(text: Cut, position: Position) -> Self {
        Self { text: Text::Cut(text), position }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match &self.text {
            Text::Shared(text) => text,
            Text::Cut(cut) => cut.bytes(),
            Text::Own(text) => text,
        }
    }

    /// Whether it is nothing, or blanks.
    pub(super) fn is_blank(&self) -> bool {
        self.bytes().iter().copied().all(is_space)
    }

    /// The identity of shared text: the same key means the same shared text, not only equal text.
    pub(super) fn shared_key(&self) -> Option<(usize, usize)> {
        match &self.text {
            Text::Shared(text) => Some((text.as_ptr().addr(), text.len())),
            Text::Cut(_) | Text::Own(_) => None,
        }
    }

    /// Appends a separator and text.
    pub(super) fn append(&mut self, separator: &[u8], more: &[u8]) {
        if !matches!(self.text, Text::Own(_)) {
            self.text = Text::Own(self.bytes().to_vec());
        }
        if let Text::Own(text) = &mut self.text {
            text.extend_from_slice(separator);
            text.extend_from_slice(more);
        }
    }
}
