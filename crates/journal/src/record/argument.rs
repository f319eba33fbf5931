//! The argument of an update as a record, so that its text comes back letter for letter.
//!
//! Nearly every one is a whole number of seconds and readings, which an update record holds in less.
//! What it cannot hold (fractions, AT-style times) is kept as text.

use rrd::{Reading, ReadingRoom, Timestamp};
use varint::put_text;

use super::encode::{put_head, put_update};
use super::{EventView, Generation, RrdId, kind};

/// Appends the record of `TIME:READING[:READING...]`.
pub fn encode_argument(rrd: RrdId, generation: Generation, argument: &str, out: &mut Vec<u8>) {
    match plain(argument) {
        Some((seconds, readings)) => {
            let time = Timestamp::from_seconds(seconds);
            let texts = readings.split(':');
            let count = texts.clone().count();
            put_update(rrd, generation, time, (count, texts.map(Reading::of)), out);
        }
        None => {
            put_head(kind::VALUES, rrd, generation, out);
            put_text(argument, out);
        }
    }
}

/// Appends the text of an argument that was encoded; false if the event is none.
pub fn push_argument(event: &EventView<'_>, text: &mut String) -> bool {
    match event {
        EventView::Update { time, readings } => {
            text.push_str(&time.seconds.to_string());
            for reading in readings.clone() {
                text.push(':');
                text.push_str(reading.text(&mut ReadingRoom::default()));
            }
            true
        }
        EventView::Values { text: verbatim } => {
            text.push_str(verbatim);
            true
        }
        _ => false,
    }
}

/// Whether an update record holds an argument letter for letter.
pub(super) fn is_plain(argument: &str) -> bool {
    plain(argument).is_some()
}

fn plain(argument: &str) -> Option<(i64, &str)> {
    let (time, readings) = argument.split_once(':')?;
    let Reading::Unsigned(seconds) = Reading::of(time) else { return None };
    let seconds = i64::try_from(seconds).ok()?;
    Some((seconds, readings))
}
