//! LRU, exactly: every kind of page reference with the distribution of its stack distance.
//!
//! A reference misses in an LRU cache of C pages if and only if C different pages or more were
//! touched since its page was touched last. For a layout, both can be calculated: the last touch of
//! a page follows from the positions of the rings, and the pages touched since follow from how far
//! each ring has advanced. So the rate of page-ins is a mean over positions and time, and both are
//! sampled evenly. No update stream is simulated, and a year costs as much as a day.

use super::sample::{DAY_SECONDS, Precision, Sample};
use super::sampler::Sampler;
use super::schedule::Schedule;
use crate::trace::Group;

/// The stack distances of all references of a fleet.
#[derive(Clone, Debug)]
pub struct Reuse {
    samples: Vec<Sample>,
    /// The number of files of each group.
    files: Vec<u32>,
}

/// Page-ins of one file a day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageIns {
    /// Page-ins of its data pages.
    pub data: f64,
    /// Page-ins of its inode and indirect blocks.
    pub metadata: f64,
}

impl PageIns {
    /// The sum of both.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.data + self.metadata
    }
}

impl Reuse {
    /// The stack distances of files that share one cache and are polled group by group in order;
    /// their rings have random positions.
    #[must_use]
    pub fn new(groups: &[Group], precision: Precision) -> Self {
        let schedules: Vec<_> = groups.iter().map(|group| Schedule::new(&group.shape)).collect();
        let mut samples = Vec::new();
        for group in 0..groups.len() {
            let mut sampler = Sampler::new(groups, &schedules, group);
            sampler.take_all(precision, &mut samples);
        }
        Self { samples, files: groups.iter().map(|group| group.files).collect() }
    }

    /// Page-ins a day of one file of a group, if all files share `capacity_pages`.
    #[must_use]
    pub fn page_ins_per_day(&self, group: usize, capacity_pages: u64) -> PageIns {
        let mut page_ins = PageIns::default();
        for sample in self.samples.iter().filter(|sample| sample.group == group) {
            let rate = sample.per_day * sample.missing(capacity_pages);
            if sample.is_metadata {
                page_ins.metadata += rate;
            } else {
                page_ins.data += rate;
            }
        }
        page_ins
    }

    /// Page-ins a second of all files together.
    #[must_use]
    pub fn page_ins_per_second(&self, capacity_pages: u64) -> f64 {
        let of_group = |(group, files): (usize, &u32)| {
            f64::from(*files) * self.page_ins_per_day(group, capacity_pages).total()
        };
        self.files.iter().enumerate().map(of_group).sum::<f64>() / DAY_SECONDS
    }

    /// The smallest cache for all files with at most `page_ins_per_day` for each file of a group;
    /// `None` if even `pages_max` are too few.
    #[must_use]
    pub fn pages_for(&self, group: usize, page_ins_per_day: f64, pages_max: u64) -> Option<u64> {
        let is_enough =
            |pages: u64| self.page_ins_per_day(group, pages).total() <= page_ins_per_day;
        let (mut too_few, mut enough) = (0, pages_max);
        if !is_enough(enough) {
            return None;
        }
        while enough - too_few > 1 {
            let middle = too_few + (enough - too_few) / 2;
            if is_enough(middle) {
                enough = middle;
            } else {
                too_few = middle;
            }
        }
        Some(enough)
    }
}

impl Sample {
    /// The probability that the page has been evicted.
    fn missing(&self, capacity_pages: u64) -> f64 {
        let beyond = self.distance - capacity_pages as f64 - 0.5;
        if self.deviation > 0.0 {
            normal_below(beyond / self.deviation)
        } else {
            f64::from(u8::from(beyond > 0.0))
        }
    }
}

/// The standard normal distribution (Abramowitz and Stegun 26.2.17: seven digits).
fn normal_below(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let coefficients =
        [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let sum = coefficients.iter().rev().fold(0.0, |sum, each| (sum + each) * t);
    let above = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * sum;
    if x > 0.0 { 1.0 - above } else { above }
}
