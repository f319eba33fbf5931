//! Inspects a tree of `.rrd` files: counts them, and reads a sample that is spread over the tree.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use rrdfile::Header;

use crate::head;
use crate::layouts::{Layouts, Tally};
use crate::walk::Found;

/// This many files are read even if the time limit is exceeded.
const SAMPLE_MIN: usize = 32;
const PAGE_BYTES: u64 = 4096;
/// A file that was not updated for this long while others were is considered idle.
const IDLE_SECONDS: i64 = 2 * 86_400;
/// "Now" is the time of the last update that this percentage of the files do not exceed. A few
/// files may be ahead because of a wrong clock; the latest update of all would make all other files
/// idle.
const NOW_PERCENT: usize = 95;

/// The result of inspecting a tree of `.rrd` files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Files found.
    pub files: u64,
    /// Whether the whole tree was walked.
    pub is_whole: bool,
    /// Files in the fullest directory.
    pub fullest_directory: u64,
    /// Files that were read and are databases.
    pub sampled: u64,
    /// Files that are no databases, or may not be read.
    pub unreadable: u64,
    /// The average size of a file.
    pub file_bytes: u64,
    /// The most frequent step, in seconds.
    pub step_seconds: u64,
    /// The largest share of files whose finest archive enters a new page at the same update; `None`
    /// for too few files.
    pub in_phase: Option<f64>,
    /// The share of idle files: their last update was at least two days, and two steps, before
    /// "now".
    pub idle: f64,
}

/// A tree of `.rrd` files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// The result.
    pub sample: Sample,
    /// The layouts of all files that are still updated, extrapolated from the sample.
    pub layouts: Layouts,
}

impl Tree {
    /// Inspects a tree. `goes_on` is called repeatedly with the number of files so far. If it
    /// returns false, the walk ends there, and a few of the files are read.
    ///
    /// # Errors
    ///
    /// The directory itself cannot be read. Subdirectories that this user may not read are skipped.
    pub fn look(root: &Path, goes_on: &mut dyn FnMut(u64) -> bool) -> io::Result<Self> {
        let found = Found::below(root, goes_on)?;
        let mut sample = Sample {
            files: found.files,
            is_whole: found.is_whole,
            fullest_directory: found.fullest_directory,
            ..Sample::default()
        };
        let mut seen = Vec::new();
        for (nth, path) in found.chosen().iter().enumerate() {
            if nth >= SAMPLE_MIN && !goes_on(sample.files) {
                break;
            }
            match head::of(path) {
                Some(header) => seen.push(header),
                None => sample.unreadable += 1,
            }
        }
        let layouts = take(&seen, &mut sample);
        Ok(Self { sample, layouts })
    }
}

/// Evaluates the headers.
fn take(seen: &[Header], sample: &mut Sample) -> Layouts {
    let now = now_seconds(seen);
    let mut tally = Tally::default();
    let mut steps: HashMap<u64, u64> = HashMap::new();
    let mut phases: HashMap<u64, u64> = HashMap::new();
    let (mut bytes, mut idle) = (0, 0_u64);
    for header in seen {
        let step_seconds = header.definition.step_seconds;
        bytes += header.layout.file_bytes();
        *steps.entry(step_seconds).or_default() += 1;
        *phases.entry(updates_to_next_page(header)).or_default() += 1;
        let silence = now.saturating_sub(updated_seconds(header));
        if silence > IDLE_SECONDS.saturating_add(2 * step_seconds.min(1 << 40) as i64) {
            idle += 1;
        } else {
            tally.add(&header.definition, 1);
        }
    }
    sample.sampled = seen.len() as u64;
    let share = |part: u64| part as f64 / sample.sampled.max(1) as f64;
    sample.idle = share(idle);
    let most = |counts: &HashMap<u64, u64>| counts.iter().map(|(of, n)| (*n, *of)).max();
    sample.in_phase = most(&phases).map(|(files, _)| share(files)).filter(|_| seen.len() >= 16);
    sample.file_bytes = bytes.checked_div(sample.sampled).unwrap_or(0);
    sample.step_seconds = most(&steps).map_or(0, |(_, step)| step);
    // Unreadable files are assumed to be like the others.
    let living = sample.files as f64 * (1.0 - sample.idle);
    tally.layouts().resized(living.round() as u64)
}

/// The time that nearly all last updates do not exceed.
fn now_seconds(seen: &[Header]) -> i64 {
    let mut updated: Vec<i64> = seen.iter().map(updated_seconds).collect();
    updated.sort_unstable();
    let nth = updated.len().saturating_sub(1) * NOW_PERCENT / 100;
    updated.get(nth).copied().unwrap_or(0)
}

fn updated_seconds(header: &Header) -> i64 {
    header.live.last_update.seconds
}

/// Updates until the finest archive writes to a new page.
fn updates_to_next_page(header: &Header) -> u64 {
    let row_bytes = 8 * header.definition.sources.len().max(1) as u64;
    let Some(newest) = header.newest_rows.first() else { return 0 };
    let offset = header.layout.row_offset(0, *newest);
    (PAGE_BYTES - offset % PAGE_BYTES).div_ceil(row_bytes)
}
