//! The reference's analytical model, as it is printed.
//!
//! One database, pages of S bytes, B bytes for one row, so that u = S / B updates fill a page. The
//! archives have the lengths x1 < x2 < ... < xn, in primary data points, with c1, c2, ... cn
//! archives of each. Of the p pages that the file may have, one is the header's:
//!
//! ```text
//!   s   so that  c1 + ... + cs  <=  p - 1  <  c1 + ... + c(s+1)
//!   t = min(u T, xs T)                  d = p - (c1 + ... + cs)
//!   m = d (1/x1 + ... + 1/xn)           r = m / t
//! ```
//!
//! Two cases are left open in print, and are defined here so that the curve can be drawn:
//!
//! * **s = 0**: not even the shortest archives fit, and there is no x0. They fault at each of their
//!   own updates, so the time to a fault is that of s = 1: t = min(u T, x1 T).
//! * **s = n**: everything fits, and there is no c(n+1): no upper bound is asked. The printed d
//!   would grow with every further page and more memory would mean more faults. What is left are
//!   rows that enter a new page, every u rows of each archive, so d is what makes r their rate,
//!   (c1/x1 + ... + cn/xn) / (u T): the mean of the c, weighted by 1/x. For equal c it is c.
//!
//! With s = n, t is u T: nothing but a new page faults, though xn T may be shorter.

use rrd::Definition;

/// The reference's analytical model of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Printed {
    /// Consolidation lengths in primary data points, ascending, and the number of archives with
    /// each.
    lengths: Vec<(u64, u64)>,
    /// The number of updates that fill a page.
    updates_per_page: f64,
    step_seconds: f64,
}

impl Printed {
    /// The model for files of a definition; its archives are assumed to begin at page boundaries.
    ///
    /// # Panics
    ///
    /// If it has no source or archive.
    #[must_use]
    pub fn new(definition: &Definition, page_bytes: u64) -> Self {
        assert!(!definition.sources.is_empty() && !definition.archives.is_empty());
        let mut lengths: Vec<(u64, u64)> = Vec::new();
        let mut of_archives: Vec<u64> =
            definition.archives.iter().map(|archive| archive.pdp_per_row).collect();
        of_archives.sort_unstable();
        for length in of_archives {
            match lengths.last_mut() {
                Some((last, count)) if *last == length => *count += 1,
                _ => lengths.push((length, 1)),
            }
        }
        let row_bytes = definition.sources.len() as f64 * 8.0;
        Self {
            lengths,
            updates_per_page: page_bytes as f64 / row_bytes,
            step_seconds: definition.step_seconds as f64,
        }
    }

    /// Page-ins a second of a file that has `pages` of the page cache, not counting its inode and
    /// indirect blocks.
    ///
    /// # Panics
    ///
    /// If there is no page.
    #[must_use]
    pub fn page_ins_per_second(&self, pages: u64) -> f64 {
        assert!(pages > 0);
        let (fitting_lengths, fitting_archives) = self.fitting(pages - 1);
        let frequency: f64 = self.lengths.iter().map(|(length, _)| 1.0 / *length as f64).sum();
        let fill_seconds = self.updates_per_page * self.step_seconds;
        if fitting_lengths == self.lengths.len() {
            return self.rows_per_pdp() / fill_seconds;
        }
        let (length, _) = self.lengths[fitting_lengths.saturating_sub(1)];
        let seconds = fill_seconds.min(length as f64 * self.step_seconds);
        (pages - fitting_archives) as f64 * frequency / seconds
    }

    /// Page-ins for each update.
    ///
    /// # Panics
    ///
    /// If there is no page.
    #[must_use]
    pub fn page_ins_per_update(&self, pages: u64) -> f64 {
        self.page_ins_per_second(pages) * self.step_seconds
    }

    /// s and c1 + ... + cs.
    fn fitting(&self, pages: u64) -> (usize, u64) {
        let mut fitting = (0, 0);
        for (_, count) in &self.lengths {
            if fitting.1 + count > pages {
                break;
            }
            fitting = (fitting.0 + 1, fitting.1 + count);
        }
        fitting
    }

    fn rows_per_pdp(&self) -> f64 {
        self.lengths.iter().map(|(length, count)| *count as f64 / *length as f64).sum()
    }
}
