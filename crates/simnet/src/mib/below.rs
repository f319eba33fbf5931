//! The arcs of a name below a table: column and index.

use snmp::Oid;

/// As many as the longest index has, and one more.
const ARCS_MAX: usize = 6;

/// The first arcs of a name below another; longer names differ from all rows anyway.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Below {
    arcs: [u32; ARCS_MAX],
    length: usize,
}

impl Below {
    /// The arcs of `name` below `root`; `None` if it is not below it.
    pub(super) fn new(name: &Oid, root: &Oid) -> Option<Below> {
        let mut below = Below::default();
        for (place, arc) in below.arcs.iter_mut().zip(name.below(root)?) {
            *place = arc;
            below.length += 1;
        }
        Some(below)
    }

    /// The number of the column, and the arcs of the index.
    pub(super) fn split(&self) -> Option<(u32, &[u32])> {
        let (column, index) = self.arcs.get(..self.length)?.split_first()?;
        Some((*column, index))
    }
}
