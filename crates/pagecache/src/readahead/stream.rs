//! One stream: the position of its reader, and how far ahead was asked for.

use std::ops::Range;

use crate::readahead::access::{Access, Direction, overlap};
use crate::readahead::parameters::Parameters;
use crate::readahead::request::{Purpose, Request};
use crate::readahead::runs::Found;
use crate::readahead::stride::Steps;
use crate::readahead::window::Window;

/// Reads of one stream may come this many reads too early or too late, as from several threads.
const OUT_OF_ORDER_READS: u64 = 16;

/// The units that a stream counts in so that it always goes upward: pages in its direction, or
/// steps.
#[derive(Clone, Debug)]
enum Course {
    Line(Direction),
    /// Step 0 begins at `origin_bytes`.
    Steps {
        origin_bytes: u64,
        steps: Steps,
        page_bytes: u64,
    },
}

impl Course {
    /// The units that a read covers; `None` if it does not belong to this course.
    fn units(&self, access: &Access) -> Option<Range<u64>> {
        match self {
            Self::Line(direction) => Some(direction.seen(&access.pages)),
            Self::Steps { origin_bytes, steps, .. } => {
                let distance = access.offset_bytes.wrapping_sub(*origin_bytes).cast_signed();
                let fits = access.bytes <= steps.bytes && distance % steps.step_bytes == 0;
                let nth = u64::try_from(distance / steps.step_bytes).ok().filter(|_| fits)?;
                Some(nth..nth + 1)
            }
        }
    }

    fn pages_of_unit(&self) -> u64 {
        match self {
            Self::Line(_) => 1,
            Self::Steps { steps, page_bytes, .. } => steps.bytes.div_ceil(*page_bytes),
        }
    }

    /// The pages of a step; `None` outside of the file.
    fn pages_of_step(&self, nth: u64, file_pages: u64) -> Option<Range<u64>> {
        let Self::Steps { origin_bytes, steps, page_bytes } = self else {
            unreachable!("a line has no steps")
        };
        let distance = i64::try_from(nth).ok()?.checked_mul(steps.step_bytes)?;
        let access =
            Access::new(origin_bytes.checked_add_signed(distance)?, steps.bytes, *page_bytes)?;
        let end = access.pages.end.min(file_pages);
        (access.pages.start < end).then_some(access.pages.start..end)
    }
}

/// One stream.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    course: Course,
    /// The unit where it began; earlier units do not belong to it.
    floor: u64,
    /// The position of its reader, in units.
    head: u64,
    /// The end of what was asked for, in units; never less than `head`.
    asked: u64,
    /// The pages of its largest read.
    read_pages: u64,
    window: Window,
    /// The number of its last read.
    pub(crate) touched: u64,
    /// The number of the read that made it.
    pub(crate) born: u64,
}

impl Stream {
    pub(crate) fn line(found: &Found, access: &Access) -> Self {
        let read = found.direction.seen(&found.pages);
        let fast = found.direction == Direction::Forward && found.pages.start == 0;
        Self::at(Course::Line(found.direction), read, fast, access)
    }

    pub(crate) fn steps(steps: Steps, access: &Access, page_bytes: u64) -> Self {
        let origin_bytes = access.offset_bytes;
        Self::at(Course::Steps { origin_bytes, steps, page_bytes }, 0..1, false, access)
    }

    fn at(course: Course, read: Range<u64>, fast: bool, access: &Access) -> Self {
        let (window, read_pages) = (Window::new(fast), access.count());
        let Range { start: floor, end: head } = read;
        Self { course, floor, head, asked: head, read_pages, window, touched: 0, born: 0 }
    }

    /// The distance between a read and the reader's position; `None` if the read does not belong to
    /// this stream.
    pub(crate) fn distance(&self, access: &Access) -> Option<u64> {
        let units = self.course.units(access)?;
        let slack = OUT_OF_ORDER_READS * (units.end - units.start);
        let earliest = self.floor.max(self.head.saturating_sub(slack));
        let ours = units.end > earliest && units.start <= self.asked + slack;
        ours.then_some(units.start.abs_diff(self.head))
    }

    /// Whether a run that was found ends in this stream, because its reads came too late. The
    /// stream then begins with that run.
    pub(crate) fn adopt(&mut self, found: &Found) -> bool {
        let Course::Line(direction) = self.course else { return false };
        let seen = direction.seen(&found.pages);
        let slack = OUT_OF_ORDER_READS * self.read_pages;
        let ours = direction == found.direction
            && seen.end + slack >= self.floor
            && seen.start < self.floor
            && seen.end <= self.asked;
        if ours {
            self.floor = seen.start;
        }
        ours
    }

    /// Takes a read that belongs to this stream.
    pub(crate) fn take(&mut self, access: &Access) {
        let Some(units) = self.course.units(access) else { return };
        self.window.used(self.used_by(access, &units));
        self.head = self.head.max(units.end);
        self.asked = self.asked.max(self.head);
        self.read_pages = self.read_pages.max(access.count());
    }

