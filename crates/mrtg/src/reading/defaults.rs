//! `Key[_]`, `Key[^]` and `Key[$]`: default values of targets.

use std::sync::Arc;

use super::keys::TargetKey;
use super::value::Value;
use crate::Position;

/// The three kinds of default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `[_]`: the value of targets that do not set the key.
    Whole,
    /// `[^]`: text before the value that a target sets.
    Before,
    /// `[$]`: text after it.
    After,
}

impl Kind {
    pub(super) fn find(name: &[u8]) -> Option<Self> {
        match name {
            b"_" => Some(Self::Whole),
            b"^" => Some(Self::Before),
            b"$" => Some(Self::After),
            _ => None,
        }
    }
}

/// The defaults in force at a line.
#[derive(Default)]
pub(super) struct Defaults {
    all: Vec<OneDefault>,
    /// Incremented by every change: a target that has the defaults of this state need not apply
    /// them again.
    pub(super) generation: u64,
    /// `NoSpaceChar`: a `[^]` or `[$]` that ends with it is joined without a space.
    pub(super) no_space: Option<u8>,
}

struct OneDefault {
    kind: Kind,
    key: TargetKey,
    text: Arc<[u8]>,
    position: Position,
}

impl Defaults {
    /// Sets a default; empty text clears it.
    pub(super) fn set(&mut self, kind: Kind, key: TargetKey, text: &[u8], position: Position) {
        self.generation += 1;
        self.all.retain(|each| (each.kind, each.key) != (kind, key));
        if !text.is_empty() {
            let text = text.into();
            self.all.push(OneDefault { kind, key, text, position });
        }
    }

    /// Appends a continuation line, which creates a default even if it was cleared before.
    pub(super) fn append(&mut self, kind: Kind, key: TargetKey, more: &[u8], position: Position) {
        let known = self.all.iter().find(|each| (each.kind, each.key) == (kind, key));
        let before = known.map_or(&b""[..], |known| &known.text);
        let text = [before, b"\n", more].concat();
        let position = known.map_or(position, |known| known.position.clone());
        self.set(kind, key, &text, position);
    }

    /// The separator and text after a value that a target sets itself.
    pub(super) fn after(&self, key: TargetKey) -> Option<(&'static [u8], &[u8])> {
        let found = self.all.iter().find(|each| (each.kind, each.key) == (Kind::After, key))?;
        Some(match self.without_marker(&found.text) {
            Some(joined) => (b"", joined),
            None => (b" ", &found.text),
        })
    }

    /// The defaults that a target gets when it is mentioned: `[_]` first, then `[^]` for keys
    /// without a value. The flag tells whether the target's own value replaces it.
    pub(super) fn given(&self) -> impl Iterator<Item = (TargetKey, Value, bool)> {
        let of = |kind| self.all.iter().filter(move |each| each.kind == kind);
        let whole = of(Kind::Whole).map(|each| (each, each.text.clone(), true));
        let before = of(Kind::Before).map(|each| (each, self.joined_before(&each.text), false));
        whole.chain(before).map(|(each, text, gives_way)| {
            (each.key, Value::shared(&text, &each.position), gives_way)
        })
    }

    fn joined_before(&self, text: &[u8]) -> Arc<[u8]> {
        match self.without_marker(text) {
            Some(joined) => joined.into(),
            None => [text, b" "].concat().into(),
        }
    }

    fn without_marker<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        text.strip_suffix(&[self.no_space?])
    }
}
