//! What a batch is made of: samples, or the text of some.

use rrd::{Reading, SampleReader, Timestamp};

use crate::{Append, AppendValues, Error};

/// Samples of one database.
pub(super) trait Item<'a> {
    fn name(&self) -> &'a str;

    /// How many samples there are.
    fn count(&self) -> usize;

    /// Reads a sample: fills in its readings and returns its time.
    fn read(
        &self,
        nth: usize,
        reader: &SampleReader,
        readings: &mut Vec<Reading<'a>>,
    ) -> Result<Timestamp, Error>;
}

impl<'a> Item<'a> for Append<'a> {
    fn name(&self) -> &'a str {
        self.name
    }

    fn count(&self) -> usize {
        self.samples.len()
    }

    fn read(
        &self,
        nth: usize,
        _: &SampleReader,
        readings: &mut Vec<Reading<'a>>,
    ) -> Result<Timestamp, Error> {
        let sample = &self.samples[nth];
        readings.clear();
        readings.extend_from_slice(sample.readings);
        Ok(sample.time)
    }
}

impl<'a> Item<'a> for AppendValues<'a> {
    fn name(&self) -> &'a str {
        self.name
    }

    fn count(&self) -> usize {
        self.values.len()
    }

    fn read(
        &self,
        nth: usize,
        reader: &SampleReader,
        readings: &mut Vec<Reading<'a>>,
    ) -> Result<Timestamp, Error> {
        let read = reader.read_numbered(self.values[nth], readings);
        read.map_err(|source| Error::Sample { path: self.name.into(), source })
    }
}
