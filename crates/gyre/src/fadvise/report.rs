//! The report: a line for each file as soon as it is done, and a total. As text or as JSON.

use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};

use pagecache::Fault;
use rrdtool::system_words;
use serde_json::{Map, Value, json};

use super::arguments::{Action, LINE, Wanted};
use super::work::{Done, Effect};
use crate::command_line::say_fault;
use crate::json_lines;
use crate::progress::Progress;
use crate::shown_path::put_path;
use figures::{count, some};

/// Reports on the files. It keeps only sums, however many files there are.
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

    /// Reports on one file.
    pub(super) fn take(&mut self, path: &[u8], outcome: &Result<Done, Fault>) -> io::Result<()> {
        let Wanted { json, verbose, quiet, .. } = *self.wanted;
        self.sums.add(outcome);
        if let Err(fault) = outcome {
            self.progress.clear();
            self.out.flush()?;
            say_fault(&LINE, path, fault);
        }
        let went_wrong = outcome.as_ref().map_or(true, |done| !done.why.is_empty());
        match outcome {
            _ if json && (went_wrong || !quiet) => self.put(&value(path, outcome)),
            Ok(done) if !json && (went_wrong || verbose) => self.line(path, done),
            _ => {
                self.progress.count(self.sums.files);
                Ok(())
            }
        }
    }

    /// Prints a remark between the lines of the files, if the report is text.
    pub(super) fn say(&mut self, word: &str) -> io::Result<()> {
        self.progress.clear();
        if !self.wanted.quiet && !self.wanted.json {
            writeln!(self.out, "{word}")?;
        }
        self.out.flush()
    }

    /// Reports the total. Returns whether every file got its effect.
    pub(super) fn end(mut self) -> io::Result<bool> {
        let Sums { failed, partial, unknown, .. } = self.sums;
        self.progress.clear();
        if self.wanted.json {
            self.put(&self.sums.value(self.wanted))?;
        } else if !self.wanted.quiet {
            writeln!(self.out, "{}", self.sums.line(self.wanted))?;
        }
        self.out.flush()?;
        Ok(failed + partial + unknown == 0)
    }

    fn put(&mut self, value: &Value) -> io::Result<()> {
        let mut line = Vec::new();
        json_lines::put_line(&mut line, value);
        self.out.write_all(&line)
    }

    /// The line of one file.
    fn line(&mut self, path: &[u8], done: &Done) -> io::Result<()> {
        self.progress.clear();
        let is_terminal = self.out.get_ref().is_terminal();
        let mut line = Vec::new();
        put_path(&mut line, path, is_terminal);
        writeln!(line, ": {}", words(self.wanted, done))?;
        self.out.write_all(&line)?;
        // Flush before the progress line is drawn, so that the two are not mixed.
        if is_terminal { self.out.flush() } else { Ok(()) }
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
        let (files, pages) = (some(self.files, "file", "files"), some(self.pages, "page", "pages"));
        let mut line = format!("{}: {files}, {pages}", wanted.advice);
        if wanted.lasts() {
            let (before, after) = (count(self.before), count(self.after));
            line += &format!("; resident {before} before, {after} now");
        }
        let counts =
            [(self.failed, "failed"), (self.partial, "in part"), (self.unknown, "unknown")];
        for (files, word) in counts {
            if files > 0 {
                line += &format!("; {} {word}", count(files));
            }
        }
        line
    }

    fn value(&self, wanted: &Wanted) -> Value {
        // Pages are counted only where the effect lasts.
        let seen = |pages: u64| wanted.lasts().then_some(pages);
        json!({ "total": {
            "advice": wanted.advice,
            "lasts": wanted.lasts(),
            "files": self.files,
            "failed": self.failed,
            "partial_files": self.partial,
            "unknown_files": self.unknown,
            "page_bytes": disk::page_bytes(),
            "pages": self.pages,
            "resident_before": seen(self.before),
            "resident_after": seen(self.after),
        }})
    }
}

impl Wanted {
    /// Whether the effect remains after the descriptor is closed.
    fn lasts(&self) -> bool {
        !matches!(self.action, Action::Passing(_))
    }
}

/// The result for a file, in words.
fn words(wanted: &Wanted, done: &Done) -> String {
    let pages = some(done.pages, "page", "pages");
    if done.effect == Effect::Passed {
        return format!("{} for {pages}", wanted.advice);
    }
    let told = |pages: Option<u64>| pages.map_or("unknown".into(), count);
    let (before, after) = (told(done.before), told(done.after));
    let mut words = format!("{pages}; resident {before} before, {after} now");
    for why in &done.why {
        words += "; ";
        words += why;
    }
    words
}

/// The result for a file, as JSON.
fn value(path: &[u8], outcome: &Result<Done, Fault>) -> Value {
    let mut object = Map::new();
    json_lines::put_path(&mut object, path);
    match outcome {
        Err(fault) => {
            let words = format!("{}: {}", fault.action, system_words(&fault.error));
            object.insert("effect".into(), "failed".into());
            object.insert("error".into(), words.into());
        }
        Ok(done) => {
            object.insert("effect".into(), done.effect.name().into());
            object.insert("pages".into(), done.pages.into());
            object.insert("resident_before".into(), done.before.into());
            object.insert("resident_after".into(), done.after.into());
            object.insert("why".into(), done.why.clone().into());
        }
    }
    Value::Object(object)
}
