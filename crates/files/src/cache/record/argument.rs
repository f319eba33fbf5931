//! The argument of an update as a record, so that its text comes back letter for letter.
//!
//! Nearly every one is a whole number of seconds and readings, which an update record holds in
//! less. What it cannot hold (fractions, AT-style times) is kept as text.

use journal::{Generation, RecordHead, Records, RrdId};
use logform::{put_update, update_kind};
use rrd::{Reading, ReadingRoom, Timestamp};

use super::Event;

/// Appends the record of `TIME:READING[:READING...]`.
pub(in crate::cache) fn push_argument(
    records: &mut Records,
    rrd: RrdId,
    generation: Generation,
    argument: &str,
) {
    match plain(argument) {
        Some((seconds, readings)) => {
            let time = Timestamp::from_seconds(seconds);
            let texts = readings.split(':');
            let count = texts.clone().count();
            let kind = update_kind(time, count);
            records.push(RecordHead { kind, rrd, generation }, |out| {
                put_update(time, count, texts.map(Reading::of), out);
            });
        }
        None => {
            let event = Event::Values { text: argument };
            records.push(RecordHead { kind: event.kind(), rrd, generation }, |out| event.put(out));
        }
    }
}

impl Event<'_> {
    /// The text of an argument that [`push_argument`] encoded; `None` if the event is none.
    pub(in crate::cache) fn argument(&self) -> Option<String> {
        match self {
            Self::Update(update) => {
                let mut text = update.time.seconds.to_string();
                for reading in update.readings.clone() {
                    text.push(':');
                    text.push_str(reading.text(&mut ReadingRoom::default()));
                }
                Some(text)
            }
            Self::Values { text } => Some((*text).to_owned()),
            _ => None,
        }
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
