//! A tree of `.rrd` files: how many there are, and what some of them, spread over it, show.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use disk::{FileFacts, FileKind};
use rrdfile::Header;
use store::{Access, RrdFile};

use crate::layouts::{Layouts, Tally};

/// Files that are looked into.
const SAMPLE_MAX: usize = 512;
/// Of these, those that are looked into however long it takes.
const SAMPLE_MIN: usize = 32;
const PAGE_BYTES: u64 = 4096;
/// A file that was not updated for so long when others were is no longer measured.
const IDLE_SECONDS: i64 = 2 * 86_400;

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
    /// The share that was updated last two days and more, and two steps, before the newest.
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
    /// Goes through a tree. `goes_on` is told how many files were found again and again, and ends it
    /// where it answers no: what was found until then is told as such.
    ///
    /// # Errors
    /// The directory itself cannot be read. Those below it are passed over: they are not for this user.
    pub fn look(root: &Path, goes_on: &mut dyn FnMut(u64) -> bool) -> io::Result<Self> {
        let mut sample = Sample { is_whole: true, ..Sample::default() };
        let chosen = walk(root, &mut sample, goes_on)?;
        let mut seen = Vec::new();
        for (nth, path) in chosen.iter().enumerate() {
            if nth >= SAMPLE_MIN && !goes_on(sample.files) {
                break;
            }
            match RrdFile::open(path, Access::Read) {
                Ok(file) => seen.push(file.into_header()),
                Err(_) => sample.unreadable += 1,
            }
        }
        let layouts = take(&seen, &mut sample);
        Ok(Self { sample, layouts })
    }
}

/// Counts the files; returns some of them, spread over the tree, and each part of these spread, too.
fn walk(
    root: &Path,
    sample: &mut Sample,
    goes_on: &mut dyn FnMut(u64) -> bool,
) -> io::Result<Vec<PathBuf>> {
    let mut chosen = Chosen::default();
    let mut pending = vec![root.to_path_buf()];
    while let Some(directory) = pending.pop() {
        let names = match disk::names_in(&directory) {
            Err(error) if directory == root => return Err(error),
            Err(_) => continue, // not for this user
            Ok(names) => names,
        };
        let before = sample.files;
        for (name, kind) in names {
            let path = directory.join(name);
            if is_directory(&path, kind) {
                pending.push(path);
            } else if path.extension().is_some_and(|it| it == "rrd") {
                chosen.offer(path);
                sample.files += 1;
            }
        }
        sample.fullest_directory = sample.fullest_directory.max(sample.files - before);
        if !goes_on(sample.files) {
            sample.is_whole = pending.is_empty();
            break;
        }
    }
    Ok(chosen.scattered())
}

fn is_directory(path: &Path, kind: FileKind) -> bool {
    match kind {
        FileKind::Unknown => {
            FileFacts::at(path).is_ok_and(|facts| facts.kind == FileKind::Directory)
        }
        kind => kind == FileKind::Directory,
    }
}

/// Every so many of what is offered, so that it is spread evenly however much comes.
#[derive(Debug, Default)]
struct Chosen {
    paths: Vec<PathBuf>,
    offered: usize,
    /// How many of the last to be chosen were passed over, and how many are to be.
    every_log2: u32,
}

impl Chosen {
    fn offer(&mut self, path: PathBuf) {
        if self.offered.is_multiple_of(1 << self.every_log2) {
            self.paths.push(path);
        }
        self.offered += 1;
        if self.paths.len() > 2 * SAMPLE_MAX {
            self.every_log2 += 1;
            let mut nth = 0;
            self.paths.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
        }
    }

    /// At most as many as are looked into, in an order in which the first of them are spread as well.
    fn scattered(self) -> Vec<PathBuf> {
        let found = self.paths.len();
        let wanted = found.min(SAMPLE_MAX);
        let bits = wanted.next_power_of_two().trailing_zeros();
        let reversed = |nth: usize| (nth as u64).reverse_bits() >> (64 - u64::from(bits.max(1)));
        let order = (0..wanted.next_power_of_two()).map(|nth| reversed(nth) as usize);
        let order = order.filter(|nth| *nth < wanted);
        order.map(|nth| self.paths[nth * found / wanted].clone()).collect()
    }
}

/// What was seen, added up.
fn take(seen: &[Header], sample: &mut Sample) -> Layouts {
    let newest = seen.iter().map(updated_seconds).max().unwrap_or(0);
    let mut tally = Tally::default();
    let mut steps: HashMap<u64, u64> = HashMap::new();
    let mut phases: HashMap<u64, u64> = HashMap::new();
    let (mut bytes, mut idle) = (0, 0_u64);
    for header in seen {
        let step_seconds = header.definition.step_seconds;
        bytes += header.layout.file_bytes();
        *steps.entry(step_seconds).or_default() += 1;
        *phases.entry(updates_to_next_page(header)).or_default() += 1;
        let silence = newest.saturating_sub(updated_seconds(header));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_is_spread_however_many_there_are() {
        for files in [0, 1, 3, 511, 512, 513, 1024, 1025, 7777, 100_000] {
            let mut chosen = Chosen::default();
            (0..files).for_each(|nth| chosen.offer(format!("{nth:06}").into()));
            let paths = chosen.scattered();
            assert_eq!(paths.len(), files.min(SAMPLE_MAX), "{files}");
            let number = |path: &PathBuf| path.to_str().unwrap().parse::<usize>().unwrap();
            let mut found: Vec<usize> = paths.iter().map(number).collect();
            let first_few = &mut found.clone()[..paths.len().min(SAMPLE_MIN)];
            for part in [&mut found[..], first_few] {
                part.sort_unstable();
                let gaps = part.windows(2).map(|pair| pair[1] - pair[0]);
                let fair = files / part.len().max(1);
                assert!(gaps.clone().all(|gap| gap >= 1 && gap <= 4 * fair.max(1)), "{files}");
                let last = part.last().map_or(0, |last| files - last);
                assert!(last <= 4 * fair.max(1), "{files}: {last}");
            }
        }
    }
}
