//! What became of the files: lines as they are done, a line for all, or JSON.

use std::io::{self, BufWriter, Stdout, Write as _};

use pagecache::Fault;
use rrdtool::system_words;
use serde_json::{Value, json};

use super::arguments::{Action, Wanted};
use super::work::{Done, Effect};
use crate::progress::Progress;

/// Tells what became of the files; of many it keeps no more than sums.
pub(super) struct Report<'a> {
    wanted: &'a Wanted,
    out: BufWriter<Stdout>,
    progress: Progress,
    sums: Sums,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    files: u64,
    failed: u64,
    partial: u64,
    unknown: u64,
    pages: u64,
    before: u64,
    after: u64,
}

impl<'a> Report<'a> {
    pub(super) fn new(wanted: &'a Wanted) -> Self {
        let out = BufWriter::new(io::stdout());
        Self { wanted, out, progress: Progress::new("files"), sums: Sums::default() }
    }

    /// Tells of one file.
    pub(super) fn take(&mut self, path: &[u8], outcome: &Result<Done, Fault>) -> io::Result<()> {
        let file = String::from_utf8_lossy(path);
        self.sums.add(outcome);
        if self.wanted.json {
            let start = if self.sums.files == 1 { "{\"files\":[\n" } else { ",\n" };
            return write!(self.out, "{start}{}", value(&file, outcome));
        }
        self.progress.count(self.sums.files);
        match outcome {
            Err(fault) => {
                self.out.flush()?;
                eprintln!("{file}: {}: {}", fault.action, system_words(&fault.error));
            }
            Ok(done) if !done.why.is_empty() => {
                let line = format!("{}; {}", line(self.wanted, &file, done), done.why.join("; "));
                writeln!(self.out, "{line}")?;
            }
            Ok(done) if self.wanted.verbose => {
                writeln!(self.out, "{}", line(self.wanted, &file, done))?
            }
            Ok(_) => {}
        }
        Ok(())
    }

    /// A word beside the files, where words are wanted.
    pub(super) fn say(&mut self, word: &str) -> io::Result<()> {
        if !self.wanted.quiet && !self.wanted.json {
            writeln!(self.out, "{word}")?;
        }
        self.out.flush()
    }

    /// Tells of all. Whether everything had its effect.
    pub(super) fn end(mut self) -> io::Result<bool> {
        let Sums { files, failed, partial, unknown, .. } = self.sums;
        if self.wanted.json {
            let start = if files == 0 { "{\"files\":[" } else { "" };
            writeln!(self.out, "{start}\n],\"total\":{}}}", self.sums.value(self.wanted))?;
        } else if !self.wanted.quiet {
            writeln!(self.out, "{}", self.sums.line(self.wanted))?;
        }
        self.out.flush()?;
        Ok(failed + partial + unknown == 0)
    }
}

impl Sums {
    fn add(&mut self, outcome: &Result<Done, Fault>) {
        self.files += 1;
        let Ok(done) = outcome else {
            self.failed += 1;
            return;
        };
        self.partial += u64::from(done.effect == Effect::Partial);
        self.unknown += u64::from(done.effect == Effect::Unknown);
        self.pages += done.pages;
        self.before += done.before.unwrap_or(0);
        self.after += done.after.unwrap_or(0);
    }

    fn line(&self, wanted: &Wanted) -> String {
        let Self { files, pages, before, after, .. } = self;
        let noun = if *files == 1 { "file" } else { "files" };
        let mut line = format!("{}: {files} {noun}, {pages} pages", wanted.advice);
        if !matches!(wanted.action, Action::Passing(_)) {
            line += &format!("; resident {before} before, {after} now");
        }
        let counts =
            [(self.failed, "failed"), (self.partial, "in part"), (self.unknown, "unknown")];
        for (count, word) in counts {
            if count > 0 {
                line += &format!("; {count} {word}");
            }
        }
        line
    }

    fn value(&self, wanted: &Wanted) -> Value {
        json!({
            "advice": wanted.advice,
            "files": self.files,
            "failed": self.failed,
            "partial": self.partial,
            "unknown": self.unknown,
            "pages": self.pages,
            "resident_pages_before": self.before,
            "resident_pages_after": self.after,
            "lasts": !matches!(wanted.action, Action::Passing(_)),
        })
    }
}

/// One file, for people.
fn line(wanted: &Wanted, file: &str, done: &Done) -> String {
    let count = |pages: Option<u64>| pages.map_or("unknown".into(), |pages| pages.to_string());
    let pages = done.pages;
    if done.effect == Effect::Passed {
        return format!("{file}: {} for {pages} pages", wanted.advice);
    }
    let (before, after) = (count(done.before), count(done.after));
    format!("{file}: {pages} pages; resident {before} before, {after} now")
}

/// One file, for programs.
fn value(file: &str, outcome: &Result<Done, Fault>) -> Value {
    match outcome {
        Err(fault) => json!({
            "file": file,
            "effect": "failed",
            "error": format!("{}: {}", fault.action, system_words(&fault.error)),
        }),
        Ok(done) => json!({
            "file": file,
            "effect": match done.effect {
                Effect::Whole => "whole",
                Effect::Partial => "partial",
                Effect::Unknown => "unknown",
                Effect::Passed => "passed",
            },
            "pages": done.pages,
            "resident_pages_before": done.before,
            "resident_pages_after": done.after,
            "why": done.why,
        }),
    }
}
