//! The updates of one file over all time: which slot each archive writes at which update, before
//! and after the present.

use super::schedule::{Moment, Part, Region, Schedule, Step, slots_on};
use crate::trace::Shape;

/// A file with given positions of its rings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life<'a> {
    pub(super) shape: &'a Shape,
    pub(super) schedule: &'a Schedule,
    /// Row number `n` of an archive, counted since the epoch, is in slot `n + offset` of its ring.
    pub(super) offsets: &'a [u64],
}

impl Life<'_> {
    /// The last time before a moment when a region was touched. There always is one, because
    /// updates have no beginning.
    pub(super) fn last_touch(&self, region: Region, before: Moment) -> Moment {
        let steps = self.schedule.steps.iter().enumerate();
        let touches =
            steps.filter_map(|(step, what)| self.last_of_step(region, before, step, *what));
        touches.max().expect("something touches each page that is asked for")
    }

    fn last_of_step(
        &self,
        region: Region,
        before: Moment,
        step: usize,
        what: Step,
    ) -> Option<Moment> {
        match (region, what) {
            (Region::Inode, Step::Inode) => {
                let place = Schedule::place(step, Part::Data);
                Some(Moment { update: last_update(before, place), place })
            }
            (Region::Pages { first, last, part }, Step::Page(page)) => {
                let place = Schedule::place(step, part);
                let update = last_update(before, place);
                (first..=last).contains(&page).then_some(Moment { update, place })
            }
            (Region::Pages { first, last, part }, Step::Row(archive)) => {
                let place = Schedule::place(step, part);
                let ring = &self.shape.rings()[archive];
                let (low, high) = slots_on(self.shape, ring, first, last)?;
                let row = last_update(before, place) / ring.pdp_per_row;
                let slot = (row + self.offsets[archive]) % ring.rows;
                let is_there = (low..=high).contains(&slot);
                let back = if is_there { 0 } else { (slot + ring.rows - high) % ring.rows };
                Some(Moment { update: (row - back) * ring.pdp_per_row, place })
            }
            _ => None,
        }
    }

    /// The pages that an archive touches with the rows `from` to `to`: at most two ranges.
    pub(super) fn pages_of_rows(
        &self,
        archive: usize,
        from: u64,
        to: u64,
        mut range: impl FnMut(u32, u32),
    ) {
        let ring = &self.shape.rings()[archive];
        let count = (to + 1 - from).min(ring.rows);
        let first = (to + 1 - count + self.offsets[archive]) % ring.rows;
        let before_wrap = count.min(ring.rows - first);
        let (low, high) = self.shape.pages_of_rows(ring, first, before_wrap);
        range(low, high);
        if count > before_wrap {
            let (low, high) = self.shape.pages_of_rows(ring, 0, count - before_wrap);
            range(low, high);
        }
    }
}

/// The last update whose step `place` is before a moment.
fn last_update(before: Moment, place: u32) -> u64 {
    if place < before.place { before.update } else { before.update - 1 }
}
