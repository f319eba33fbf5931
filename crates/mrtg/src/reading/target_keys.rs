//! The keys of one target, and what is said of wrong ones.

use super::entries::RawTarget;
use super::keys::TargetKey as Key;
use super::value::Value;
use crate::error::Problem;
use crate::language::Misread;
use crate::text::{decode, excerpt, trim};
use crate::{Error, SnmpOptions};

/// The keys of one target, and the target's name for messages.
pub(super) struct Keys<'r> {
    pub(super) raw: &'r RawTarget,
    pub(super) name: String,
}

impl<'r> Keys<'r> {
    pub(super) fn new(raw: &'r RawTarget) -> Self {
        Self { raw, name: decode(&raw.name) }
    }

    pub(super) fn get(&self, key: Key) -> Option<&'r Value> {
        self.raw.get(key)
    }

    pub(super) fn require(&self, key: Key) -> Result<&'r Value, Error> {
        let missing = || Problem::Missing { target: self.name.clone(), key: key.name() };
        self.get(key).ok_or_else(|| Error::at(&self.raw.position, missing()))
    }

    pub(super) fn read<T>(
        &self,
        key: Key,
        expected: &'static str,
        parse: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let bytes = trim(value.bytes());
        let found = || self.wrong(value, key, expected, excerpt(bytes));
        parse(bytes).map(Some).ok_or_else(found)
    }

    pub(super) fn snmp_options(&self) -> Result<Option<SnmpOptions>, Error> {
        let Some(value) = self.get(Key::SnmpOptions) else {
            return Ok(None);
        };
        let expected = "name => number, name => 'text', ...";
        // The text may contain SNMPv3 passwords, so it is not shown.
        let hidden = || self.wrong(value, Key::SnmpOptions, expected, "something else".to_owned());
        SnmpOptions::parse(value.bytes()).map(Some).ok_or_else(hidden)
    }

    pub(super) fn wrong(
        &self,
        value: &Value,
        key: Key,
        expected: &'static str,
        found: String,
    ) -> Error {
        let key = self.full_name(key);
        Error::at(&value.position, Problem::Value { key, expected, found })
    }

    pub(super) fn misread(&self, value: &Value, short: Misread) -> Problem {
        let before = value.bytes().get(..short.offset).unwrap_or(value.bytes());
        Problem::Expression {
            target: self.name.clone(),
            column: decode(before).chars().count() + 1,
            expected: short.expected,
        }
    }

    /// The key as the file has it, with the target's name.
    pub(super) fn full_name(&self, key: Key) -> String {
        format!("{}[{}]", key.name(), self.name)
    }
}
