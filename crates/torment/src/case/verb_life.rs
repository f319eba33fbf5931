//! Verbs that change a whole database, each killed at some time.

use std::fs;
use std::process::Command;

use super::Trial;
use super::strike::Ended;
use crate::Checked;
use crate::judge::{Pipe, settle_open};
use crate::ledger::{Change, Entry};

/// The longest time until a verb is killed.
const MICROS_MAX: u64 = 120_000;

impl Trial<'_> {
    pub(super) fn verb_life(&mut self) -> Checked<()> {
        let mut pipe = Pipe::start(self.site)?;
        settle_open(&mut pipe, &mut self.shadow, &mut self.entries)?;
        drop(pipe);
        for _ in 0..1 + self.random.below(3) {
            let nth = self.random.below(self.entries.len() as u64) as usize;
            if !self.entries[nth].exists() || self.entries[nth].is_open() {
                continue;
            }
            let (change, command) = self.verb(nth)?;
            self.entries[nth].history.push(change);
            let after_micros = self.random.below(MICROS_MAX);
            match self.struck(command, after_micros)? {
                Ended::Done => self.entries[nth].acknowledge(),
                Ended::Killed => {}
                Ended::Failed => {
                    let asked = self.entries[nth].history.last();
                    return Err(format!("{asked:?}: {}", self.last_words()));
                }
            }
        }
        Ok(())
    }

    /// A random verb for a database, and its change.
    fn verb(&mut self, nth: usize) -> Checked<(Change, Command)> {
        let mut command = self.site.gyre();
        let ring = self.site.ring();
        let entry = &self.entries[nth];
        let path = self.site.path(entry.name());
        // A season that was removed could not be restored to the same values.
        let stays = self.world.layouts[entry.member.layout].forecasts();
        let change = match self.random.below(6) {
            1 if !stays => {
                command.args(["store", "delete"]).arg(ring).arg(entry.name());
                Change::Delete
            }
            0 | 1 => {
                let name = entry.name().trim_start_matches("renamed/").to_owned();
                let renamed = entry.name() == name;
                let to = if renamed { format!("renamed/{name}") } else { name };
                command.args(["store", "rename"]).arg(ring).args([entry.name(), &to]);
                Change::Rename { to }
            }
            2 => {
                let words = format!("0 GROW {}", 1 + self.random.below(9));
                command.arg("resize").arg(path).args(words.split(' '));
                Change::Resize { words }
            }
            3 => {
                let words = format!("RRA:MAX:0.5:{}:7", 2 + self.random.below(5));
                command.arg("tune").arg(path).arg(&words);
                Change::Tune { words }
            }
            4 => self.replace(nth, &mut command)?,
            _ => self.restore(nth, &mut command)?,
        };
        Ok((change, command))
    }

    /// Replaces the database by a file with its present state, or its state at the last copy.
    fn replace(&mut self, nth: usize, command: &mut Command) -> Checked<Change> {
        let (file, last_seconds) = self.copy(nth)?;
        let entry = &self.entries[nth];
        // The name of an imported database is its path below the directory.
        let directory = self.site.room.join("import-one");
        let _ = fs::remove_dir_all(&directory); // there is none the first time
        let place = directory.join(entry.name());
        fs::create_dir_all(place.parent().expect("it lies in a directory"))
            .and_then(|()| fs::copy(&file, &place))
            .map_err(|error| format!("{}: {error}", place.display()))?;
        command.args(["import", "--replace"]).arg(self.site.ring()).arg(&directory);
        Ok(Change::Replace { file, last_seconds })
    }

    /// Replaces the database from its dump.
    fn restore(&mut self, nth: usize, command: &mut Command) -> Checked<Change> {
        let (file, last_seconds) = self.copy(nth)?;
        let entry = &self.entries[nth];
        let xml = self.site.room.join("restore.xml");
        // A dump has only ten digits of each value. The heartbeat is changed, so that a restored
        // database can be distinguished.
        let dump = with_longer_heartbeat(&self.shadow.dump(entry)?);
        fs::write(&xml, dump).map_err(|error| format!("{}: {error}", xml.display()))?;
        command.args(["restore", "-f"]).arg(&xml).arg(self.site.path(entry.name()));
        Ok(Change::Replace { file: self.shadow.restored(&xml, &file)?, last_seconds })
    }

    fn copy(&mut self, nth: usize) -> Checked<(std::path::PathBuf, i64)> {
        let entry: &Entry = &self.entries[nth];
        self.shadow.reach(entry, entry.history.len())?;
        Ok((self.shadow.copy(entry)?, entry.last_seconds()))
    }

    fn last_words(&self) -> String {
        let said = fs::read_to_string(self.site.log()).unwrap_or_default();
        said.lines().last().unwrap_or("it said nothing").to_owned()
    }
}

/// A dump in which the first source has another heartbeat.
fn with_longer_heartbeat(dump: &str) -> String {
    const BEGIN: &str = "<minimal_heartbeat>";
    let (before, rest) = dump.split_once(BEGIN).expect("a database has a source");
    let (seconds, after) = rest.split_once('<').expect("XML is closed");
    let seconds: u64 = seconds.trim().parse().expect("it is a number");
    format!("{before}{BEGIN}{}<{after}", seconds + 1)
}
