//! The walks of a device: values that have no name of their own.

use crate::plan::{Sought, Walk};
use crate::report::{Missing, Reading};
use rrd::Timestamp;
use snmp::{Answer, Request, RequestError, Value};

/// What is known of a device's walks from one poll to the next: for each, the epoch of its last
/// reading.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    read_in: Vec<Option<u32>>,
}

/// The walks of a poll in progress.
#[derive(Debug)]
pub(crate) struct Walks {
    have_begun: bool,
    readings: Vec<Result<Reading, Missing>>,
    /// The epoch in which each reading was taken.
    taken_in: Vec<u32>,
}

impl Walked {
    pub(crate) fn new(walks: usize) -> Self {
        Self { read_in: vec![None; walks] }
    }

    /// What is known, in the order of another plan.
    pub(crate) fn rearranged(&self, came_from: &[Option<usize>]) -> Self {
        let of = |before: &Option<usize>| *self.read_in.get((*before)?)?;
        Self { read_in: came_from.iter().map(of).collect() }
    }
}

impl Walks {
    pub(crate) fn new(walks: usize) -> Self {
        let readings = vec![Err(Missing::NoAnswer); walks];
        Self { have_begun: false, readings, taken_in: vec![0; walks] }
    }

    /// The requests, when the first ones are sent.
    pub(crate) fn begin(&mut self, walks: &[Walk]) -> Vec<Request> {
        if std::mem::replace(&mut self.have_begun, true) {
            return Vec::new();
        }
        walks.iter().map(request).collect()
    }

    /// Takes the answer to a walk.
    pub(crate) fn take(
        &mut self,
        nth: usize,
        walk: &Walk,
        result: Result<Answer, RequestError>,
        stamp: Option<Timestamp>,
        epoch: u32,
    ) {
        self.taken_in[nth] = epoch;
        self.readings[nth] = value(walk, result).and_then(|value| {
            let time = stamp.ok_or(Missing::ClockSetBack)?;
            Ok(Reading { time, value, discontinuity: false })
        });
    }

    /// The readings of the poll, which is over. Those that do not continue the ones before are
    /// marked.
    pub(crate) fn settle(
        mut self,
        walked: &mut Walked,
        epoch: u32,
    ) -> Vec<Result<Reading, Missing>> {
        for (nth, reading) in self.readings.iter_mut().enumerate() {
            if let (Ok(reading), Some(read_in)) = (reading, walked.read_in.get_mut(nth)) {
                let before = read_in.replace(self.taken_in[nth]);
                reading.discontinuity = before.is_some_and(|before| before != epoch);
            }
        }
        self.readings
    }
}

/// For each walk of a new plan, its place in the old one.
pub(crate) fn came_from(new: &[Walk], old: &[Walk]) -> Vec<Option<usize>> {
    new.iter().map(|walk| old.iter().position(|before| before == walk)).collect()
}

fn request(walk: &Walk) -> Request {
    let root = walk.root.clone();
    match walk.sought {
        Sought::Row(nth) => Request::First { root, rows: (nth as usize).saturating_add(1) },
        Sought::Count => Request::Walk(root),
        Sought::Next => Request::Next(root),
    }
}

fn value(walk: &Walk, result: Result<Answer, RequestError>) -> Result<Value, Missing> {
    let mut rows = match result {
        Ok(answer) => answer.bindings,
        Err(RequestError::TimedOut { .. }) => return Err(Missing::NoAnswer),
        Err(error) => return Err(Missing::Walk(error)),
    };
    let count = rows.len();
    let nth = match walk.sought {
        Sought::Count => return Ok(Value::Gauge32(u32::try_from(count).unwrap_or(u32::MAX))),
        Sought::Next => 0,
        Sought::Row(nth) => nth as usize,
    };
    match nth < count {
        true => Ok(rows.swap_remove(nth).value),
        false => Err(Missing::NoRow { rows: count }),
    }
}
