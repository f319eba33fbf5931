//! TIME::NOW, TIME::LAST and TIME::STRFTIME.

use jiff::Timestamp;
use jiff::fmt::strtime::{BrokenDownTime, Config, PosixCustom};
use rrdtool::{Failure, Session, last};

/// The time of day.
pub(crate) fn now(session: &mut Session, words: &[String]) -> String {
    let [format] = words else {
        return "[ERROR: not enough arguments for RRD::TIME::NOW]".into();
    };
    let seconds = session.times.now().seconds;
    shown(session, seconds, format)
}

/// When a database was updated last.
pub(crate) fn last(session: &mut Session, words: &[String]) -> Result<String, Failure> {
    let [file, format] = words else {
        return Ok("[ERROR: expected <RRD::TIME::LAST file.rrd strftime-format>]".into());
    };
    let seconds = last::seconds(session, &[file])?;
    Ok(shown(session, seconds, format))
}

/// One of two times, either of which may be given from the other. Nothing where they are none.
pub(crate) fn start_or_end(session: &mut Session, words: &[String]) -> String {
    let [which, start, end, format] = words else { return String::new() };
    let times = &mut session.times;
    let (Ok(start), Ok(end)) = (times.read(start), times.read(end)) else { return String::new() };
    let now_seconds = times.now().seconds;
    let Ok((start, end)) = times.clock().resolve_start_end(&start, &end, now_seconds) else {
        return String::new();
    };
    match which.to_ascii_uppercase().as_str() {
        "START" => shown(session, start, format),
        "END" => shown(session, end, format),
        _ => String::new(),
    }
}

fn shown(session: &mut Session, seconds: i64, format: &str) -> String {
    let Ok(moment) = Timestamp::from_second(seconds) else { return String::new() };
    let zone = session.times.clock().zone().clone();
    let time = BrokenDownTime::from(&moment.to_zoned(zone));
    let config = Config::new().custom(PosixCustom::new()).lenient(true);
    time.to_string_with_config(&config, format).unwrap_or_else(|_| format.to_owned())
}
