//! A tree of `.rrd` files: how many there are, and what a sample of them shows.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use disk::{File, Mode};
use rrd::Definition;
use rrdfile::Header;
use rrdfile::layout::Layout;

/// How long the tree is gone through; what is found until then is told as such.
const PATIENCE: Duration = Duration::from_secs(10);
/// Files that are looked into.
const SAMPLE_MAX: usize = 256;
/// A header that is larger is not looked at.
const HEAD_BYTES_MAX: usize = 1 << 20;
const PAGE_BYTES: usize = 4096;

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
    /// The largest share whose finest archive comes to a new page at the same update; `None` of too few.
    pub in_phase: Option<f64>,
}

/// Goes through a tree.
pub(crate) fn look(root: &Path) -> std::io::Result<Sample> {
    let mut sample = Sample { is_whole: true, ..Sample::default() };
    let chosen = walk(root, &mut sample)?;
    let mut steps: HashMap<u64, u64> = HashMap::new();
    let mut phases: HashMap<u64, u64> = HashMap::new();
    let mut bytes = 0;
    for path in &chosen {
        match one(path) {
            Some((header, file_bytes)) => {
                sample.sampled += 1;
                bytes += file_bytes;
                *steps.entry(header.definition.step_seconds).or_default() += 1;
                *phases.entry(updates_to_next_page(&header)).or_default() += 1;
            }
            None => sample.unreadable += 1,
        }
    }
    sample.file_bytes = bytes.checked_div(sample.sampled).unwrap_or(0);
    let most = |counts: &HashMap<u64, u64>| counts.iter().map(|(of, n)| (*n, *of)).max();
    sample.step_seconds = most(&steps).map_or(0, |(_, step)| step);
    let in_phase = most(&phases).map(|(files, _)| files as f64 / sample.sampled as f64);
    sample.in_phase = in_phase.filter(|_| sample.sampled >= 16);
    Ok(sample)
}

/// Counts the files; returns some of them, spread over the tree.
fn walk(root: &Path, sample: &mut Sample) -> std::io::Result<Vec<PathBuf>> {
    let begun = Instant::now();
    let (mut chosen, mut every) = (Vec::new(), 1);
    let mut pending = vec![root.to_path_buf()];
    while let Some(directory) = pending.pop() {
        let entries = match std::fs::read_dir(&directory) {
            Err(error) if directory == root => return Err(error),
            Err(_) => continue, // not for this user
            Ok(entries) => entries,
        };
        let before = sample.files;
        for entry in entries.flatten() {
            if begun.elapsed() > PATIENCE {
                sample.is_whole = false;
                return Ok(chosen);
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                pending.push(entry.path());
            } else if Path::new(&entry.file_name()).extension().is_some_and(|it| it == "rrd") {
                if sample.files.is_multiple_of(every) {
                    chosen.push(entry.path());
                }
                sample.files += 1;
                if chosen.len() > 2 * SAMPLE_MAX {
                    every *= 2;
                    chosen = chosen.into_iter().step_by(2).collect();
                }
            }
        }
        sample.fullest_directory = sample.fullest_directory.max(sample.files - before);
    }
    chosen.truncate(SAMPLE_MAX);
    Ok(chosen)
}

fn one(path: &Path) -> Option<(Header, u64)> {
    let file = File::open(path, Mode::Read).ok()?;
    file.advise_random().ok()?;
    let file_bytes = file.len_bytes().ok()?;
    let mut head = vec![0; PAGE_BYTES];
    let read = file.read_at(&mut head, 0).ok()?;
    let needed = Header::bytes_needed(head.get(..read)?, file_bytes).ok()?;
    if needed > head.len() {
        head.resize(needed.min(HEAD_BYTES_MAX), 0);
        file.read_at(&mut head, 0).ok()?;
    }
    let header = Header::decode(&head[..needed.min(head.len())], file_bytes).ok()?;
    Some((header, file_bytes))
}

/// Updates until the finest archive writes to another page.
fn updates_to_next_page(header: &Header) -> u64 {
    let row_bytes = 8 * header.definition.sources.len().max(1) as u64;
    let Some(newest) = header.newest_rows.first() else { return 0 };
    let offset = header.layout.row_offset(0, *newest);
    (PAGE_BYTES as u64 - offset % PAGE_BYTES as u64).div_ceil(row_bytes)
}

/// Bytes of the file of a definition.
pub(super) fn bytes_of(definition: &Definition) -> Option<u64> {
    let rows = definition.archives.iter().map(|archive| archive.rows);
    Some(Layout::new(definition.sources.len(), rows)?.file_bytes())
}
