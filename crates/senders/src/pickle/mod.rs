//! Graphite's pickle protocol, as carbon's relays and other clients written in Python send it.
//!
//! ```text
//! 00000042                                      length of what follows, big-endian
//! pickle of [(path, (time, value)), ...]        protocols 0 to 5
//! ```
//!
//! A pickle is a program that builds objects. Only what builds lists, tuples, numbers and texts is
//! run: a pickle that asks for anything else is refused as a whole. Nothing in it nests deeper than a
//! list of points, and each of its bytes makes at most one object. Sources: "The Pickle Protocol" in
//! "Feeding In Your Data" of Graphite's manual, and Python's module `pickletools`.

mod text;
mod machine;

use crate::lines::Wrong;
use crate::number::{micros_of_seconds, value};
use crate::sent::{Kind, Sent, Series, VALUE, Value};
use machine::{Machine, Object, What};

/// The longest frame, as carbon has it.
pub const FRAME_BYTES_MAX: usize = 1 << 20;

/// Bytes of a frame's length.
const LENGTH_BYTES: usize = 4;

/// What became of some frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// Samples that were handed out.
    pub samples: u64,
    /// Frames and single points that are wrong.
    pub wrong: u64,
    /// The first of them.
    pub first: Option<WrongPickle>,
}

/// A frame that cannot be read, or a point in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset_bytes} of the pickles: expected {expected}")]
pub struct WrongPickle {
    /// Where in what was read, from 0.
    pub offset_bytes: usize,
    /// What was expected there.
    pub expected: &'static str,
}

/// How many of the bytes are whole frames. A frame that is too long is an error: where the next one
/// begins will not be seen.
pub fn whole_frames(bytes: &[u8]) -> Result<usize, WrongPickle> {
    let mut end = 0;
    loop {
        match frame(&bytes[end..]) {
            Ok(Some(pickle)) => end += LENGTH_BYTES + pickle.len(),
            Ok(None) => return Ok(end),
            Err(expected) => return Err(WrongPickle { offset_bytes: end, expected }),
        }
    }
}

/// Reads whole frames. One that is wrong is counted and gives nothing; so is a wrong point of a frame,
/// whose other points are read.
pub fn read(frames: &[u8], sent: &mut dyn FnMut(&Sent<'_>)) -> Frames {
    let mut done = Frames::default();
    let mut at = 0;
    while at < frames.len() {
        let pickle = match frame(&frames[at..]) {
            Ok(Some(pickle)) => pickle,
            Ok(None) => {
                done.wrong(at, "a whole frame");
                break;
            }
            Err(expected) => {
                done.wrong(at, expected);
                break;
            }
        };
        at += LENGTH_BYTES;
        points(pickle, at, &mut done, sent);
        at += pickle.len();
    }
    done
}

/// The pickle of the first frame; `None` if it is not there as a whole.
fn frame(bytes: &[u8]) -> Result<Option<&[u8]>, &'static str> {
    let Some((length, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
    let length = u32::from_be_bytes(*length) as usize;
    if length > FRAME_BYTES_MAX {
        return Err("a frame of at most 1,048,576 bytes");
    }
    Ok(rest.get(..length))
}

impl Frames {
    fn wrong(&mut self, offset_bytes: usize, expected: &'static str) {
        self.wrong += 1;
        self.first.get_or_insert(WrongPickle { offset_bytes, expected });
    }
}

fn points(pickle: &[u8], base: usize, done: &mut Frames, sent: &mut dyn FnMut(&Sent<'_>)) {
    let mut machine = Machine::new(pickle);
    let list = match machine.run().and_then(|()| machine.list()) {
        Ok(list) => list,
        Err(Wrong { at, expected }) => return done.wrong(base + at, expected),
    };
    for object in list {
        match point(&machine, object) {
            Ok(point) => {
                sent(&Sent {
                    series: Series::Graphite(point.name),
                    time_micros: point.time_micros,
                    values: &[(VALUE, Kind::Gauge, point.value)],
                });
                done.samples += 1;
            }
            Err(Wrong { at, expected }) => done.wrong(base + at, expected),
        }
    }
}

struct Point<'m> {
    name: &'m str,
    time_micros: Option<i64>,
    value: Value<'m>,
}

fn point<'m>(machine: &'m Machine<'_>, object: &'m Object<'_>) -> Result<Point<'m>, Wrong> {
    let wrong = |object: &Object<'_>, expected| Wrong { at: object.at, expected };
    let [name, rest] = machine.pair(object).ok_or(wrong(object, "a pair of path and point"))?;
    let What::Text(path) = &name.what else { return Err(wrong(name, "a text as path")) };
    if path.is_empty() {
        return Err(wrong(name, "a path"));
    }
    let [time, number] = machine.pair(rest).ok_or(wrong(rest, "a pair of time and value"))?;
    let value = match &number.what {
        What::Number(value) => Some(*value),
        What::Text(text) => value(text),
        _ => None,
    };
    Ok(Point {
        name: path,
        time_micros: micros(&time.what).ok_or(wrong(time, "a time in seconds since 1970"))?,
        value: value.ok_or(wrong(number, "a number as value"))?,
    })
}

/// A time; `Some(None)` of -1, which stands for the present.
fn micros(time: &What<'_>) -> Option<Option<i64>> {
    let micros = match time {
        What::Number(Value::Signed(seconds)) => seconds.checked_mul(1_000_000)?,
        What::Number(Value::Float(seconds)) => {
            let micros = (seconds * 1e6).round();
            // Larger ones would not be exact.
            if micros.is_nan() || micros.abs() > 9.0e15 {
                return None;
            }
            micros as i64
        }
        What::Text(text) => micros_of_seconds(text)?,
        _ => return None,
    };
    Some((micros != -1_000_000).then_some(micros))
}
