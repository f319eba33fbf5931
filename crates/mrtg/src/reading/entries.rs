//! Collects the values of keys from the lines, with defaults applied as in MRTG.
//!
//! A target is created by the first line that mentions it. Each of its lines gives it the defaults
//! then in force for keys that it does not have. `[$]` is added when the next key begins, and only
//! to keys that the target set itself. `[^]` has no effect on a key with a value from `[_]`.

use std::collections::HashMap;

use super::cut::Cut;
use super::defaults::{Defaults, Kind};
use super::keys::{GlobalKey, TargetKey, Use, is_own};
use super::line::{self, Line};
use super::suggest::hint;
use super::value::Value;
use crate::error::Problem;
use crate::places::{Added, Places};
use crate::text::{decode, excerpt};
use crate::{Error, Note, Position};

/// The values that a target of cfgmaker's has, as a rule.
const VALUES: usize = 8;

/// A target before its values are validated.
pub(super) struct RawTarget {
    /// Its name in lower case, as bytes: it names a file.
    pub(super) name: Vec<u8>,
    /// The line that first mentions it.
    pub(super) position: Position,
    values: Vec<Slot>,
    seen_generation: Option<u64>,
}

struct Slot {
    key: TargetKey,
    value: Value,
    /// Whether it is a `[_]` default, which the target's own value replaces.
    gives_way: bool,
    /// Whether the target set it itself.
    is_own: bool,
}

impl RawTarget {
    pub(super) fn get(&self, key: TargetKey) -> Option<&Value> {
        self.slot(key).map(|slot| &slot.value)
    }

    fn slot(&self, key: TargetKey) -> Option<&Slot> {
        self.values.iter().find(|slot| slot.key == key)
    }

    fn slot_mut(&mut self, key: TargetKey) -> Option<&mut Slot> {
        self.values.iter_mut().find(|slot| slot.key == key)
    }

    fn take_defaults(&mut self, defaults: &Defaults) {
        if self.seen_generation == Some(defaults.generation) {
            return;
        }
        self.seen_generation = Some(defaults.generation);
        for (key, value, gives_way) in defaults.given() {
            if self.slot(key).is_none() {
                self.values.push(Slot { key, value, gives_way, is_own: false });
            }
        }
    }
}

/// The key that a continuation line continues.
#[derive(Clone, Copy)]
enum Current {
    Nothing,
    Global(GlobalKey),
    Default(Kind, TargetKey),
    Target(usize, TargetKey),
    /// A key of another tool.
    Foreign,
}

/// All values so far.
pub(super) struct Entries {
    pub(super) globals: HashMap<GlobalKey, Value>,
    pub(super) targets: Vec<RawTarget>,
    pub(super) notes: Vec<Note>,
    /// The targets' positions by their names.
    by_name: Places,
    last_mentioned: usize,
    defaults: Defaults,
    current: Current,
    noted: Vec<&'static str>,
}

impl Default for Entries {
    fn default() -> Self {
        Self {
            globals: HashMap::new(),
            targets: Vec::new(),
            notes: Vec::new(),
            by_name: Places::new(),
            last_mentioned: 0,
            defaults: Defaults::default(),
            current: Current::Nothing,
            noted: Vec::new(),
        }
    }
}

impl Entries {
    /// Handles the next line.
    pub(super) fn take(&mut self, position: Position, line: &Cut) -> Result<(), Error> {
        let text = line.bytes();
        match line::split(text) {
            Some(Line::Continuation(more)) => self.continue_current(position, more),
            Some(Line::Targeted { key, name, value }) => {
                self.finish();
                self.take_targeted(position, key, name, line.part(value))
            }
            Some(Line::Global { key, value }) => {
                self.finish();
                self.take_global(position, key, line.part(value))
            }
            None => Err(Error::at(&position, not_a_line(text))),
        }
    }

    /// The previous key is complete: appends the text of `[$]`.
    pub(super) fn finish(&mut self) {
        if let Current::Target(index, key) = self.current
            && let Some((separator, more)) = self.defaults.after(key)
            && let Some(slot) = self.targets.get_mut(index).and_then(|each| each.slot_mut(key))
        {
            slot.value.append(separator, more);
        }
        self.current = Current::Nothing;
    }

    fn continue_current(&mut self, position: Position, more: &[u8]) -> Result<(), Error> {
        match self.current {
            Current::Nothing => return Err(Error::at(&position, not_a_line(more))),
            Current::Global(key) => {
                let key = key.name().to_owned();
                self.notes.push(Note::ContinuedGlobal { key, position });
            }
            Current::Default(kind, key) => self.defaults.append(kind, key, more, position),
            Current::Target(index, key) => {
                let slot = self.targets.get_mut(index).and_then(|each| each.slot_mut(key));
                if let Some(slot) = slot {
                    slot.value.append(b" ", more);
                }
            }
            Current::Foreign => {}
        }
        Ok(())
    }

