//! The sources of a database, and the rings that its archives go to.

use rrd::Definition;

use crate::selection::{FUNCTIONS, Selection};
use crate::{Cells, Ring};

/// What databases of the same sources and archives have in common. Kept in `gyre_layout` as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// Seconds of a step.
    pub step_seconds: u64,
    /// The data sources, each a series.
    pub sources: Vec<Source>,
    /// The rings, those of the shortest rows first.
    pub rings: Vec<FedRing>,
}

/// A data source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// Its type, such as `COUNTER`.
    pub kind: String,
}

/// A ring, and the archives whose rows it takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FedRing {
    /// The ring.
    pub ring: Ring,
    /// For each of [`FUNCTIONS`] the position of its archive in the definition.
    pub archives: [Option<usize>; 4],
}

/// The text of a layout is not one.
#[derive(Debug, thiserror::Error)]
#[error("expected the layout of a database as JSON: {0}")]
pub struct LayoutError(#[from] serde_json::Error);

impl Layout {
    /// The layout of a definition; no ring if none of its archives is selected, or if it counts
    /// shorter ticks than seconds. Of two archives with the same function and ring, the first
    /// counts.
    #[must_use]
    pub fn of(definition: &Definition, selection: &Selection) -> Self {
        let step_seconds = definition.step_seconds;
        let sources = definition
            .sources
            .iter()
            .map(|source| Source { name: source.name.clone(), kind: source.kind.to_string() });
        let mut rings: Vec<FedRing> = Vec::new();
        for (nth, archive) in definition.archives.iter().enumerate() {
            let row_seconds = archive.row_seconds(step_seconds);
            let Some(column) = FUNCTIONS.iter().position(|function| *function == archive.cf) else {
                continue;
            };
            // Tables count whole seconds.
            if !definition.tick.is_second() || !selection.has(archive.cf, row_seconds) {
                continue;
            }
            let ring = Ring { row_seconds, slots: archive.rows };
            let found = rings.iter().position(|fed| fed.ring == ring).unwrap_or_else(|| {
                rings.push(FedRing { ring, archives: Cells::default() });
                rings.len() - 1
            });
            rings[found].archives[column].get_or_insert(nth);
        }
        rings.sort_by_key(|fed| fed.ring);
        Self { step_seconds, sources: sources.collect(), rings }
    }

    /// The rows that its databases add to tables in a second, each.
    #[must_use]
    pub fn rows_per_second(&self) -> f64 {
        let lengths = self.rings.iter().map(|fed| 1.0 / fed.ring.row_seconds as f64);
        self.sources.len() as f64 * lengths.sum::<f64>()
    }

    /// The rows that its databases have in tables once all rings are full, each.
    #[must_use]
    pub fn rows_when_full(&self) -> u64 {
        let slots = self.rings.iter().map(|fed| fed.ring.slots);
        slots.sum::<u64>().saturating_mul(self.sources.len() as u64)
    }

    /// Its text.
    ///
    /// # Panics
    /// Never: all its fields have a text.
    #[must_use]
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("all fields have a text")
    }

    /// The layout of a text.
    ///
    /// # Errors
    /// It is not one.
    pub fn from_text(text: &str) -> Result<Self, LayoutError> {
        Ok(serde_json::from_str(text)?)
    }
}

#[cfg(test)]
mod tests {
    use super::{FedRing, Layout};
    use crate::{Ring, Selection};
    use rrd::ConsolidationFunction::Max;
    use rrd::Definition;

    fn definition() -> Definition {
        let specs = [
            "DS:in:COUNTER:600:0:U",
            "DS:out:COUNTER:600:0:U",
            "RRA:AVERAGE:0.5:6:700",
            "RRA:MAX:0.5:6:700",
            "RRA:AVERAGE:0.5:1:600",
            "RRA:MAX:0.5:1:500",
            "RRA:AVERAGE:0:1:600",
            "RRA:HWPREDICT:1440:0.1:0.0035:288",
        ];
        rrd::spec::definition(300, specs).unwrap()
    }

    #[test]
    fn archives_of_one_length_share_a_ring() {
        let layout = Layout::of(&definition(), &Selection::all());
        let ring = |row_seconds, slots| Ring { row_seconds, slots };
        let expected = [
            FedRing { ring: ring(300, 500), archives: [None, None, Some(3), None] },
            FedRing { ring: ring(300, 600), archives: [Some(2), None, None, None] },
            FedRing { ring: ring(1800, 700), archives: [Some(0), None, Some(1), None] },
        ];
        assert_eq!(layout.rings, expected);
        assert_eq!(layout.rows_when_full(), 2 * (500 + 600 + 700));
        assert_eq!(Layout::from_text(&layout.to_text()).unwrap(), layout);
    }

    #[test]
    fn a_selection_leaves_archives_out() {
        let selection =
            Selection { functions: vec![Max], row_seconds: vec![1800], ..Selection::all() };
        let layout = Layout::of(&definition(), &selection);
        assert_eq!(layout.rings.len(), 1);
        assert_eq!(layout.rings[0].archives, [None, None, Some(1), None]);
    }
}