    /// The pages that a read uses; a page that the previous read used in part is not counted again.
    fn used_by(&self, access: &Access, units: &Range<u64>) -> u64 {
        match &self.course {
            Course::Line(_) if units.start < self.head && self.head < units.end => {
                units.end - self.head
            }
            _ => access.count(),
        }
    }

    /// Pages that were asked for and not read yet.
    pub(crate) fn outstanding(&self) -> u64 {
        (self.asked - self.head) * self.course.pages_of_unit()
    }

    /// Records that none of the last requests was executed.
    pub(crate) fn unasked(&mut self) {
        self.window.lost(self.outstanding());
        self.asked = self.head;
    }

    pub(crate) fn is_steps(&self) -> bool {
        matches!(self.course, Course::Steps { .. })
    }

    pub(crate) fn is_forward(&self) -> bool {
        matches!(self.course, Course::Line(Direction::Forward))
    }

    /// Whether its reader has reached the end of the file.
    pub(crate) fn has_ended(&self, file_pages: u64) -> bool {
        match &self.course {
            Course::Line(direction) => self.head >= direction.limit(file_pages),
            Course::Steps { .. } => self.course.pages_of_step(self.head, file_pages).is_none(),
        }
    }

    pub(crate) fn is_barren(&self) -> bool {
        self.window.is_barren()
    }

    /// Adds the requests to make now; returns whether it asked for more pages.
    pub(crate) fn ask(
        &mut self,
        file_pages: u64,
        cap: u64,
        by: &Parameters,
        requests: &mut Vec<Request>,
    ) -> bool {
        if !self.window.past_mark(self.outstanding()) {
            return false;
        }
        let (old, pages_of_unit) = (self.asked, self.course.pages_of_unit());
        let pages = self.window.ask(self.outstanding(), self.read_pages, cap, by);
        let wanted = self.head.max(old)..old + pages / pages_of_unit;
        let pieces = self.pieces(wanted.clone(), file_pages);
        let Some(last) = pieces.last().cloned() else { return false };
        self.asked = wanted.end.min(self.limit(file_pages)).max(old);
        if self.window.is_silent(by) {
            requests.push(Request { purpose: Purpose::Probe, pages: last.end - 1..last.end });
            return true;
        }
        if let Some(soon) = self.pieces(self.head..old, file_pages).into_iter().next() {
            requests.push(Request { purpose: Purpose::Check, pages: soon });
        }
        self.window.asked(pieces.iter().map(|piece| piece.end - piece.start).sum(), by);
        requests.extend(pieces.into_iter().map(|pages| Request { purpose: Purpose::Ahead, pages }));
        true
    }

    fn limit(&self, file_pages: u64) -> u64 {
        match &self.course {
            Course::Line(direction) => direction.limit(file_pages),
            Course::Steps { .. } => u64::MAX,
        }
    }

    /// The stretches of the file for a range of units, without parts outside of the file.
    fn pieces(&self, units: Range<u64>, file_pages: u64) -> Vec<Range<u64>> {
        match &self.course {
            Course::Line(direction) => {
                let end = units.end.min(direction.limit(file_pages));
                if units.start >= end {
                    return Vec::new();
                }
                let mut pages = direction.seen(&(units.start..end));
                pages.end = pages.end.min(file_pages);
                if pages.is_empty() { Vec::new() } else { vec![pages] }
            }
            Course::Steps { .. } => {
                units.map_while(|nth| self.course.pages_of_step(nth, file_pages)).collect()
            }
        }
    }

    /// The first unit that was asked for and touches these pages.
    fn outstanding_in(&self, pages: &Range<u64>) -> Option<u64> {
        match &self.course {
            Course::Line(direction) => {
                let seen = direction.seen(pages);
                overlap(&seen, &(self.head..self.asked)).then_some(seen.start.max(self.head))
            }
            Course::Steps { .. } => (self.head..self.asked).find(|nth| {
                let step = self.course.pages_of_step(*nth, u64::MAX);
                step.is_some_and(|step| overlap(&step, pages))
            }),
        }
    }

    /// Records that pages which it waits for were in memory already.
    pub(crate) fn resident(&mut self, pages: &Range<u64>) -> bool {
        let ours = self.outstanding_in(pages).is_some();
        if ours {
            self.window.resident(pages.end - pages.start);
        }
        ours
    }

    /// Records that pages which it waits for were evicted, so that they are asked for again.
    /// Returns how many pages waited.
    pub(crate) fn lost(&mut self, pages: &Range<u64>, again_from_head: bool) -> Option<u64> {
        let first = self.outstanding_in(pages)?;
        let (waited, again) = (self.outstanding(), if again_from_head { self.head } else { first });
        self.window.lost((self.asked - again) * self.course.pages_of_unit());
        self.asked = again;
        Some(waited)
    }
}