    fn take_targeted(
        &mut self,
        position: Position,
        key: &[u8],
        name: &[u8],
        text: Cut,
    ) -> Result<(), Error> {
        let foreign = is_foreign(key);
        let found = find_target_key(key);
        if let Some(key) = found {
            self.note_purpose(key.name(), key.purpose(), &position);
        } else if !foreign {
            return Err(Error::at(&position, unknown(key, true)));
        }
        match (Kind::find(name), found) {
            (Some(kind), Some(key)) => {
                self.defaults.set(kind, key, text.bytes(), position);
                self.current = Current::Default(kind, key);
            }
            (Some(_), None) => self.current = Current::Foreign,
            (None, found) => self.set(position, name, found, text)?,
        }
        Ok(())
    }

    /// Sets a target's own key. Another tool's key only creates the target.
    fn set(
        &mut self,
        position: Position,
        name: &[u8],
        key: Option<TargetKey>,
        text: Cut,
    ) -> Result<(), Error> {
        let index = self.mention(name, &position)?;
        let Some(target) = self.targets.get_mut(index) else {
            return Ok(());
        };
        target.take_defaults(&self.defaults);
        let Some(key) = key else {
            self.current = Current::Foreign;
            return Ok(());
        };
        self.current = Current::Target(index, key);
        match target.slot_mut(key) {
            Some(slot) if slot.is_own => {
                let first = slot.value.position.clone();
                let (key, target) = (key.name(), decode(&target.name));
                return Err(Error::at(&position, Problem::Repeated { key, target, first }));
            }
            Some(slot) if !slot.gives_way => {
                slot.value.append(b"", text.bytes());
                slot.value.position = position;
                slot.is_own = true;
            }
            known => {
                let slot =
                    Slot { key, value: Value::own(text, position), gives_way: false, is_own: true };
                match known {
                    Some(known) => *known = slot,
                    None => target.values.push(slot),
                }
            }
        }
        Ok(())
    }

    fn mention(&mut self, name: &[u8], position: &Position) -> Result<usize, Error> {
        // Usually it is the target of the previous line, or the one before a default.
        if let Some(last) = self.targets.get(self.last_mentioned)
            && last.name.eq_ignore_ascii_case(name)
        {
            return Ok(self.last_mentioned);
        }
        let name = name.to_ascii_lowercase();
        if name.iter().any(u8::is_ascii_control) {
            let target = excerpt(&name);
            return Err(Error::at(position, Problem::TargetName { target }));
        }
        let next = self.targets.len();
        let is_it = |place: u32| self.targets.get(place as usize).is_some_and(|it| it.name == name);
        self.last_mentioned = match self.by_name.find_or_add(&name, next as u32, is_it) {
            Ok(known) => known as usize,
            Err(Added) => {
                self.targets.push(RawTarget {
                    name,
                    position: position.clone(),
                    values: Vec::with_capacity(VALUES),
                    seen_generation: None,
                });
                next
            }
        };
        Ok(self.last_mentioned)
    }

    fn take_global(&mut self, position: Position, key: &[u8], text: Cut) -> Result<(), Error> {
        let Some(found) = GlobalKey::find(key) else {
            if is_foreign(key) {
                self.current = Current::Foreign;
                return Ok(());
            }
            return Err(Error::at(&position, unknown(key, false)));
        };
        self.note_purpose(found.name(), found.purpose(), &position);
        if found == GlobalKey::NoSpaceChar {
            self.defaults.no_space = match text.bytes() {
                [only] => Some(*only),
                _ => None,
            };
            self.defaults.generation += 1;
        }
        // The last value counts, as in MRTG: an Include may override earlier lines.
        self.globals.insert(found, Value::own(text, position));
        self.current = Current::Global(found);
        Ok(())
    }

    fn note_purpose(&mut self, key: &'static str, purpose: Use, position: &Position) {
        if purpose == Use::Used || self.noted.contains(&key) {
            return;
        }
        self.noted.push(key);
        self.notes.extend(purpose.note(key, position));
    }
}

/// `tool*Key`, which belongs to the tool of that name, if that is another one.
fn is_foreign(key: &[u8]) -> bool {
    let star = key.iter().position(|byte| *byte == b'*');
    star.is_some_and(|at| at > 0 && at + 1 < key.len()) && !is_own(key)
}

/// Two misspellings that MRTG accepts.
fn find_target_key(key: &[u8]) -> Option<TargetKey> {
    if key.eq_ignore_ascii_case(b"colors") {
        Some(TargetKey::Colours)
    } else if key.eq_ignore_ascii_case(b"supress") {
        Some(TargetKey::Suppress)
    } else {
        TargetKey::find(key)
    }
}

fn unknown(key: &[u8], targeted: bool) -> Problem {
    let brackets = if targeted { "[]" } else { "" };
    // The rest of a `Target` that was broken into two lines looks like a key with colons.
    let shown = if key.contains(&b'@') { line::beginning(key) } else { key };
    Problem::UnknownKey { key: format!("{}{brackets}", excerpt(shown)), hint: hint(key, targeted) }
}

fn not_a_line(text: &[u8]) -> Problem {
    Problem::NotALine { beginning: excerpt(line::beginning(text)) }
}
