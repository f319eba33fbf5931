//! A tree of `.rrd` files: how many there are, and what some of them, spread over it, show.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use rrdfile::Header;

use crate::head;
use crate::layouts::{Layouts, Tally};
use crate::walk::Found;

/// Files that are looked into however long it takes.
const SAMPLE_MIN: usize = 32;
const PAGE_BYTES: u64 = 4096;
/// A file that was not updated for so long when others were is no longer measured.
const IDLE_SECONDS: i64 = 2 * 86_400;
/// The share of files, in percent, whose last updates are not after what is taken for now. A few
/// are ahead of the others where a clock went wrong for a while: by the last of all, all others
/// were idle.
const NOW_PERCENT: usize = 95;

/// What a tree of `.rrd` files shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Files found.
    pub files: u64,
    /// Whether all of the tree was gone through.
    pub is_whole: bool,
    /// Files in the fullest directory.
    pub fullest_directory: u64,
    /// Files that were looked into and are databases.
    pub sampled: u64,
    /// Those that are none, or may not be read.
    pub unreadable: u64,
    /// Bytes of an average one.
    pub file_bytes: u64,
    /// The step that most have, in seconds.
    pub step_seconds: u64,
    /// The largest share whose finest archive comes to a new page at the same update; `None` of too
    /// few.
    pub in_phase: Option<f64>,
    /// The share that was updated last two days and more, and two steps, before the time that
    /// hardly any is past.
    pub idle: f64,
}

/// A tree of `.rrd` files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// What was found.
    pub sample: Sample,
    /// The layouts of all its files that are still updated, as the sample has them.
    pub layouts: Layouts,
}

impl Tree {
    /// Goes through a tree. `goes_on` is told how many files were found again and again, and ends
    /// it where it answers no: what was found until then is told as such, and a few files looked
    /// into.
    ///
    /// # Errors
    /// The directory itself cannot be read. Those below it are passed over: they are not for this
    /// user.
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

/// What was seen, added up.
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
    // Files that may not be read are taken to be like those that may.
    let living = sample.files as f64 * (1.0 - sample.idle);
    tally.layouts().resized(living.round() as u64)
}

/// The time up to which nearly all of them were updated last.
fn now_seconds(seen: &[Header]) -> i64 {
    let mut updated: Vec<i64> = seen.iter().map(updated_seconds).collect();
    updated.sort_unstable();
    let nth = updated.len().saturating_sub(1) * NOW_PERCENT / 100;
    updated.get(nth).copied().unwrap_or(0)
}

fn updated_seconds(header: &Header) -> i64 {
    header.live.last_update.seconds
}

/// Updates until the finest archive writes to another page.
fn updates_to_next_page(header: &Header) -> u64 {
    let row_bytes = 8 * header.definition.sources.len().max(1) as u64;
    let Some(newest) = header.newest_rows.first() else { return 0 };
    let offset = header.layout.row_offset(0, *newest);
    (PAGE_BYTES - offset % PAGE_BYTES).div_ceil(row_bytes)
}
