//! The options for a new ring store, which several verbs share.

use options::{OwnRow, checked, switch};
use ring::{Pace, RingOptions};

/// The same bound as in `gyre run`: more rows do not fit in a page, and more steps make restarts
/// slow.
pub(crate) const PACE_MAX: u32 = 4000;

/// The values of a verb that has options for a ring store.
pub(crate) trait OfRing {
    fn ring(&mut self) -> &mut RingOptions;

    fn pace(&mut self) -> &mut Pace {
        &mut self.ring().pace
    }
}

pub(crate) const fn flush_cycles<T: OfRing>(help: &'static str) -> OwnRow<T> {
    checked("--flush-cycles", "C", help, |it: &mut T, value| {
        it.pace().flush_cycles = value.number_u32(1..=PACE_MAX)?;
        Ok(())
    })
}

pub(crate) const fn tile_rows<T: OfRing>(help: &'static str) -> OwnRow<T> {
    checked("--tile-rows", "K", help, |it: &mut T, value| {
        it.pace().tile_rows_max = value.number_u32(1..=PACE_MAX)?;
        Ok(())
    })
}

pub(crate) const fn sparse<T: OfRing>(help: &'static str) -> OwnRow<T> {
    switch("--sparse", help, |it: &mut T| it.ring().sparse = true)
}
