//! Validates the keys of thresholds and of `SendToGraphite`.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::Arc;

use super::global_values::{Values, read, with_one_slash};
use super::keys::{GlobalKey, TargetKey as Key};
use super::target_keys::Keys;
use crate::error::Problem;
use crate::text::{decode, trim};
use crate::{
    Error, GraphiteReceiver, Limits, MailGlobals, Note, ThreshDir, ThresholdGlobals, Thresholds,
    leading_number,
};

const ADDRESS: &str = "a mail address";

/// The keys of one kind of limits.
struct KindOfLimit {
    min: [Key; 2],
    max: [Key; 2],
    description: Key,
    programs: [Key; 2],
    programs_ok: [Key; 2],
    mail_to: Key,
}

const RATES: KindOfLimit = KindOfLimit {
    min: [Key::ThreshMinI, Key::ThreshMinO],
    max: [Key::ThreshMaxI, Key::ThreshMaxO],
    description: Key::ThreshDesc,
    programs: [Key::ThreshProgI, Key::ThreshProgO],
    programs_ok: [Key::ThreshProgOKI, Key::ThreshProgOKO],
    mail_to: Key::ThreshMailAddress,
};

const FAILURES: KindOfLimit = KindOfLimit {
    min: [Key::HWThreshMinI, Key::HWThreshMinO],
    max: [Key::HWThreshMaxI, Key::HWThreshMaxO],
    description: Key::HWThreshDesc,
    programs: [Key::HWThreshProgI, Key::HWThreshProgO],
    programs_ok: [Key::HWThreshProgOKI, Key::HWThreshProgOKO],
    mail_to: Key::HWThreshMailAddress,
};

/// The global keys of thresholds.
pub(super) fn globals(values: &Values) -> Result<ThresholdGlobals, Error> {
    let directory = values.get(&GlobalKey::ThreshDir).map(|value| ThreshDir {
        path: OsString::from_vec(with_one_slash(value.bytes())).into(),
        position: value.position.clone(),
    });
    let share = "a number such as 0.1";
    Ok(ThresholdGlobals {
        directory,
        hysteresis: read(values, GlobalKey::ThreshHyst, share, share_of)?,
        failure_hysteresis: read(values, GlobalKey::HWThreshHyst, share, share_of)?,
        mail: mail(values)?,
    })
}

/// `SendToGraphite`.
pub(super) fn graphite(values: &Values) -> Result<Option<GraphiteReceiver>, Error> {
    read(values, GlobalKey::SendToGraphite, "host,port", |value| {
        let text = std::str::from_utf8(value).ok()?;
        let (host, port) = text.rsplit_once(',')?;
        let port = port.trim().parse().ok().filter(|port| *port > 0)?;
        let host = host.trim();
        (!host.is_empty()).then(|| GraphiteReceiver { host: host.to_owned(), port })
    })
}

fn share_of(value: &[u8]) -> Option<f64> {
    let is_plain = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let text = std::str::from_utf8(value).ok().filter(|_| value.iter().all(is_plain))?;
    text.parse().ok()
}

fn mail(values: &Values) -> Result<Option<MailGlobals>, Error> {
    let (server, sender) = (GlobalKey::ThreshMailServer, GlobalKey::ThreshMailSender);
    let servers = read(values, server, "a host, or host:port", servers)?;
    let from = read(values, sender, ADDRESS, address)?;
    let alone = |key: GlobalKey, without: GlobalKey| {
        let problem = Problem::Without { key: key.name().to_owned(), without: without.name() };
        values.get(&key).map_or(Ok(None), |value| Err(Error::at(&value.position, problem)))
    };
    match (servers, from) {
        (Some(servers), Some(sender)) => Ok(Some(MailGlobals { servers, sender })),
        (Some(_), None) => alone(server, sender),
        (None, Some(_)) => alone(sender, server),
        (None, None) => Ok(None),
    }
}

fn servers(value: &[u8]) -> Option<Vec<String>> {
    let text = std::str::from_utf8(value).ok()?;
    let servers: Vec<String> = text.split(',').map(|each| each.trim().to_owned()).collect();
    let is_host = |each: &String| !each.is_empty() && !each.contains(char::is_whitespace);
    servers.iter().all(is_host).then_some(servers)
}

