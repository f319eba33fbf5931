//! The keys of gyre's own: `gyre*Key[target]`.

use super::keys::TargetKey as Key;
use super::target_keys::Keys;
use crate::error::Problem;
use crate::language::Named;
use crate::text::trim;
use crate::{AgentInterface, Error};

/// `gyre*Alias`: the ifAlias of the interface.
pub(super) fn alias<'r>(keys: &Keys<'r>) -> Result<Option<&'r [u8]>, Error> {
    let Some(value) = keys.get(Key::GyreAlias) else {
        return Ok(None);
    };
    match trim(value.bytes()) {
        [] => Err(keys.wrong(value, Key::GyreAlias, "the ifAlias of an interface", String::new())),
        alias => Ok(Some(alias)),
    }
}

/// The interface that a key is about.
pub(super) fn only_interface(
    keys: &Keys<'_>,
    key: Key,
    named: Named,
) -> Result<AgentInterface, Error> {
    named.only().map_err(|found| {
        let position = keys.get(key).map_or(&keys.raw.position, |value| &value.position);
        Error::at(position, Problem::OneInterface { key: keys.full_name(key), found })
    })
}
