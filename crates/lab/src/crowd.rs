//! Several updaters at once, while another thread writes everything back repeatedly.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use testbed::sync_file_system;

use crate::files::Files;
use crate::updating::{Readings, Updater};
use crate::ways::Way;

/// The pause between two write-backs.
const PAUSE: Duration = Duration::from_millis(5);

/// Updates every file once. Each updater has its own part of them.
pub(crate) fn update(
    files: &Files,
    way: Way,
    updaters: u32,
    readings: &[Readings],
) -> Result<(), String> {
    assert!(updaters > 0);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| write_back(files, &is_done));
        let part = |first| {
            move || of_one(files, way, (first..files.count).step_by(updaters as usize), readings)
        };
        let parts: Vec<_> = (0..updaters).map(|first| scope.spawn(part(first))).collect();
        let ended: Vec<_> = parts.into_iter().map(ScopedJoinHandle::join).collect();
        // Before a panic is propagated: the scope waits for the writing thread.
        is_done.store(true, Ordering::SeqCst);
        ended.into_iter().chain([writer.join()]).try_for_each(result)
    })
}

fn of_one(
    files: &Files,
    way: Way,
    mut numbers: impl Iterator<Item = u32>,
    readings: &[Readings],
) -> Result<(), String> {
    let mut updater = Updater::new(way, files)?;
    numbers.try_for_each(|nth| updater.update(&files.path(nth), readings))
}

fn write_back(files: &Files, is_done: &AtomicBool) -> Result<(), String> {
    while !is_done.load(Ordering::SeqCst) {
        sync_file_system(&files.directory)?;
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// The result of a thread; its panic is propagated.
fn result(ended: std::thread::Result<Result<(), String>>) -> Result<(), String> {
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