/// Text with an at sign between other signs, as MRTG demands.
fn address(value: &[u8]) -> Option<String> {
    let text = decode(value);
    let mut ats = text.match_indices('@').map(|(at, _)| text.split_at(at));
    let has_both = |(before, after): (&str, &str)| {
        let ends = before.chars().next_back().is_some_and(|last| !last.is_whitespace());
        ends && after.chars().nth(1).is_some_and(|first| !first.is_whitespace())
    };
    let is_clean = !text.contains(char::is_control);
    (ats.any(has_both) && is_clean).then(|| text.clone())
}

/// The thresholds of targets one after the other; those with equal ones share them.
#[derive(Default)]
pub(super) struct SharedThresholds(HashSet<Arc<Thresholds>>);

impl SharedThresholds {
    /// The thresholds of a target; `None` if nothing of it is watched.
    pub(super) fn of(
        &mut self,
        keys: &Keys<'_>,
        globals: &ThresholdGlobals,
        notes: &mut Vec<Note>,
    ) -> Result<Option<Arc<Thresholds>>, Error> {
        let is_watched = [RATES, FAILURES]
            .into_iter()
            .any(|kind| kind.min.into_iter().chain(kind.max).any(|key| keys.get(key).is_some()));
        if globals.mail.is_none() {
            check_nobody_is_written_to(keys, notes)?;
        }
        if !is_watched {
            return Ok(None);
        }
        let found = Thresholds {
            rates: limits(keys, &RATES, notes)?,
            failures: limits(keys, &FAILURES, notes)?,
        };
        if let Some(known) = self.0.get(&found) {
            return Ok(Some(known.clone()));
        }
        let new = Arc::new(found);
        self.0.insert(new.clone());
        Ok(Some(new))
    }
}

/// Without a mail server, MRTG refuses an address of ThreshMailAddress, but takes the other one.
fn check_nobody_is_written_to(keys: &Keys<'_>, notes: &mut Vec<Note>) -> Result<(), Error> {
    let told = |key: Key| keys.get(key).filter(|value| !value.is_blank());
    let without = GlobalKey::ThreshMailServer.name();
    if let Some(value) = told(RATES.mail_to) {
        let key = keys.full_name(RATES.mail_to);
        return Err(Error::at(&value.position, Problem::Without { key, without }));
    }
    if let Some(value) = told(FAILURES.mail_to) {
        let (key, position) = (keys.full_name(FAILURES.mail_to), value.position.clone());
        notes.push(Note::NoMailServer { key, position });
    }
    Ok(())
}

fn limits(keys: &Keys<'_>, kind: &KindOfLimit, notes: &mut Vec<Note>) -> Result<Limits, Error> {
    Ok(Limits {
        min: kind.min.map(|key| bound(keys, key, notes)),
        max: kind.max.map(|key| bound(keys, key, notes)),
        description: keys.get(kind.description).map(|value| decode(trim(value.bytes()))),
        programs: kind.programs.map(|key| program(keys, key)),
        programs_ok: kind.programs_ok.map(|key| program(keys, key)),
        mail_to: mail_to(keys, kind.mail_to)?,
    })
}

/// The value of a key, unless it is empty.
fn words<'r>(keys: &Keys<'r>, key: Key) -> Option<&'r [u8]> {
    keys.get(key).map(|value| trim(value.bytes())).filter(|value| !value.is_empty())
}

/// A limit as it is written. MRTG takes any text, of which the number at its beginning counts.
fn bound(keys: &Keys<'_>, key: Key, notes: &mut Vec<Note>) -> Option<String> {
    let value = keys.get(key)?;
    let text = decode(trim(value.bytes()));
    let (number, rest) = leading_number(&text);
    if text.is_empty() || !matches!(rest.trim(), "" | "%") {
        notes.push(Note::LimitReadAs {
            key: keys.full_name(key),
            text: text.clone(),
            number,
            position: value.position.clone(),
        });
    }
    Some(text)
}

fn program(keys: &Keys<'_>, key: Key) -> Option<PathBuf> {
    words(keys, key).map(|path| OsString::from_vec(path.to_vec()).into())
}

fn mail_to(keys: &Keys<'_>, key: Key) -> Result<Option<String>, Error> {
    match words(keys, key) {
        Some(_) => keys.read(key, ADDRESS, address),
        None => Ok(None),
    }
}
