//! The rings of SEASONAL and DEVSEASONAL archives: an update reads them, and smooths them now and
//! then.

use rrd::SeasonalRing;
use rrdfile::layout::RowIndex;
use rrdfile::{Header, values};
use store::Error;

use super::RrdFile;

/// Whether the next commit smooths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Smoothing {
    NotDue,
    Due,
    /// A sample was refused: as in rrdtool, the whole command then smooths nothing.
    Forgone,
}

impl Smoothing {
    pub(super) fn note(&mut self, taken: bool, due: bool) {
        match (taken, due) {
            (false, _) => *self = Self::Forgone,
            (true, true) if *self == Self::NotDue => *self = Self::Due,
            (true, _) => {}
        }
    }
}

impl RrdFile {
    /// Lets the next commit smooth nothing: an argument of the command was refused before it became
    /// a sample.
    pub fn forgo_smoothing(&mut self) {
        self.smoothing = Smoothing::Forgone;
    }

    /// Reads the rings that updates need.
    pub(crate) fn read_seasons(&mut self) -> Result<(), Error> {
        self.smoothing = Smoothing::NotDue;
        let mut rings = std::mem::take(&mut self.header.live.forecast.rings);
        rings.clear();
        let Header { definition, layout, newest_rows, .. } = &self.header;
        for (archive, each) in definition.archives.iter().enumerate() {
            if !each.cf.is_seasonal() {
                continue;
            }
            let mut bytes = vec![0; (layout.rows(archive) * layout.row_bytes()) as usize];
            self.rows().read_exactly(&mut bytes, layout.row_offset(archive, RowIndex(0)))?;
            let values = values(&bytes).collect();
            rings.push(SeasonalRing { archive, newest_slot: newest_rows[archive].0, values });
        }
        self.header.live.forecast.rings = rings;
        Ok(())
    }

    /// Smooths the seasons if that is due: where a command ends.
    ///
    /// # Errors
    /// [`Error::Update`]: one cannot be smoothed.
    pub(crate) fn smooth_seasons(&mut self) -> Result<(), Error> {
        if std::mem::replace(&mut self.smoothing, Smoothing::NotDue) != Smoothing::Due {
            return Ok(());
        }
        let Header { definition, live, layout, .. } = &mut self.header;
        let smoothed = rrd::update::smooth(definition, live, |ring| {
            self.gathered.push_ring(ring.archive, &ring.values, layout.rows(ring.archive));
        });
        smoothed.map_err(|source| Error::Update { path: self.path.clone(), source })
    }
}
