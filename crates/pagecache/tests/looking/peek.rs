//! Reading the first bytes of a file does not change its resident pages.
use std::fs;
use std::path::Path;

use crate::world::{PAGE, cold_file, directory, file_in_memory, read_pages, stretches_of};
use disk::{File, Mode};
use pagecache::peek;
use pagecache::residency::{Way, count};

fn assert_peek(path: &Path, buffer_bytes: usize) {
    let file = File::open(path, Mode::Read).unwrap();
    let file_bytes = file.len_bytes().unwrap();
    let look = || (stretches_of(&file, Way::Cachestat), count(&file, Way::Cachestat).unwrap());
    let before = look();
    let mut buffer = vec![0; buffer_bytes];
    let read = peek(&file, file_bytes, &mut buffer).unwrap().unwrap();
    assert_eq!(look(), before, "{buffer_bytes} of {file_bytes}");
    assert_eq!(read as u64, file_bytes.min(buffer_bytes as u64));
    assert!(buffer[..read] == fs::read(path).unwrap()[..read]);
}

#[test]
fn whatever_is_resident() {
    let directory = directory();
    let path = directory.path().join("file");
    for file_bytes in [0, 1, 511, PAGE, PAGE + 100, 40 * PAGE - 7] {
        for resident in [&[][..], &[0], &[1], &[0, 2, 9]] {
            for buffer_bytes in [1, PAGE, PAGE + 1, 3 * PAGE, 100 * PAGE] {
                let file = cold_file(&path, file_bytes);
                resident.iter().for_each(|page| read_pages(&file, *page, 1));
                assert_peek(&path, buffer_bytes);
            }
        }
    }
}

#[test]
fn what_was_written_and_is_not_on_disk_is_read() {
    let directory = directory();
    let path = directory.path().join("file");
    let file = cold_file(&path, 4 * PAGE);
    file.write_at(&[9; 100], PAGE as u64 + 50).unwrap();
    let mut buffer = vec![0; 2 * PAGE];
    let reading = File::open(&path, Mode::Read).unwrap();
    assert_eq!(peek(&reading, 4 * PAGE as u64, &mut buffer).unwrap(), Some(2 * PAGE));
    assert_eq!(buffer[PAGE + 50..PAGE + 150], [9; 100]);
}

#[test]
fn a_file_in_memory() {
    let Some(path) = file_in_memory("peek") else { return };
    fs::write(&path, vec![5; PAGE + 9]).unwrap();
    let file = File::open(&path, Mode::Read).unwrap();
    let mut buffer = vec![0; 2 * PAGE];
    let read = peek(&file, PAGE as u64 + 9, &mut buffer);
    fs::remove_file(&path).unwrap();
    assert_eq!(read.unwrap(), Some(PAGE + 9));
    assert_eq!(buffer[..PAGE + 9], vec![5; PAGE + 9]);
}
