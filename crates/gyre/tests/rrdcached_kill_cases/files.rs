//! The files of the load: some exist at the start, others are created by clients.

use super::super::plan::{self, START, THREADS, specs};

/// Files that each client creates.
const NEW_A_THREAD: usize = 3;

/// All files, including those that may be created.
pub(crate) fn all_files() -> std::ops::Range<usize> {
    0..plan::all_files().end + NEW_A_THREAD * THREADS
}

/// Whether the file exists at the start.
pub(crate) fn is_old(file: usize) -> bool {
    plan::all_files().contains(&file)
}

/// The files of a client.
pub(crate) fn files_of(thread: usize) -> impl Iterator<Item = usize> {
    // New files have no seasons: these are smoothed where a ring ends, and a new file's rings begin
    // at a random place.
    let has_seasons = |file: &usize| specs(*file).1.iter().any(|spec| spec.contains("PREDICT"));
    let mine = all_files().filter(move |file| file % THREADS == thread);
    mine.filter(move |file| is_old(*file) || !has_seasons(file))
}

/// The words after the file's name that create it.
pub(crate) fn words_of(file: usize) -> String {
    let (step_seconds, specs) = specs(file);
    format!("-s {step_seconds} -b {START} {}", specs.join(" "))
}

/// The name of a file's first source.
pub(crate) fn first_source(file: usize) -> String {
    let (_, specs) = specs(file);
    specs[0].split(':').nth(1).expect("a source has a name").to_owned()
}
