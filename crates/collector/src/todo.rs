//! The variables that a poll has still to ask for.

/// The variables that are to be asked for.
#[derive(Debug)]
pub(crate) enum Todo {
    All,
    Some(Vec<usize>),
}

impl Todo {
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Some(which) if which.is_empty())
    }

    pub(crate) fn extend(&mut self, more: Vec<usize>) {
        if let Self::Some(which) = self {
            which.extend(more);
        }
    }
}

impl Default for Todo {
    fn default() -> Self {
        Self::Some(Vec::new())
    }
}
