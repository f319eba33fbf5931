//! A file of which samples were forgotten, in the lives of processes that are killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use files::cache::{CacheOptions, FileCache, Journaling};

use crate::basics::{START, append, make, options, value};

/// A cache over the journal in a directory, as the process before left it when it was killed: the
/// one that has the journal open goes on, and touches neither the copy nor the file.
fn open_after_kill(before: Option<&Path>, journal: &Path) -> FileCache {
    fs::create_dir(journal).unwrap();
    if let Some(before) = before {
        for entry in fs::read_dir(before).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), journal.join(entry.file_name())).unwrap();
        }
    }
    let journaling = Journaling { directory: journal.to_owned(), sync_every: None };
    // Nothing is written to files, and no sync tells the journal that it was.
    FileCache::open(CacheOptions {
        journal: Some(journaling),
        write_after: Duration::from_secs(86400),
        ..options()
    })
    .unwrap()
}

/// Samples forgotten stay forgotten, and those acknowledged afterwards are kept, through two kills.
/// The file has two numbers in the log by then: the second life must log under the later one, else
/// the third takes the lines of the second for older than they are.
#[test]
fn what_is_acknowledged_after_a_forget_survives_two_kills() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file.rrd");
    make(&file);
    let journals: Vec<PathBuf> =
        (0..3).map(|life| directory.path().join(format!("journal{life}"))).collect();
    let last = |cache: &FileCache| cache.last_update(&file).unwrap().seconds - START;
    let first = open_after_kill(None, &journals[0]);
    append(&first, &file, &[&value(1), &value(2), &value(3)]);
    let three = last(&first);
    assert!(first.forget(&file).unwrap());
    append(&first, &file, &[&value(1)]);
    let one = last(&first);
    let second = open_after_kill(Some(&journals[0]), &journals[1]);
    assert_eq!(last(&second), one);
    append(&second, &file, &[&value(2)]);
    let two = last(&second);
    assert!(one < two && two < three);
    let third = open_after_kill(Some(&journals[1]), &journals[2]);
    assert_eq!(last(&third), two);
    assert_eq!(third.pending(&file).unwrap().len(), 2);
    for cache in [first, second, third] {
        cache.close(false);
    }
}

/// After a kill samples wait again that were written, and are not known to be durable. Their rows
/// stand in the file in place of the oldest ones, so FORGET drops none of them: all that waits is
/// written.
#[test]
fn what_may_have_been_written_before_a_kill_is_not_forgotten() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file.rrd");
    make(&file);
    let journals: Vec<PathBuf> =
        (0..3).map(|life| directory.path().join(format!("journal{life}"))).collect();
    let first = open_after_kill(None, &journals[0]);
    append(&first, &file, &[&value(1)]);
    first.flush(&file).unwrap();
    append(&first, &file, &[&value(2)]);
    let second = open_after_kill(Some(&journals[0]), &journals[1]);
    assert_eq!(second.pending(&file).unwrap().len(), 2);
    assert!(second.forget(&file).unwrap());
    let left = second.last_update(&file).unwrap();
    assert!(second.pending(&file).is_none_or(|pending| pending.is_empty()));
    assert_eq!(left.seconds, START + 2 * 300);
    let two = fs::read(&file).unwrap();
    append(&second, &file, &[&value(3)]);
    assert!(second.forget(&file).unwrap());
    assert_eq!(second.last_update(&file).unwrap(), left);
    assert_eq!(fs::read(&file).unwrap(), two);
    let third = open_after_kill(Some(&journals[1]), &journals[2]);
    assert_eq!(third.last_update(&file).unwrap(), left);
    for cache in [first, second, third] {
        cache.close(false);
    }
}
