//! The properties that all databases of a group share.

use rrd::{ConsolidationFunction, Definition, SourceKind};

/// The properties that all databases of a group share: step, kinds of sources, archives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LayoutKey(Vec<u64>);

impl LayoutKey {
    /// The key of a definition. `shared`: archives of one PDP are stored once for all their
    /// functions.
    #[must_use]
    pub fn of(definition: &Definition, shared: bool) -> Self {
        let tick = u64::from(definition.tick.per_second());
        let mut key = vec![u64::from(shared), tick, definition.step_seconds];
        key.push(definition.sources.len() as u64);
        key.extend(definition.sources.iter().map(|source| kind_code(source.kind)));
        for archive in &definition.archives {
            key.extend([function_code(archive.cf), archive.pdp_per_row, archive.rows]);
        }
        Self(key)
    }
}

/// Each function has a number of its own, and each percentile: what databases of a group keep of a
/// row in the making is laid out alike, but their rows are of one archive.
fn function_code(cf: ConsolidationFunction) -> u64 {
    let code = |cf| ConsolidationFunction::OF_FILES.iter().take_while(|each| **each != cf).count();
    match cf {
        ConsolidationFunction::Stdev => 10,
        ConsolidationFunction::Percentile(percent) => {
            11 + percent.map_or(0, |percent| u64::from(percent.millionths()) << 8)
        }
        cf => code(cf) as u64,
    }
}

fn kind_code(kind: SourceKind) -> u64 {
    let of_readings = SourceKind::OF_READINGS.iter();
    of_readings.take_while(|each| **each != kind).count() as u64
}
