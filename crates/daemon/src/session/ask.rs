//! The commands that ask for a database's header.

use rrd::NoWholeSeconds;
use rrdcached::server::{Answer, Told, answer};
use rrdtool::FactValue;
use store::Outline;

use super::Stop;
use super::turn::Turn;
use crate::shelf::Failure;

/// INFO.
pub(super) fn info(turn: &mut Turn<'_, '_, '_>, written: &[u8]) -> Result<(), Stop> {
    let Some(path) = turn.place(written) else { return Ok(()) };
    let header = match turn.service.shelf.header(&path) {
        Ok(header) => header,
        Err(failure) => {
            turn.fail_in_library(&failure, written);
            return Ok(());
        }
    };
    let spelled = turn.spelled(written);
    let mut answer = Answer::default();
    for fact in rrdtool::info::of_header(&header, &spelled) {
        let time_text;
        let told = match &fact.value {
            FactValue::Time(time) => {
                time_text = time.to_string().into_bytes();
                Told::Text(&time_text)
            }
            FactValue::Value(value) => Told::Number(*value),
            FactValue::Count(count) => Told::Count(*count),
            FactValue::Integer(number) => Told::Integer(i64::from(*number)),
            FactValue::Text(text) => Told::Text(text),
            FactValue::Blob(_) => continue, // only of an image
        };
        answer.fact(&fact.key, told);
    }
    turn.tell(&answer, &[b"Info for ", &spelled[..], b" follows"].concat())
}

/// FIRST.
pub(super) fn first(turn: &mut Turn<'_, '_, '_>, written: &[u8], index: i64) {
    let Some(path) = turn.place(written) else { return };
    let Ok(index) = usize::try_from(index) else {
        return turn.fail(format!("Invalid index specified ({index})").as_bytes());
    };
    let first = turn.service.shelf.outline(&path).and_then(|outline| {
        let invalid = || Failure::Rrd("invalid rraindex number".into());
        outline.definition.tick.check_whole_seconds("FIRST").map_err(told)?;
        let last = outline.last_update;
        rrdtool::first::of_archive(&outline.definition, last, index).ok_or_else(invalid)
    });
    match first {
        Ok(seconds) => answer::status(turn.out.buffer(), 0, seconds.to_string().as_bytes()),
        Err(failure) => turn.fail_in_library(&failure, written),
    }
}

/// LAST: the start of the step in which the last update was, as rrdcached tells it.
pub(super) fn last(turn: &mut Turn<'_, '_, '_>, written: &[u8]) {
    let Some(path) = turn.place(written) else { return };
    let outline = turn.service.shelf.outline(&path).and_then(|outline| {
        outline.definition.tick.check_whole_seconds("LAST").map_err(told)?;
        Ok(outline)
    });
    match outline {
        Ok(Outline { definition, last_update }) => {
            let last_seconds = last_update.seconds;
            let step_seconds = i64::try_from(definition.step_seconds).unwrap_or(1);
            let seconds = last_seconds - last_seconds % step_seconds.max(1);
            answer::status(turn.out.buffer(), 0, seconds.to_string().as_bytes());
        }
        Err(failure) => turn.fail_in_library(&failure, written),
    }
}

/// That a database does not count whole seconds, which the protocol does.
pub(super) fn told(error: NoWholeSeconds) -> Failure {
    Failure::Told(error.to_string())
}
