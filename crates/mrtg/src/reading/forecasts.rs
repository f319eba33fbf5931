//! `RRDHWRRAs[]`: archives of Holt-Winters forecasts, as `rrdtool create` reads them.

use std::sync::Arc;

use rrd::spec::{SpecError, append_archives, check_references};
use rrd::{Archive, Definition};

use super::keys::TargetKey as Key;
use super::target_keys::Keys;
use crate::database::archives;
use crate::error::Problem;
use crate::text::{decode, excerpt, is_space, trim};
use crate::{Error, Interval, RowCounts};

/// What MRTG accepts there.
const FUNCTIONS: [&str; 5] =
    ["RRA:HWPREDICT:", "RRA:SEASONAL:", "RRA:DEVPREDICT:", "RRA:DEVSEASONAL:", "RRA:FAILURES:"];

const EXPECTED: &str = "RRA:HWPREDICT:rows:alpha:beta:period or the like, with blanks between";

/// The archives that a target has behind MRTG's own.
pub(super) fn of(
    keys: &Keys<'_>,
    interval: Interval,
    rows: RowCounts,
) -> Result<Option<Arc<[Archive]>>, Error> {
    let Some(value) = keys.get(Key::RRDHWRRAs) else {
        return Ok(None);
    };
    let mut definition = Definition {
        tick: rrd::Tick::SECOND,
        step_seconds: interval.step_seconds(),
        sources: Vec::new(),
        archives: archives(interval, rows),
    };
    let own = definition.archives.len();
    let wrong = |word: &[u8], cause: SpecError| {
        let (key, word) = (keys.full_name(Key::RRDHWRRAs), excerpt(word));
        let problem = Problem::Forecast { key, word, cause: Box::new(cause) };
        Error::at(&value.position, problem)
    };
    let text = trim(value.bytes());
    for word in text.split(|byte| is_space(*byte)).filter(|word| !word.is_empty()) {
        let written = decode(word);
        if !FUNCTIONS.iter().any(|function| written.starts_with(function)) {
            return Err(keys.wrong(value, Key::RRDHWRRAs, EXPECTED, excerpt(word)));
        }
        let parts = written.strip_prefix("RRA:").unwrap_or(&written);
        append_archives(&mut definition, parts).map_err(|cause| wrong(word, cause))?;
    }
    if definition.archives.len() == own {
        return Err(keys.wrong(value, Key::RRDHWRRAs, EXPECTED, String::new()));
    }
    check_references(&definition.archives).map_err(|cause| wrong(text, cause))?;
    Ok(Some(definition.archives.split_off(own).into()))
}
