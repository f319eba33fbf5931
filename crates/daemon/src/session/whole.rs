//! TUNE and DUMP: commands of later rrdcacheds, on a whole database.

use std::cell::RefCell;

use rrd::Definition;
use rrd::number::integer;
use rrdfile::xml;
use rrdtool::tune::Order;

use super::turn::Turn;
use super::{Stop, words};
use crate::limits::Share;
use crate::shelf::Failure;

/// TUNE.
pub(super) fn tune(turn: &mut Turn<'_, '_, '_>, written: &[u8], words: &[&[u8]]) {
    let Some(path) = turn.place(written) else { return };
    // rrdtool's client may send the file's name once more among the words.
    let others = words.iter().filter(|word| **word != written);
    let texts: Result<Vec<&str>, _> = others.map(|word| std::str::from_utf8(word)).collect();
    let Ok(texts) = texts else { return turn.fail(b"Got error expected UTF-8") };
    let shelf = &turn.service.shelf;
    let mut share = turn.service.wholes.share();
    let tuned = shelf.outline(&path).and_then(|outline| {
        let values = values_after(&outline.definition, &texts);
        hold_values(&mut share, values)?;
        shelf.tune(&path, &Order::read(&texts))
    });
    match tuned {
        Ok(()) => turn.succeed(b"Success"),
        Err(failure) => {
            turn.fail(&words::of_library("Got error ", &failure, &turn.spelled(written)));
        }
    }
}

/// DUMP: the document comes without a line before it, and the connection's end is its end.
pub(super) fn dump(
    turn: &mut Turn<'_, '_, '_>,
    written: &[u8],
    words: &[&[u8]],
) -> Result<(), Stop> {
    let Some(path) = turn.place(written) else { return Ok(()) };
    let prologue = match words {
        [b"-h" | b"--header", b"none", ..] => xml::Prologue::None,
        [b"-h" | b"--header", b"xsd", ..] => xml::Prologue::Xsd,
        _ => xml::Prologue::Dtd,
    };
    let mut share = turn.service.wholes.share();
    let shelf = &turn.service.shelf;
    let whole = shelf.outline(&path).and_then(|outline| {
        hold_values(&mut share, values_of(&outline.definition))?;
        let said = outline.definition.check_files_can_say();
        said.map_err(|why| Failure::Told(why.to_string()))?;
        shelf.whole(&path)
    });
    let (header, snapshot) = match whole {
        Ok(whole) => whole,
        Err(failure) => {
            turn.fail_in_library(&failure, written);
            return Ok(());
        }
    };
    turn.out.begin_reply(&share);
    let mut times = rrdtool::Times::default();
    let texts = RefCell::new(times.clock().dates_and_times());
    let time_text = |seconds: i64, out: &mut String| texts.borrow_mut().append(out, seconds);
    xml::write_by(&snapshot, header.version, prologue, &time_text, |piece| {
        turn.out.send_all(piece.as_bytes())
    })?;
    Err(Stop::Quit)
}

/// Values of a whole database.
pub(super) fn values_of(definition: &Definition) -> u64 {
    let rows = definition.archives.iter().map(|archive| archive.rows);
    let rows = rows.fold(0, u64::saturating_add);
    rows.saturating_mul(definition.sources.len() as u64)
}

/// Makes a share hold so many values, all that a command is to have in memory.
pub(super) fn hold_values(share: &mut Share<'_>, values: u64) -> Result<(), Failure> {
    if values > WHOLE_VALUES_MAX {
        let words =
            format!("{values} values, at most {WHOLE_VALUES_MAX} for a daemon: use rrdtool");
        return Err(Failure::Rrd(words));
    }
    match share.resize(values as usize * size_of::<f64>()) {
        true => Ok(()),
        false => Err(Failure::Rrd("too many whole databases at once, ask again".into())),
    }
}

/// No fewer values than a database has, once it was tuned so: it is made anew in memory.
pub(super) fn values_after(definition: &Definition, words: &[&str]) -> u64 {
    let added = words.iter().filter(|word| word.starts_with("DS:")).count();
    let sources = definition.sources.len().saturating_add(added).max(1) as u64;
    let mut rows: u64 = definition.archives.iter().map(|archive| archive.rows).sum();
    let ticks_of_units_max =
        SECONDS_OF_UNITS_MAX.saturating_mul(definition.tick.per_second().into());
    for word in words.iter().filter(|word| word.starts_with("RRA")) {
        // The rows stand last in a new archive and in a change of one; with a unit they are time.
        let last = word.rsplit([':', '+', '=']).next().unwrap_or_default();
        let number = integer::leading(last, false).map_or(0, |(number, _)| number);
        let plain = last.bytes().all(|byte| byte.is_ascii_digit());
        let unit = if plain { 1 } else { ticks_of_units_max / definition.step_seconds.max(1) };
        rows = rows.saturating_add(number.unsigned_abs().saturating_mul(unit));
    }
    if words.iter().any(|word| word.starts_with("-t") || word.starts_with("--step")) {
        rows = rows.saturating_mul(definition.step_seconds); // as if it were divided to a second
    }
    rows.saturating_mul(sources)
}

/// Values of a database that is in memory whole: a gigabyte of them.
pub(super) const WHOLE_VALUES_MAX: u64 = 1 << 27;
/// The longest unit of time that rows may be given in: a year.
const SECONDS_OF_UNITS_MAX: u64 = 366 * 86_400;

#[cfg(test)]
mod tests {
    use super::{WHOLE_VALUES_MAX, hold_values};
    use crate::limits::Budget;
    use crate::shelf::Failure;

    #[test]
    fn whole_databases_share_what_there_is() {
        let budget = Budget::of_wholes();
        let (mut first, mut second, mut third) = (budget.share(), budget.share(), budget.share());
        for share in [&mut first, &mut second] {
            assert_eq!(hold_values(share, WHOLE_VALUES_MAX), Ok(()));
        }
        let told = Failure::Rrd("too many whole databases at once, ask again".into());
        assert_eq!(hold_values(&mut third, 1), Err(told));
        drop(first);
        assert_eq!(hold_values(&mut third, WHOLE_VALUES_MAX), Ok(()));
        let told = "134217729 values, at most 134217728 for a daemon: use rrdtool";
        let told = Err(Failure::Rrd(told.into()));
        assert_eq!(hold_values(&mut second, WHOLE_VALUES_MAX + 1), told);
    }
}
