//! The keys of gyre's own: `gyre*Key[target]`.

use super::keys::TargetKey as Key;
use super::target_keys::Keys;
use crate::environment::{self, Pairs};
use crate::error::Problem;
use crate::language::Named;
use crate::text::trim;
use crate::{Error, Interval, Transport};

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

/// `gyre*Transport`: what carries SNMP, `udp` or `tcp`.
pub(super) fn transport(keys: &Keys<'_>) -> Result<Transport, Error> {
    let transport = keys.read(Key::GyreTransport, "udp or tcp", |value| {
        let text = trim(value);
        let is = |name: &[u8]| text.eq_ignore_ascii_case(name);
        match (is(b"udp"), is(b"tcp")) {
            (true, _) => Some(Transport::Udp),
            (_, true) => Some(Transport::Tcp),
            _ => None,
        }
    })?;
    Ok(transport.unwrap_or_default())
}

/// `gyre*Interval`: how often the target is polled.
pub(super) fn interval(keys: &Keys<'_>) -> Result<Option<Interval>, Error> {
    let expected = "a whole number with s, m or h, from 1s to 1h";
    keys.read(Key::GyreInterval, expected, |value| {
        let (unit, digits) = value.split_last()?;
        let unit_seconds = match unit {
            b's' => 1,
            b'm' => 60,
            b'h' => 3600,
            _ => return None,
        };
        let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        let number: u32 = is_number.then(|| std::str::from_utf8(digits).ok()?.parse().ok())??;
        Interval::of_seconds(number.checked_mul(unit_seconds)?)
    })
}

/// `gyre*MaxBytes`: the directions whose maxima follow the speed of the interface: those that have no
/// maximum of their own.
pub(super) fn follows_speed(keys: &Keys<'_>) -> Result<[bool; 2], Error> {
    let is_speed = |value: &[u8]| value.eq_ignore_ascii_case(b"speed").then_some(());
    let asked = keys.read(Key::GyreMaxBytes, "speed", is_speed)?.is_some();
    Ok([Key::MaxBytes1, Key::MaxBytes2].map(|own| asked && keys.get(own).is_none()))
}

/// Labels that gyre gives to series itself.
const GIVEN_LABELS: [&str; 3] = ["database", "target", "ds"];

/// `gyre*Labels`: labels of the target's series.
pub(super) fn labels(keys: &Keys<'_>) -> Result<Pairs, Error> {
    let expected = "name=\"value\" ..., names of letters, digits and `_` other than database, target, \
                    ds";
    let labels = keys.read(Key::GyreLabels, expected, |value| {
        let pairs = environment::parse(trim(value))?;
        pairs.iter().all(|(name, _)| is_label(name)).then_some(pairs)
    })?;
    Ok(labels.unwrap_or_default())
}

fn is_label(name: &str) -> bool {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_free = !name.starts_with("__") && !GIVEN_LABELS.contains(&name);
    is_plain && is_free && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// Refuses a key about the interface of a target that has not just one.
pub(super) fn only_interface(keys: &Keys<'_>, key: Key, named: &Named) -> Result<(), Error> {
    let found = match named {
        Named::One { .. } => return Ok(()),
        Named::None => "none",
        Named::Several => "several",
    };
    let position = keys.get(key).map_or(&keys.raw.position, |value| &value.position);
    Err(Error::at(position, Problem::OneInterface { key: keys.full_name(key), found }))
}
