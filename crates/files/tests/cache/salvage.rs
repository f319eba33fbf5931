//! A damaged journal is refused, and salvaged: every sample that can be read is kept.

use std::fs;
use std::path::{Path, PathBuf};

use files::cache::{CacheOptions, FileCache, JournalSalvage, Journaling, SalvagedJournal};
use oracle::{Reply, Rrdtool};

use crate::basics::{START, append, make, options, value};

const BLOCK_BYTES: usize = 4096;
const SAMPLES: i64 = 10;
const NAMES: [&str; 2] = ["a.rrd", "b.rrd"];

fn open(journal: &Path) -> Result<FileCache, store::Error> {
    let journaling = Journaling { directory: journal.to_owned(), sync_every: None };
    FileCache::open(CacheOptions { journal: Some(journaling), ..options() })
}

/// Two files, and the journal of a daemon that was killed before it wrote one of their samples.
/// Each sample has a frame of its own, those of the two files in turn.
fn killed(place: &Path) -> PathBuf {
    let journal = place.join("journal");
    let before = place.join("before");
    let cache = open(&before).unwrap();
    NAMES.iter().for_each(|name| make(&place.join(name)));
    for nth in 1..=SAMPLES {
        for name in NAMES {
            append(&cache, &place.join(name), &[&value(nth)]);
        }
    }
    copy(&before, &journal);
    cache.close(false);
    journal
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Flips a bit in the frame of the `nth` sample of a file.
fn damage(journal: &Path, file: usize, nth: i64) {
    let path = journal.join("journal-000000");
    let mut bytes = fs::read(&path).unwrap();
    // The first block tells the format.
    let block = 1 + NAMES.len() * (nth as usize - 1) + file;
    bytes[block * BLOCK_BYTES + 20] ^= 4;
    fs::write(&path, bytes).unwrap();
}

fn salvage(journal: &Path, aside: &Path) -> SalvagedJournal {
    let salvage = JournalSalvage::try_out(journal).unwrap();
    let found = salvage.found().clone();
    assert_eq!(salvage.write(aside).unwrap(), found, "what was said is what was done");
    found
}

/// What waits for a file, by the times of the samples, and what a flush makes of it: the same as
/// rrdtool does of these samples.
fn check_waiting(cache: &FileCache, path: &Path, expected: &[i64]) {
    let waiting = cache.pending(path).unwrap_or_default();
    let values: Vec<String> = expected.iter().map(|nth| value(*nth)).collect();
    assert_eq!(waiting, values, "{}", path.display());
    let Some(program) = oracle::program("rrdtool", "files salvaged equal rrdtool's") else {
        return;
    };
    let directory = path.parent().unwrap();
    // Nothing was written to it yet.
    fs::copy(path, directory.join("theirs.rrd")).unwrap();
    let mut rrdtool = Rrdtool::start(&program, directory);
    for value in values {
        assert_eq!(rrdtool.send(&format!("update theirs.rrd {value}")), Reply::Ok(vec![]));
    }
    drop(rrdtool);
    cache.flush(path).unwrap();
    assert!(fs::read(path).unwrap() == fs::read(directory.join("theirs.rrd")).unwrap());
}

#[test]
fn what_stands_outside_the_damage_is_kept() {
    let place = tempfile::tempdir().unwrap();
    let journal = killed(place.path());
    damage(&journal, 0, 5);
    let damaged = fs::read(journal.join("journal-000000")).unwrap();
    let refused = open(&journal).unwrap_err().to_string();
    let way_out = format!("; `gyre store salvage {}` tells what can be saved", journal.display());
    assert!(refused.starts_with("journal-000000: at byte ") && refused.ends_with(&way_out));
    let tried = JournalSalvage::try_out(&journal).unwrap();
    assert_eq!(tried.found().given_up.len(), 1);
    assert!(JournalSalvage::try_out(&journal).is_err(), "one at a time");
    drop(tried);
    assert!(fs::read(journal.join("journal-000000")).unwrap() == damaged, "nothing was written");
    let start = fs::read(journal.join("journal-start")).unwrap();
    let aside = place.path().join("aside");
    let found = salvage(&journal, &aside);
    let [lost] = &found.given_up[..] else { panic!("{found:?}") };
    assert_eq!((lost.segment.as_str(), lost.offset_bytes), ("journal-000000", 9 * 4096));
    assert!(lost.lost_bytes > 0, "{lost:?}");
    let around = (lost.after_seconds, lost.before_seconds);
    assert_eq!(around, (Some(START + 4 * 300), Some(START + 5 * 300)));
    assert_eq!((found.orphans, found.files, found.samples), (0, 2, 2 * SAMPLES as u64 - 1));
    assert!(fs::read(aside.join("journal-000000")).unwrap() == damaged);
    // As if the salvage had been cut short before its last step, and was done again.
    fs::write(journal.join("journal-start"), start).unwrap();
    assert!(open(&journal).is_err());
    salvage(&journal, &place.path().join("aside-again"));
    let cache = open(&journal).unwrap();
    let all: Vec<i64> = (1..=SAMPLES).collect();
    let kept: Vec<i64> = all.iter().copied().filter(|nth| *nth != 5).collect();
    check_waiting(&cache, &place.path().join(NAMES[0]), &kept);
    check_waiting(&cache, &place.path().join(NAMES[1]), &all);
    drop(cache);
    let found = salvage(&journal, &place.path().join("aside-nothing"));
    assert_eq!(found.given_up, []);
}

#[test]
fn samples_whose_base_is_lost_are_counted_and_the_others_kept() {
    let place = tempfile::tempdir().unwrap();
    let journal = killed(place.path());
    damage(&journal, 0, 1);
    assert!(open(&journal).is_err());
    let found = salvage(&journal, &place.path().join("aside"));
    let all = SAMPLES as u64;
    assert_eq!((found.given_up.len(), found.orphans), (1, all - 1));
    assert_eq!((found.files, found.samples), (1, all));
    let cache = open(&journal).unwrap();
    check_waiting(&cache, &place.path().join(NAMES[0]), &[]);
    check_waiting(&cache, &place.path().join(NAMES[1]), &(1..=SAMPLES).collect::<Vec<_>>());
}

#[test]
fn where_the_beginning_is_not_known_all_segments_are_read() {
    let place = tempfile::tempdir().unwrap();
    let journal = killed(place.path());
    let start = journal.join("journal-start");
    let mut bytes = fs::read(&start).unwrap();
    bytes[9] ^= 1;
    fs::write(&start, bytes).unwrap();
    assert!(open(&journal).unwrap_err().to_string().contains("gyre store salvage"));
    let found = salvage(&journal, &place.path().join("aside"));
    assert_eq!(found.given_up[0].segment, "journal-start");
    assert_eq!((found.files, found.samples), (2, 2 * SAMPLES as u64));
    let cache = open(&journal).unwrap();
    for name in NAMES {
        check_waiting(&cache, &place.path().join(name), &(1..=SAMPLES).collect::<Vec<_>>());
    }
}
