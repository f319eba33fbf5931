//! Updates as text, as they come from a network, and how they are appended to the store.

use std::ops::Range;

use rrd::{Reading, Sample, Timestamp};
use store::{Store, Update};

use crate::workload::Workload;

/// Updates that are appended together.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The text of all names and readings.
    text: String,
    rrds: Vec<Rrd>,
    samples: Vec<TextSample>,
}

/// An RRD of the batch.
#[derive(Debug)]
struct Rrd {
    name: Range<usize>,
    samples: Range<usize>,
}

#[derive(Debug)]
struct TextSample {
    time: Timestamp,
    readings: [Range<usize>; 2],
}

impl Batch {
    /// Removes its updates, but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.rrds.clear();
        self.samples.clear();
    }

    /// The number of samples.
    pub(crate) fn samples(&self) -> usize {
        self.samples.len()
    }

    /// Adds the updates of an RRD in these cycles.
    pub(crate) fn push(&mut self, workload: &Workload, rrd: u64, cycles: Range<u64>) {
        let name = self.put(|text| workload.push_name(rrd, text));
        let first = self.samples.len();
        for cycle in cycles {
            let time = workload.time(rrd, cycle);
            let readings = [0, 1]
                .map(|source| self.put(|text| workload.push_counter(rrd, source, cycle, text)));
            self.samples.push(TextSample { time, readings });
        }
        self.rrds.push(Rrd { name, samples: first..self.samples.len() });
    }

    fn put(&mut self, write: impl FnOnce(&mut String)) -> Range<usize> {
        let start = self.text.len();
        write(&mut self.text);
        start..self.text.len()
    }

    /// Appends the batch; it is acknowledged when this returns.
    pub(crate) fn append_to(&self, store: &dyn Store) -> Result<(), String> {
        let reading = |range| Reading::of(&self.text[range]);
        let readings: Vec<[Reading<'_>; 2]> =
            self.samples.iter().map(|sample| sample.readings.clone().map(reading)).collect();
        let samples: Vec<Sample<'_>> = self
            .samples
            .iter()
            .zip(&readings)
            .map(|(sample, readings)| Sample { time: sample.time, readings })
            .collect();
        let appends: Vec<Update<'_>> = self
            .rrds
            .iter()
            .map(|rrd| Update::of(&self.text[rrd.name.clone()], &samples[rrd.samples.clone()]))
            .collect();
        let failures = store.update(&appends);
        failures.first().map_or(Ok(()), |(nth, refused)| {
            let (name, error) = (appends[*nth].name.display(), &refused.error);
            Err(format!("{} updates failed; {name}: {error}", failures.len()))
        })
    }
}
