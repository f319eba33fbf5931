//! The arguments of every verb: any words give an answer or an error.
//!
//! The verbs run for real, in a directory of their own with one file. Words that could reach
//! outside, or take all of the disk or memory, are left out: paths to other directories, addresses
//! of daemons, numbers of rows that make large files, and times far away.
#![no_main]

use std::cell::RefCell;
use std::path::PathBuf;

use libfuzzer_sys::{Corpus, fuzz_target};
use rrdtool::{Databases, Session, Stores, perform};

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new(prepared());
}

/// A session in a directory of its own, with the file `a.rrd`.
fn prepared() -> Session {
    let directory: PathBuf =
        std::env::temp_dir().join(format!("gyre-fuzz-arguments-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for the files");
    std::env::set_current_dir(&directory).expect("it was just made");
    let stores = Stores::new(ring::Sync::Deferred);
    let mut session = Session::with(Databases::guest(&stores));
    session.daemon = None;
    for line in FILE {
        let words: Vec<&str> = line.split(' ').collect();
        perform(&mut session, &words, true).expect("a file to work on");
    }
    session
}

const FILE: [&str; 3] = [
    "create a.rrd -b 1000000000 DS:a:GAUGE:600:0:100 DS:b:COUNTER:600:U:U RRA:AVERAGE:0.5:1:20 \
     RRA:MAX:0.5:3:10",
    "update a.rrd 1000000300:5:100 1000000600:7:400",
    "dump a.rrd a.xml",
];

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = str::from_utf8(bytes) else { return Corpus::Reject };
    let words: Vec<&str> = text.split(['\n', '\0']).collect();
    // Images of thousands of pixels in width or height take long.
    let digits_max = if words.first() == Some(&"graph") { 3 } else { 4 };
    if words.len() < 2 || !words.iter().all(|word| stays_here(word, digits_max)) {
        return Corpus::Reject;
    }
    SESSION.with_borrow_mut(|session| {
        session.out.clear();
        let _ = perform(session, &words, true); // an error is an answer
        session.out.clear();
    });
    tidy();
    Corpus::Keep
});

/// Whether a word leads neither out of the directory, nor to a daemon, nor to a large file.
fn stays_here(word: &str, digits_max: usize) -> bool {
    let mut numbers = word.split(|letter: char| !letter.is_ascii_digit());
    // A query for thousands of years gives a row for each step, as with rrdtool.
    let is_time = |number: &str| number.starts_with("100000") && number.len() == 10;
    let is_small = numbers.all(|number| number.len() <= digits_max || is_time(number));
    let has_exponent = word.contains(['e', 'E']) && word.starts_with("RRA");
    let names_daemon = word.starts_with('-') && word.to_ascii_lowercase().contains('d');
    let has_unit = word.starts_with("RRA") && word.ends_with(['w', 'M', 'y']);
    !word.contains(['/', '\\'])
        && is_small
        && !has_exponent
        && !names_daemon
        && !has_unit
        && !word.contains("daemon")
        && word != "-"
        && word.len() < 200
}

/// Removes everything that a command made, and restores the file if it is gone.
fn tidy() {
    let Ok(entries) = std::fs::read_dir(".") else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name() != "a.rrd") {
        if entry.file_name() != "a.xml" {
            let _ = std::fs::remove_file(entry.path()); // a directory may stay
        }
    }
    if !std::path::Path::new("a.rrd").is_file() {
        SESSION.with_borrow_mut(|session| *session = prepared());
    }
}
