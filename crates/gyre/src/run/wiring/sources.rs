//! The devices and programs that a target needs.

use std::ops::Deref;

/// The sources of a target, in order. Nearly all of a million have one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::run) enum Sources {
    One([u32; 1]),
    Several(Box<[u32]>),
}

impl Sources {
    /// `None` if there is none.
    pub(super) fn of(mut all: Vec<u32>) -> Option<Self> {
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => None,
            [only] => Some(Self::One([only])),
            _ => Some(Self::Several(all.into())),
        }
    }
}

impl Deref for Sources {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Self::One(only) => only,
            Self::Several(all) => all,
        }
    }
}
