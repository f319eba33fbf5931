//! Detects sequential streams: forward and backward, several at once, out of order.
//!
//! The last reads that belong to no stream are kept as *runs*: stretches without a gap that grow at
//! either end and merge. A run of enough reads becomes a stream, in the direction in which it grew.
//! If more than one page may be read for each page used, a run may have gaps, and needs more reads.

use std::ops::Range;

use crate::readahead::access::{Access, Direction};
use crate::readahead::parameters::Parameters;

/// The most runs that are kept: this many streams can begin at the same time, and other reads in
/// between delay them by as much.
const RUNS: usize = 32;
/// Reads that make a stream: at the beginning of a file, elsewhere, and with gaps.
const READS_AT_START: u32 = 2;
const READS: u32 = 4;
const READS_WITH_HOLES: u32 = 6;

#[derive(Clone, Debug)]
struct Run {
    pages: Range<u64>,
    /// Pages that were read; a page read twice counts twice.
    used: u64,
    reads: u32,
    /// How often it grew upward, minus how often it grew downward.
    upward: i32,
    begun: u64,
    touched: u64,
}

/// A stretch that is being read sequentially.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) pages: Range<u64>,
    pub(crate) direction: Direction,
}

/// Runs of reads that may become streams.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    runs: Vec<Run>,
    reads: u64,
}

impl Runs {
    /// Takes a read; returns the run if it becomes a stream. A stream needs `doubts` more reads
    /// than usual, which is the number of wrong guesses.
    pub(crate) fn take(&mut self, access: &Access, doubts: u32, by: &Parameters) -> Option<Found> {
        self.reads += 1;
        let reach = (by.readahead_hit_rate - 1) * 2 * access.count();
        let Some(nth) = self.runs.iter().position(|run| run.reaches(&access.pages, reach)) else {
            self.begin(access);
            return None;
        };
        self.runs[nth].extend(access, self.reads);
        let nth = self.melt(nth, reach);
        let run = &self.runs[nth];
        let found = run.as_stream(doubts, by.readahead_hit_rate)?;
        self.runs.swap_remove(nth);
        Some(found)
    }

    /// How many more reads a stream needs, because random reads would often hit next to a recent
    /// read: the recent reads are close to a large part of the file.
    pub(crate) fn reads_by_chance(&self, access: &Access, file_pages: u64) -> u32 {
        let others = self.runs.len().saturating_sub(1) as u64;
        let beside = 2 * others * access.count();
        match () {
            () if 2 * beside >= file_pages => 4,
            () if 16 * beside >= file_pages => 2,
            () => 0,
        }
    }

    fn begin(&mut self, access: &Access) {
        let (pages, now) = (access.pages.clone(), self.reads);
        let used = access.count();
        let run = Run { pages, used, reads: 1, upward: 0, begun: now, touched: now };
        if self.runs.len() < RUNS {
            self.runs.push(run);
            return;
        }
        let oldest = self.runs.iter_mut().min_by_key(|run| run.touched);
        *oldest.expect("there are runs") = run;
    }

    /// Merges a run with a run that it now reaches; returns the position of the result.
    fn melt(&mut self, nth: usize, reach: u64) -> usize {
        let grown = &self.runs[nth];
        let mut others = self.runs.iter().enumerate().filter(|(other, _)| *other != nth);
        let Some((other, _)) = others.find(|(_, run)| run.reaches(&grown.pages, reach)) else {
            return nth;
        };
        let joined = self.runs[other].clone();
        self.runs[nth].join(&joined);
        self.runs.swap_remove(other);
        if nth == self.runs.len() { other } else { nth }
    }
}

impl Run {
    fn reaches(&self, pages: &Range<u64>, reach: u64) -> bool {
        pages.start <= self.pages.end + reach && self.pages.start <= pages.end + reach
    }

    fn extend(&mut self, access: &Access, now: u64) {
        self.touched = now;
        let (up, down) = (access.pages.end > self.pages.end, access.pages.start < self.pages.start);
        if !up && !down {
            return; // reading the same pages again shows no direction
        }
        self.reads += 1;
        self.used += access.count();
        self.upward += i32::from(up) - i32::from(down);
        self.cover(&access.pages);
    }

    /// Merges with another run. Its direction is towards the run that began later.
    fn join(&mut self, other: &Self) {
        let other_above = other.pages.start > self.pages.start;
        let upward = other_above == (other.begun > self.begun);
        self.upward += other.upward + if upward { 1 } else { -1 };
        self.begun = self.begun.min(other.begun);
        self.reads += other.reads;
        self.used += other.used;
        self.cover(&other.pages);
    }

    fn cover(&mut self, pages: &Range<u64>) {
        self.pages = self.pages.start.min(pages.start)..self.pages.end.max(pages.end);
    }

    fn as_stream(&self, doubts: u32, hit_rate: u64) -> Option<Found> {
        let span = self.pages.end - self.pages.start;
        let needed = match (span <= self.used, self.pages.start) {
            (true, 0) => READS_AT_START,
            (true, _) => READS,
            (false, _) => READS_WITH_HOLES,
        };
        let dense = span <= self.used * hit_rate;
        // A reader that reads a sequence out of order extends it at both ends, but more often at
        // one of them.
        let decided = self.upward.unsigned_abs() * 3 >= self.reads;
        let direction = if self.upward > 0 { Direction::Forward } else { Direction::Backward };
        let ended = direction == Direction::Backward && self.pages.start == 0;
        if self.reads < needed + doubts || !dense || !decided || ended {
            return None;
        }
        Some(Found { pages: self.pages.clone(), direction })
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, Found, Runs};
    use crate::readahead::access::Access;
    use crate::readahead::parameters::Parameters;

    fn found(pages: &[u64], by: &Parameters) -> Option<Found> {
        let mut runs = Runs::default();
        let access = |page: &u64| Access::new(page * 4096, 4096, 4096).unwrap();
        pages.iter().filter_map(|page| runs.take(&access(page), 0, by)).last()
    }

    #[test]
    fn four_reads_make_a_stream_and_two_at_the_start() {
        let plain = Parameters::default();
        let forward = |pages| Some(Found { pages, direction: Direction::Forward });
        assert_eq!(found(&[7, 8, 9], &plain), None);
        assert_eq!(found(&[7, 8, 9, 10], &plain), forward(7..11));
        assert_eq!(found(&[0, 1], &plain), forward(0..2));
        assert_eq!(found(&[7, 500, 8, 900, 9, 10], &plain), forward(7..11));
        let backward = Some(Found { pages: 7..11, direction: Direction::Backward });
        assert_eq!(found(&[10, 9, 8, 7], &plain), backward);
    }

    #[test]
    fn what_is_read_out_of_order_melts_together() {
        let plain = Parameters::default();
        let found = found(&[11, 10, 12, 14, 13], &plain).unwrap();
        assert_eq!(found.direction, Direction::Forward);
    }

    #[test]
    fn holes_are_read_over_only_where_they_may_be() {
        let skimmed = [100, 102, 103, 106, 108, 110];
        assert_eq!(found(&skimmed, &Parameters::default()), None);
        let generous = Parameters { readahead_hit_rate: 3, ..Parameters::default() };
        assert_eq!(found(&skimmed, &generous).unwrap().pages, 100..111);
    }
}
