//! The range check of `restore`.

use rrd::{Snapshot, UNKNOWN};

/// Replaces every value outside of its source's limits by unknown.
pub fn forget_values_out_of_range(snapshot: &mut Snapshot) {
    let sources = &snapshot.definition.sources;
    for values in &mut snapshot.rows {
        for row in values.chunks_mut(sources.len().max(1)) {
            for (value, source) in row.iter_mut().zip(sources) {
                // A comparison with NaN, which is an absent limit, is false.
                if *value < source.minimum || *value > source.maximum {
                    *value = UNKNOWN;
                }
            }
        }
    }
}
