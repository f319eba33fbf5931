//! Samples taken one after the other, in whatever form they come.

use rrd::{Sample, SampleReader};
use store::Watch;
use store::{Error, Refused, Samples, Taken};

use super::RrdFile;

impl RrdFile {
    /// Takes samples until one is refused; `watch` sees each as it is taken.
    ///
    /// # Errors
    /// One is refused: [`Error::Sample`] for its text, or as [`RrdFile::append`] says.
    pub fn take(
        &mut self,
        samples: Samples<'_>,
        mut watch: Option<&mut Watch<'_>>,
    ) -> Result<(), Refused> {
        let own_reader = samples.own_reader(&self.header.definition);
        let own_reader = own_reader.map_err(|source| Refused::first(self.refused(source)))?;
        let in_order = || SampleReader::in_order(&self.header.definition);
        let reader = own_reader.unwrap_or_else(in_order);
        let mut readings = Vec::new();
        for nth in 0..samples.count() {
            let refused = |error| Refused { error, taken: nth };
            let time = match samples.read(nth, &reader, &mut readings) {
                Ok(time) => time,
                Err(source) => {
                    self.forgo_smoothing();
                    return Err(refused(self.refused(source)));
                }
            };
            let before = self.header.live.last_update;
            if samples.passes_over(time, || before) {
                continue;
            }
            self.append(&Sample { time, readings: &readings }).map_err(refused)?;
            if let Some(watch) = watch.as_deref_mut() {
                let Self { header, workspace, .. } = self;
                watch(&Taken::new(&header.definition, (before, time), workspace));
            }
        }
        Ok(())
    }

    fn refused(&self, source: rrd::sample::SampleError) -> Error {
        Error::Sample { path: self.path.clone(), source }
    }
}
