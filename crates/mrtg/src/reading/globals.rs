//! Validates the global keys.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::global_values::{Values, read, with_one_slash};
use super::keys::GlobalKey;
use super::thresholds;
use super::value::Value;
use crate::error::Problem;
use crate::text::decode;
use crate::{Error, Globals, Interval, LogFormat, Note, SnmpOptions};

/// MRTG refuses a `Refresh` shorter than this.
const SHORTEST_REFRESH_SECONDS: u64 = 300;

/// The global keys, validated.
pub(super) fn build(path: &Path, values: &Values, notes: &mut Vec<Note>) -> Result<Globals, Error> {
    let [log_dir, html_dir, image_dir] = directories(path, values)?;
    let log_format = log_format(path, values, notes)?;
    Ok(Globals {
        log_dir,
        html_dir,
        image_dir,
        interval: read(
            values,
            GlobalKey::Interval,
            "minutes or minutes:seconds, from 0:01 to 60",
            Interval::parse,
        )?
        .unwrap_or_default(),
        refresh: Duration::from_secs(
            read(values, GlobalKey::Refresh, "300 seconds or more", refresh)?
                .unwrap_or(SHORTEST_REFRESH_SECONDS),
        ),
        write_expires: says_yes(values, GlobalKey::WriteExpires),
        run_as_daemon: says_yes(values, GlobalKey::RunAsDaemon),
        no_detach: says_yes(values, GlobalKey::NoDetach),
        log_format,
        enable_ipv6: read(values, GlobalKey::EnableIPv6, "yes or no", yes_or_no)?.unwrap_or(false),
        conversion_code: values.contains_key(&GlobalKey::ConversionCode),
        single_request: values.contains_key(&GlobalKey::SingleRequest),
        max_age: read(values, GlobalKey::MaxAge, "a whole number of seconds above 0", max_age)?,
        rrdcached: values.get(&GlobalKey::RRDCached).map(|value| decode(value.bytes())),
        path_add: values.get(&GlobalKey::PathAdd).map(|value| directory(value.bytes())),
        snmp_options: snmp_options(values)?,
        thresholds: thresholds::globals(values)?,
        graphite: thresholds::graphite(values)?,
    })
}

/// `WorkDir` overrides the other three keys.
fn directories(path: &Path, values: &Values) -> Result<[PathBuf; 3], Error> {
    if let Some(work_dir) = values.get(&GlobalKey::WorkDir) {
        let work_dir = directory(work_dir.bytes());
        return Ok([work_dir.clone(), work_dir.clone(), work_dir]);
    }
    let one = |key: GlobalKey| {
        let missing = || Error::Whole {
            path: path.to_owned(),
            problem: Problem::NoDirectory { key: key.name() },
        };
        values.get(&key).map(|value| directory(value.bytes())).ok_or_else(missing)
    };
    Ok([one(GlobalKey::LogDir)?, one(GlobalKey::HtmlDir)?, one(GlobalKey::ImageDir)?])
}

fn directory(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(with_one_slash(bytes)).into()
}

fn log_format(path: &Path, values: &Values, notes: &mut Vec<Note>) -> Result<LogFormat, Error> {
    let parse = |value: &[u8]| match value {
        b"rateup" => Some(LogFormat::Rateup),
        b"rrdtool" => Some(LogFormat::Rrdtool),
        _ => None,
    };
    let format = read(values, GlobalKey::LogFormat, "rateup or rrdtool", parse)?;
    let format = format.unwrap_or_default();
    if format == LogFormat::Rateup {
        let place = match values.get(&GlobalKey::LogFormat) {
            Some(value) => value.position.to_string(),
            None => path.display().to_string(),
        };
        notes.push(Note::Rateup { place });
    }
    Ok(format)
}

fn snmp_options(values: &Values) -> Result<Option<SnmpOptions>, Error> {
    let Some(value) = values.get(&GlobalKey::SnmpOptions) else {
        return Ok(None);
    };
    // The text may contain SNMPv3 passwords, so it is not shown.
    let problem = || Problem::Value {
        key: "SnmpOptions".to_owned(),
        expected: "name => number, name => 'text', ...",
        found: "something else".to_owned(),
    };
    let options = SnmpOptions::parse(value.bytes());
    options.map(Some).ok_or_else(|| Error::at(&value.position, problem()))
}

fn says_yes(values: &Values, key: GlobalKey) -> bool {
    let has_y = |value: &Value| value.bytes().iter().any(|byte| byte.eq_ignore_ascii_case(&b'y'));
    values.get(&key).is_some_and(has_y)
}

/// The digits at the start, as Perl reads a number from text.
pub(super) fn leading_digits(value: &[u8]) -> Option<u64> {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(value.get(..digits)?).ok()?.parse().ok()
}

fn refresh(value: &[u8]) -> Option<u64> {
    leading_digits(value).filter(|seconds| *seconds >= SHORTEST_REFRESH_SECONDS)
}

fn max_age(value: &[u8]) -> Option<Duration> {
    let digits = value.iter().all(u8::is_ascii_digit);
    let seconds = leading_digits(value).filter(|seconds| digits && *seconds > 0)?;
    Some(Duration::from_secs(seconds))
}

pub(super) fn yes_or_no(value: &[u8]) -> Option<bool> {
    if value.eq_ignore_ascii_case(b"yes") {
        Some(true)
    } else {
        value.eq_ignore_ascii_case(b"no").then_some(false)
    }
}
