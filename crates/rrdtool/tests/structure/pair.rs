//! Both programs, each in a directory of its own.

use std::fs;
use std::path::{Path, PathBuf};

use oracle::{Reply, Rrdtool};
use rrd::refill::RowChange;
use rrdtool::{Session, Wording, find};
use store::Edit;
use tempfile::TempDir;

/// Both programs, and what they were told.
pub(crate) struct Pair {
    rrdtool: Rrdtool,
    session: Session,
    root: TempDir,
    /// Where our files are, and what a name there starts with.
    ours: String,
    log: Vec<String>,
}

impl Pair {
    /// `None` where there is no rrdtool.
    pub(crate) fn start(what: &str) -> Option<Self> {
        let program = oracle::program("rrdtool", what)?;
        let root = tempfile::tempdir().unwrap();
        let (theirs, ours) = (root.path().join("theirs"), root.path().join("ours"));
        fs::create_dir(&theirs).unwrap();
        fs::create_dir(&ours).unwrap();
        let rrdtool = Rrdtool::start(&program, &theirs);
        let ours = format!("{}/", ours.display());
        Some(Self { rrdtool, session: Session::new(), root, ours, log: Vec::new() })
    }

    pub(crate) fn theirs(&self, name: &str) -> PathBuf {
        self.root.path().join("theirs").join(name)
    }

    pub(crate) fn ours(&self, name: &str) -> PathBuf {
        Path::new(&self.ours).join(name)
    }

    /// Forgets what was told; a new case starts.
    pub(crate) fn begin(&mut self, case: String) {
        self.log = vec![case];
    }

    /// What was told since the case began.
    pub(crate) fn told(&self) -> String {
        self.log.join("\n")
    }

    /// Tells rrdtool alone.
    pub(crate) fn tell_theirs(&mut self, words: &[String]) -> Reply {
        self.log.push(words.join(" "));
        self.rrdtool.send(&words.join(" "))
    }

    /// Tells gyre alone; file names in its words are as they were given.
    pub(crate) fn tell_ours(&mut self, words: &[String]) -> Reply {
        let names: Vec<String> = words.iter().map(|word| self.with_directory(word)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (verb, rest) = names.split_first().unwrap();
        let verb = find(verb).unwrap();
        self.session.out.clear();
        match verb.perform(&mut self.session, rest) {
            Ok(()) => {
                let text = String::from_utf8(self.session.out.clone()).unwrap();
                Reply::Ok(text.lines().map(|line| line.replace(&self.ours, "")).collect())
            }
            Err(failure) => {
                let words = failure.in_words(Wording::Rrdtool);
                Reply::Error(words.replace(&self.ours, ""))
            }
        }
    }

    /// `resize` of ours, with the result beside our files.
    pub(crate) fn resize_ours(
        &mut self,
        name: &str,
        archive: usize,
        grows: bool,
        rows: u64,
    ) -> Reply {
        let change = if grows { RowChange::Grow(rows) } else { RowChange::Shrink(rows) };
        let (path, result) = (self.ours(name), self.ours("resize.rrd"));
        let path = path.to_str().unwrap();
        let edit = Edit::Resize { archive, change, result: &result };
        match self.session.databases.edit(path, &edit) {
            Ok(()) => Reply::Ok(vec![]),
            Err(error) => Reply::Error(error.in_rrdtools_words()),
        }
    }

    fn with_directory(&self, word: &str) -> String {
        match word.ends_with(".rrd") {
            true => match word.split_once('=') {
                Some((option, name)) => format!("{option}={}{name}", self.ours),
                None => format!("{}{word}", self.ours),
            },
            false => word.into(),
        }
    }

    /// Tells both, which must answer the same.
    pub(crate) fn tell(&mut self, words: &[String]) -> Reply {
        let theirs = self.tell_theirs(words);
        let ours = self.tell_ours(words);
        // rrdtool itself names the file in some messages and not in others.
        let plain = |reply: &Reply| match reply {
            Reply::Error(words) => Reply::Error(words.replace("a.rrd: ", "")),
            other => other.clone(),
        };
        assert_eq!(plain(&theirs), plain(&ours), "theirs first, after\n{}", self.told());
        theirs
    }

    /// Lets rrdtool make a file, and takes a copy of it.
    pub(crate) fn make(&mut self, name: &str, words: &[String]) {
        assert_eq!(self.tell_theirs(words), Reply::Ok(vec![]), "{}", self.told());
        fs::copy(self.theirs(name), self.ours(name)).unwrap();
    }
}

/// The words of a line.
pub(crate) fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}
