//! The zone of local time, as the environment names it.

use std::path::Path;

use jiff::tz::TimeZone;

/// Where zones lie on every Linux system, and where it says which is its own.
const ZONES: &str = "/usr/share/zoneinfo";
const LOCAL: &str = "/etc/localtime";

/// The zone that `TZ` names, else that of the system. Zones with a file of their own are read from
/// it alone: the list of all zones takes a walk through their directories, which costs more than
/// the rest of many a command.
pub fn of_environment() -> TimeZone {
    let zone = match std::env::var("TZ") {
        Ok(name) if std::env::var_os("TZDIR").is_none() => named(&name),
        Err(std::env::VarError::NotPresent) => from_file("Local", Path::new(LOCAL)),
        _ => None,
    };
    zone.unwrap_or_else(TimeZone::system)
}

/// The zone of a name as `TZ` has it, as `CET` or `CET-1CEST`; UTC where there is none, as in C.
pub(crate) fn called(name: &str) -> TimeZone {
    let found = named(name).or_else(|| TimeZone::posix(name.trim_start_matches(':')).ok());
    found.unwrap_or(TimeZone::UTC)
}

fn named(name: &str) -> Option<TimeZone> {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.');
    let is_name = name.split('/').all(is_plain) && !name.starts_with(':');
    if is_name { from_file(name, &Path::new(ZONES).join(name)) } else { None }
}

fn from_file(name: &str, path: &Path) -> Option<TimeZone> {
    let bytes = std::fs::read(path).ok()?;
    TimeZone::tzif(name, &bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn names_are_names_of_zones() {
        for name in ["", "../../../etc/passwd", ":UTC", "/etc/localtime", "CET-1CEST", "No/Such"] {
            assert!(named(name).is_none(), "{name}");
        }
    }
}
