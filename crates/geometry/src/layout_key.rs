//! The properties that all databases of a group share.

use rrd::{Definition, SourceKind};

/// The properties that all databases of a group share: step, kinds of sources, archives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LayoutKey(Vec<u64>);

impl LayoutKey {
    /// The key of a definition. `shared`: archives of one PDP are stored once for all their
    /// functions.
    #[must_use]
    pub fn of(definition: &Definition, shared: bool) -> Self {
        let mut key = vec![u64::from(shared), definition.step_seconds];
        key.push(definition.sources.len() as u64);
        key.extend(definition.sources.iter().map(|source| kind_code(source.kind)));
        for archive in &definition.archives {
            key.extend([archive.cf as u64, archive.pdp_per_row, archive.rows]);
        }
        Self(key)
    }
}

fn kind_code(kind: SourceKind) -> u64 {
    let of_readings = SourceKind::OF_READINGS.iter();
    of_readings.take_while(|each| **each != kind).count() as u64
}
