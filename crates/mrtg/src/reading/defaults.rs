//! `Key[_]`, `Key[^]` and `Key[$]`: what targets get without asking.

use std::sync::Arc;

use super::keys::TargetKey;
use super::value::Value;
use crate::Position;

/// The three kinds of default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `[_]`: the value of targets that set none.
    Whole,
    /// `[^]`: before the value that a target sets.
    Before,
    /// `[$]`: after it.
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

/// The defaults in force at one line.
#[derive(Default)]
pub(super) struct Defaults {
    all: Vec<OneDefault>,
    /// Grows with every change: a target that has seen this state need not look again.
    pub(super) generation: u64,
    /// `NoSpaceChar`: ends a `[^]` or `[$]` that is to be joined without a space.
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

    /// A continuation line, which makes a default even of one that was cleared.
    pub(super) fn append(&mut self, kind: Kind, key: TargetKey, more: &[u8], position: Position) {
        let known = self.all.iter().find(|each| (each.kind, each.key) == (kind, key));
        let before = known.map_or(&b""[..], |known| &known.text);
        let text = [before, b"\n", more].concat();
        let position = known.map_or(position, |known| known.position.clone());
        self.set(kind, key, &text, position);
    }

    /// What goes after a value that a target set for itself, with its separator.
    pub(super) fn after(&self, key: TargetKey) -> Option<(&'static [u8], &[u8])> {
        let found = self.all.iter().find(|each| (each.kind, each.key) == (Kind::After, key))?;
        Some(match self.without_marker(&found.text) {
            Some(joined) => (b"", joined),
            None => (b" ", &found.text),
        })
    }

    /// What a target gets on being mentioned: `[_]` first, then `[^]` for keys that still have
    /// nothing. The flag tells whether the value gives way when the target sets the key itself.
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
