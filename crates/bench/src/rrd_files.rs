//! `.rrd` files as rrdtool makes them, and the lines that update them.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::feed::{Answers, feed};
use crate::workload::{STEP_SECONDS, THREADS, Workload, around_midnight, cycle_seconds};

/// A directory of files in the layout of the benchmark.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) directory: PathBuf,
    pub(crate) workload: Workload,
    /// The next cycle that no file has had.
    next_cycle: Cell<u64>,
}

impl Files {
    /// Lets rrdtool make this many files in a directory.
    pub(crate) fn create(rrdtool: &Path, directory: PathBuf, rrds: u64) -> Result<Self, String> {
        let workload = Workload::mrtg(rrds);
        let files = Self { directory, workload, next_cycle: Cell::new(around_midnight(0)) };
        let start_seconds = cycle_seconds(files.next_cycle.get());
        let texts = files.lines(|rrd, text| {
            text.push_str("create ");
            workload.push_name(rrd, text);
            *text += &format!(" -b {start_seconds} -s {STEP_SECONDS} ");
            *text += &workload.words(rrd).join(" ");
        });
        for rrd in 0..workload.rrds {
            let path = files.directory.join(workload.name(rrd));
            disk::create_parents(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let commands = texts.iter().map(|text| {
            let mut command = Command::new(rrdtool);
            command.arg("-").current_dir(&files.directory);
            (command, text.as_str())
        });
        feed(commands.collect(), Answers::Pipe)?;
        Ok(files)
    }

    /// A line for each file in the order of delivery, as a text for each thread.
    fn lines(&self, mut line: impl FnMut(u64, &mut String)) -> Vec<String> {
        let mut share = |thread| {
            let mut text = String::new();
            for rrd in self.workload.deliveries(thread) {
                line(rrd, &mut text);
                text.push('\n');
            }
            text
        };
        (0..THREADS).map(&mut share).collect()
    }

    /// The lines of the next cycle: `before`, the name, time and readings.
    pub(crate) fn updates(&self, before: &str) -> Vec<String> {
        let cycle = self.next_cycle.get();
        self.next_cycle.set(cycle + 1);
        self.lines(|rrd, text| {
            text.push_str(before);
            self.workload.push_update(rrd, cycle, text);
        })
    }

    /// Another update of one file.
    pub(crate) fn update(&self, before: &str, rrd: u64) -> String {
        let mut text = before.to_owned();
        self.workload.push_update(rrd, self.next_cycle.get(), &mut text);
        self.next_cycle.set(self.next_cycle.get() + 1);
        text
    }

    /// The first cycle that no file has had.
    pub(crate) fn next_cycle(&self) -> u64 {
        self.next_cycle.get()
    }

    /// The end of the last cycle in seconds.
    pub(crate) fn now_seconds(&self) -> i64 {
        cycle_seconds(self.next_cycle.get())
    }
}
