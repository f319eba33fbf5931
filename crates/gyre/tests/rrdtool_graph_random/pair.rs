//! Both programs in pipe mode, each in a directory of its own with the same database.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use oracle::{Reply, Rrdtool};
use tempfile::TempDir;

use super::database::database;
use super::random::Random;

pub(crate) struct Pair {
    root: TempDir,
    theirs: Rrdtool,
    ours: Rrdtool,
}

impl Pair {
    /// Starts both in a time zone; `None` where rrdtool is missing.
    pub(crate) fn start(zone: &str, what: &str) -> Option<Self> {
        let program = oracle::program("rrdtool", what)?;
        let root = tempfile::tempdir().expect("a directory");
        let our_program = root.path().join("rrdtool");
        symlink(env!("CARGO_BIN_EXE_gyre"), &our_program).expect("a name for gyre");
        let start = |program: &Path, directory| {
            let directory = root.path().join(directory);
            fs::create_dir(&directory).expect("an empty directory");
            let mut command = Command::new("sh");
            // rrdtool counts on without end, or takes all memory, at some grids.
            command.args(["-c", "ulimit -v 3000000; ulimit -t 120; exec \"$0\" -"]).arg(program);
            command.current_dir(directory).env("TZ", zone).env("LC_ALL", "C.UTF-8");
            Rrdtool::run(command)
        };
        let (theirs, ours) = (start(&program, "theirs"), start(&our_program, "ours"));
        Some(Self { root, theirs, ours })
    }

    /// Gives both a new database `a.rrd`; the time of its last update.
    pub(crate) fn database(&mut self, random: &mut Random) -> u64 {
        let _ = fs::remove_file(self.root.path().join("theirs/a.rrd")); // there is none at first
        let end_seconds = database(&mut self.theirs, random);
        let file = |whose| self.root.path().join(whose).join("a.rrd");
        fs::copy(file("theirs"), file("ours")).expect("rrdtool made the file");
        end_seconds
    }

    /// What rrdtool and gyre answer; `None` where rrdtool gives up on what gyre answers.
    pub(crate) fn ask(&mut self, command: &str) -> Option<Answers> {
        let (theirs, ours) = (self.theirs.send(command), self.ours.send(command));
        if is_given_up(&theirs) {
            let _ = self.theirs.send("last a.rrd"); // its words end in an empty line
            return None;
        }
        Some(Answers { theirs, ours })
    }
}

pub(crate) struct Answers {
    pub(crate) theirs: Reply,
    pub(crate) ours: Reply,
}

/// A window shorter than one of its rows, and series that have no row in common: gyre gives unknown
/// rows, or none.
fn is_given_up(reply: &Reply) -> bool {
    let given_up = ["SANITY CHECK", "malloc im->gdes"];
    matches!(reply, Reply::Error(words) if given_up.iter().any(|told| words.starts_with(told)))
}
