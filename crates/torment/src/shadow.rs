//! The reference: Debian's rrdtool with the same changes.

use std::fs;
use std::path::{Path, PathBuf};

use files::{Access, RrdFile};
use oracle::{Reply, Rrdtool};

use crate::Checked;
use crate::ledger::{Change, Entry};

/// The reference's files, one for each database by number.
pub(crate) struct Shadow {
    rrdtool: Rrdtool,
    root: PathBuf,
    /// How many changes of each entry's history are applied to its file.
    applied: Vec<usize>,
    copies: usize,
}

impl Shadow {
    pub(crate) fn new(program: &Path, root: PathBuf, databases: usize) -> Checked<Self> {
        fs::create_dir_all(&root).map_err(|error| format!("{}: {error}", root.display()))?;
        let rrdtool = Rrdtool::start(program, &root);
        Ok(Self { rrdtool, root, applied: vec![0; databases], copies: 0 })
    }

    /// The path of a database's file.
    pub(crate) fn path(&self, entry: &Entry) -> PathBuf {
        self.root.join(file_name(entry))
    }

    /// Brings a file to the state after this many changes. If it has more, which were forgotten
    /// since, it is made again from the first change on.
    pub(crate) fn reach(&mut self, entry: &Entry, changes: usize) -> Checked<()> {
        if self.applied[entry.nth] > changes {
            self.applied[entry.nth] = 0;
        }
        for change in &entry.history[self.applied[entry.nth]..changes] {
            self.apply(entry, change)?;
        }
        self.applied[entry.nth] = changes;
        Ok(())
    }

    /// Drops the changes after this number: the next change makes the file again.
    pub(crate) fn forget(&mut self, entry: &Entry, changes: usize) {
        let applied = &mut self.applied[entry.nth];
        *applied = changes.min(*applied);
    }

    /// A file as XML.
    pub(crate) fn dump(&mut self, entry: &Entry) -> Checked<String> {
        Ok(self.send(&format!("dump {}", file_name(entry)))?.join("\n"))
    }

    /// The output of `fetch` with these words after the name.
    pub(crate) fn fetch(&mut self, entry: &Entry, words: &str) -> Checked<Vec<String>> {
        self.send(&format!("fetch {} {words}", file_name(entry)))
    }

    /// The whole content of a file.
    pub(crate) fn snapshot(&self, entry: &Entry) -> Checked<rrd::Snapshot> {
        let file = RrdFile::open(&self.path(entry), Access::Read);
        file.and_then(|file| file.snapshot()).map_err(|error| error.to_string())
    }

    /// A copy of the present file, named by the last part of the database's name.
    pub(crate) fn copy(&mut self, entry: &Entry) -> Checked<PathBuf> {
        self.copies += 1;
        let directory = self.root.join(format!("copy{}", self.copies));
        let name = Path::new(entry.name()).file_name().expect("a name has a last part");
        let copy = directory.join(name);
        fs::create_dir_all(&directory)
            .and_then(|()| fs::copy(self.path(entry), &copy))
            .map_err(|error| format!("{}: {error}", copy.display()))?;
        Ok(copy)
    }

    /// Replaces a file by one that rrdtool restored from XML.
    pub(crate) fn restored(&mut self, xml: &Path, file: &Path) -> Checked<PathBuf> {
        self.send(&format!("restore -f {} {}", xml.display(), file.display()))?;
        Ok(file.to_owned())
    }

    fn apply(&mut self, entry: &Entry, change: &Change) -> Checked<()> {
        let name = file_name(entry);
        let text = |error: std::io::Error| format!("{name}: {error}");
        match change {
            Change::Create { words, .. } => drop(self.send(&format!("create {name} {words}"))?),
            Change::Update { values, .. } => {
                drop(self.send(&format!("update {name} {}", values.join(" ")))?);
            }
            Change::Tune { words } => drop(self.send(&format!("tune {name} {words}"))?),
            Change::Resize { words } => {
                self.send(&format!("resize {name} {words}"))?;
                fs::rename(self.root.join("resize.rrd"), self.root.join(&name)).map_err(text)?;
            }
            Change::Replace { file, .. } => {
                fs::copy(file, self.root.join(&name)).map_err(text)?;
            }
            Change::Delete => fs::remove_file(self.root.join(&name)).map_err(text)?,
            Change::Rename { .. } => {}
        }
        Ok(())
    }

    fn send(&mut self, command: &str) -> Checked<Vec<String>> {
        match self.rrdtool.send(command) {
            Reply::Ok(lines) => Ok(lines),
            Reply::Error(error) => Err(format!("rrdtool: {command}: {error}")),
        }
    }
}

/// Names in a ring store contain directories; names here do not.
fn file_name(entry: &Entry) -> String {
    format!("{}.rrd", entry.nth)
}
