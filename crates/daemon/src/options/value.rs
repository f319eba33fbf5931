//! What stands behind options. Each mistake has rrdcached's exit code, where it has one.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use guard::{PROXY_ADDRESSES_EXPECTED, ProxyUsers};

use super::{Refused, Sync};

/// Seconds, or with a unit.
pub(super) fn time(text: &str, what: &str, exit_code: u8) -> Result<Duration, Refused> {
    let time = time_or_none(text, what, exit_code)?;
    match time.is_zero() {
        false => Ok(time),
        true => {
            Err(Refused::new(exit_code, format!("Invalid {what} {text}: value must be positive")))
        }
    }
}

pub(super) fn time_or_none(text: &str, what: &str, exit_code: u8) -> Result<Duration, Refused> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let wrong = |_| {
        let words = format!("Invalid {what} {text}: value must be (suffixed) positive number");
        Refused::new(exit_code, words)
    };
    rrd::spec::step_seconds(text).map(Duration::from_secs).map_err(wrong)
}

pub(super) fn count(text: &str, what: &str, exit_code: u8) -> Result<usize, Refused> {
    let count = text.parse().ok().filter(|count| *count > 0);
    count.ok_or_else(|| Refused::new(exit_code, format!("Invalid {what}: {text}")))
}

pub(super) fn web_address(text: &str) -> Result<SocketAddr, Refused> {
    let wrong =
        |_| Refused::new(1, format!("--web: expected an address and a port, found '{text}'"));
    text.parse().map_err(wrong)
}

pub(super) fn host_name(text: &str) -> Result<String, Refused> {
    // A URL in its place would never be the host of a request.
    let is_wrong = |letter: char| letter.is_whitespace() || letter == '/';
    match text.is_empty() || text.contains(is_wrong) {
        true => {
            Err(Refused::new(1, format!("--allow-host: expected a host's name, found '{text}'")))
        }
        false => Ok(text.to_owned()),
    }
}

pub(super) fn proxy_addresses(text: &str) -> Result<Vec<IpAddr>, Refused> {
    let wrong = || {
        let words = format!("--proxy-from: expected {PROXY_ADDRESSES_EXPECTED}, found '{text}'");
        Refused::new(1, words)
    };
    ProxyUsers::addresses_of(text).ok_or_else(wrong)
}

/// Bytes that the journal takes at most, or with a unit.
pub(super) fn journal_bytes(text: &str) -> Result<u64, Refused> {
    let wrong = || {
        let (words, least) = ("expected as in 4G or 512M", JOURNAL_BYTES_MIN >> 20);
        Refused::new(6, format!("Invalid journal size {text}: {words}, {least}M at least"))
    };
    ::options::bytes(text).filter(|bytes| *bytes >= JOURNAL_BYTES_MIN).ok_or_else(wrong)
}

/// Four segments: fewer cannot be freed in turn.
const JOURNAL_BYTES_MIN: u64 = 32 << 20;

pub(super) fn sync(text: &str) -> Result<Sync, Refused> {
    match text {
        "always" => Ok(Sync::Always),
        "off" => Ok(Sync::Off),
        _ => time(text, "sync interval", 2).map(Sync::Every),
    }
}
