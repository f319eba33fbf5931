//! The files in ThreshDir: one for each limit that is broken, as MRTG keeps them.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rrdtool::system_words;
use thresholds::Mark;

use super::super::tell;

/// A directory that changed so shortly ago may have changed again without a newer time.
const TIME_PRECISION: Duration = Duration::from_secs(2);

/// The marks in a directory. Others may add and remove some at any time: an operator removes one
/// to be told again.
pub(super) struct Marks {
    directory: PathBuf,
    names: HashSet<String>,
    /// Marks that could not be written: as long as this process lives, it remembers them.
    unwritten: HashSet<String>,
    /// When the directory had changed last when it was read.
    changed: Option<SystemTime>,
    is_trouble_told: bool,
}

impl Marks {
    pub(super) fn of(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            names: HashSet::new(),
            unwritten: HashSet::new(),
            changed: None,
            is_trouble_told: false,
        }
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Reads the directory if it may have changed. If it cannot be read, what is known stays.
    pub(super) fn refresh(&mut self) {
        match self.read_if_changed() {
            Ok(()) => self.is_trouble_told = false,
            Err(error) if !self.is_trouble_told => {
                let (path, why) = (self.directory.display(), system_words(&error));
                tell(format_args!("ThreshDir: {path} cannot be read: {why}"));
                self.is_trouble_told = true;
            }
            Err(_) => {}
        }
    }

    fn read_if_changed(&mut self) -> io::Result<()> {
        let changed = fs::metadata(&self.directory)?.modified()?;
        let is_settled = changed.elapsed().is_ok_and(|age| age > TIME_PRECISION);
        if self.changed == Some(changed) && is_settled {
            return Ok(());
        }
        let mut names = self.unwritten.clone();
        for entry in fs::read_dir(&self.directory)? {
            names.extend(entry?.file_name().into_string());
        }
        self.names = names;
        // Not settled: the next look reads it again.
        self.changed = is_settled.then_some(changed);
        Ok(())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Makes or removes a mark.
    pub(super) fn change(&mut self, mark: &Mark) {
        let (name, done) = match mark {
            Mark::Make(name) => {
                self.names.insert(name.clone());
                let made = fs::File::create(self.directory.join(name)).map(drop);
                if made.is_err() {
                    self.unwritten.insert(name.clone());
                }
                (name, made)
            }
            Mark::Remove(name) => {
                self.names.remove(name);
                let was_written = !self.unwritten.remove(name);
                let removed = fs::remove_file(self.directory.join(name));
                (name, if was_written { removed } else { Ok(()) })
            }
        };
        if let Err(error) = done {
            let (path, why) = (self.directory.join(name), system_words(&error));
            tell(format_args!(
                "ThreshDir: {}: {why}; its state is lost at a restart",
                path.display()
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_others_are_seen_and_lost_ones_remembered() {
        let directory = tempfile::tempdir().unwrap();
        let mut marks = Marks::of(directory.path());
        fs::write(directory.path().join("mrtg.cfg.a.threshmaxI"), "").unwrap();
        marks.refresh();
        assert!(marks.has("mrtg.cfg.a.threshmaxI"));
        fs::remove_file(directory.path().join("mrtg.cfg.a.threshmaxI")).unwrap();
        marks.refresh();
        assert!(!marks.has("mrtg.cfg.a.threshmaxI"));
        marks.change(&Mark::Make("one".into()));
        marks.change(&Mark::Make("no/where".into()));
        assert!(directory.path().join("one").is_file());
        marks.refresh();
        assert!(marks.has("one") && marks.has("no/where"));
        marks.change(&Mark::Remove("one".into()));
        marks.change(&Mark::Remove("no/where".into()));
        marks.refresh();
        assert!(!marks.has("one") && !marks.has("no/where"));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
