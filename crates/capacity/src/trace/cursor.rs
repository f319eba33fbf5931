//! The state of one file: the time of its last update, and the newest row of each archive.

use super::{Shape, Touch};

/// The state of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    last_seconds: u64,
    newest_rows: Vec<u64>,
}

impl Cursor {
    /// A file with this last update, in seconds after the epoch, and with these slots written last.
    ///
    /// # Panics
    ///
    /// If there is not one slot for each archive, or an archive has no such slot.
    #[must_use]
    pub fn new(shape: &Shape, last_seconds: u64, newest_rows: Vec<u64>) -> Self {
        assert!(newest_rows.len() == shape.archives());
        assert!(newest_rows.iter().zip(shape.rings()).all(|(row, ring)| *row < ring.rows));
        Self { last_seconds, newest_rows }
    }

    /// The time of the last update, in seconds since the epoch.
    #[must_use]
    pub fn last_seconds(&self) -> u64 {
        self.last_seconds
    }

    /// The slot of each archive that was written last.
    #[must_use]
    pub fn newest_rows(&self) -> &[u64] {
        &self.newest_rows
    }

    /// Makes an update; `touch` gets every page in the order in which it is read or written.
    ///
    /// # Panics
    ///
    /// If time does not advance, or the cursor belongs to another shape.
    pub fn update(&mut self, shape: &Shape, now_seconds: u64, mut touch: impl FnMut(Touch)) {
        assert!(now_seconds > self.last_seconds);
        let stretch = Stretch::between(self.last_seconds, now_seconds, shape.step_seconds());
        take(shape, &stretch, &mut self.newest_rows, &mut touch);
        self.last_seconds = now_seconds;
    }
}

/// Steps that ended between two updates, counted since the epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    from_pdp: u64,
    to_pdp: u64,
    /// Whether the first of several steps was already in progress. It is then handled separately,
    /// and a ring that wraps completely still advances by its row.
    has_open_step: bool,
}

impl Stretch {
    pub(super) fn between(last_seconds: u64, now_seconds: u64, step_seconds: u64) -> Self {
        let (from_pdp, to_pdp) = (last_seconds / step_seconds, now_seconds / step_seconds);
        let has_open_step = to_pdp - from_pdp > 1 && !last_seconds.is_multiple_of(step_seconds);
        Self { from_pdp, to_pdp, has_open_step }
    }

    /// How many rows of an archive became final.
    #[inline]
    fn final_rows(&self, pdp_per_row: u64, ring_rows: u64) -> u64 {
        if self.to_pdp == self.from_pdp + 1 {
            return u64::from(self.to_pdp.is_multiple_of(pdp_per_row));
        }
        let split = if self.has_open_step { self.from_pdp + 1 } else { self.from_pdp };
        let of_open_step = split / pdp_per_row - self.from_pdp / pdp_per_row;
        of_open_step + (self.to_pdp / pdp_per_row - split / pdp_per_row).min(ring_rows)
    }
}

/// The pages of one update; advances the newest rows.
#[inline]
pub(super) fn take(
    shape: &Shape,
    stretch: &Stretch,
    newest_rows: &mut [u64],
    touch: &mut impl FnMut(Touch),
) {
    shape.touch_head(touch);
    for (ring, newest) in shape.rings().iter().zip(newest_rows) {
        let count = stretch.final_rows(ring.pdp_per_row, ring.rows);
        if count == 0 {
            continue;
        }
        let first = if *newest + 1 == ring.rows { 0 } else { *newest + 1 };
        let written = count.min(ring.rows);
        let before_wrap = written.min(ring.rows - first);
        touch_rows(shape, shape.pages_of_rows(ring, first, before_wrap), touch);
        if written > before_wrap {
            touch_rows(shape, shape.pages_of_rows(ring, 0, written - before_wrap), touch);
        }
        *newest = (first + count - 1) % ring.rows;
    }
    shape.touch_live(touch);
}

fn touch_rows(shape: &Shape, (first, last): (u32, u32), touch: &mut impl FnMut(Touch)) {
    for page in first..=last {
        shape.touch_data(Touch::write(page), touch);
    }
}
