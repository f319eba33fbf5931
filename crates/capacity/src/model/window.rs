//! Counts the different pages that one file touches between two moments.

use super::life::Life;
use super::schedule::{Moment, Part, Schedule, Step};
use crate::trace::Shape;

/// Reused buffers for counting.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    data: Vec<(u32, u32)>,
    behind_indirect: Vec<(u32, u32)>,
    indirect: Vec<u32>,
}

impl Window {
    /// The number of different pages that a file touches after one moment and before another.
    pub(super) fn pages(&mut self, life: &Life<'_>, after: Moment, before: Moment) -> u64 {
        self.data.clear();
        self.behind_indirect.clear();
        let mut inodes = 0;
        for (step, what) in life.schedule.steps.iter().enumerate() {
            if *what == Step::Inode {
                let place = Schedule::place(step, Part::Data);
                inodes = u64::from(updates(after, before, place).is_some());
                continue;
            }
            collect(life, (step, *what, Part::Data), (after, before), &mut self.data);
            if life.shape.has_indirect_blocks() {
                let of_step = (step, *what, Part::Indirect);
                collect(life, of_step, (after, before), &mut self.behind_indirect);
            }
        }
        let data: u64 = merged(&mut self.data).map(|(low, high)| u64::from(high - low) + 1).sum();
        inodes + data + self.indirect_blocks(life.shape)
    }

    fn indirect_blocks(&mut self, shape: &Shape) -> u64 {
        self.indirect.clear();
        for (low, high) in merged(&mut self.behind_indirect) {
            let mut page = low;
            while page <= high {
                self.indirect.extend(shape.indirect_blocks(page).blocks());
                page = shape.next_indirect_block(page);
            }
        }
        self.indirect.sort_unstable();
        self.indirect.dedup();
        self.indirect.len() as u64
    }
}

/// The pages of one step in all updates between two moments.
fn collect(
    life: &Life<'_>,
    (step, what, part): (usize, Step, Part),
    (after, before): (Moment, Moment),
    ranges: &mut Vec<(u32, u32)>,
) {
    let Some((first, last)) = updates(after, before, Schedule::place(step, part)) else { return };
    match what {
        Step::Inode => {}
        Step::Page(page) => ranges.push((page, page)),
        Step::Row(archive) => {
            let length = life.shape.rings()[archive].pdp_per_row;
            let (from, to) = ((first - 1) / length + 1, last / length);
            if from <= to {
                life.pages_of_rows(archive, from, to, |low, high| ranges.push((low, high)));
            }
        }
    }
}

/// The first and last update whose step `place` is between two moments.
fn updates(after: Moment, before: Moment, place: u32) -> Option<(u64, u64)> {
    let first = after.update + u64::from(place <= after.place);
    let last = before.update - u64::from(place >= before.place);
    (first <= last).then_some((first, last))
}

/// Ranges without overlaps, ascending.
fn merged(ranges: &mut Vec<(u32, u32)>) -> impl Iterator<Item = (u32, u32)> {
    ranges.sort_unstable();
    ranges.dedup_by(|next, kept| {
        let joins = next.0 <= kept.1.saturating_add(1);
        if joins {
            kept.1 = kept.1.max(next.1);
        }
        joins
    });
    ranges.iter().copied()
}
