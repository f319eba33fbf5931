//! A client: its requests for its databases, cycle after cycle.

use std::sync::atomic::Ordering;

use disk::Random;

use super::Shared;
use crate::Checked;
use crate::client::{Answer, Client};
use crate::ledger::{Change, Entry};
use crate::world::{Kept, START_SECONDS};

/// One client with its databases.
pub(super) struct Worker<'a, 'b> {
    pub(super) shared: &'a Shared<'b>,
    pub(super) entries: &'a mut [Entry],
    pub(super) random: Random,
}

/// Why a client ends.
enum Stop {
    /// The daemon is gone, or the client was told to end.
    Gone,
    /// The daemon gave a wrong answer.
    Wrong(String),
}

type Worked<T> = Result<T, Stop>;

impl Worker<'_, '_> {
    pub(super) fn run(mut self) -> Checked<()> {
        // A broken connection is replaced as long as the daemon runs.
        while let Some(mut client) = self.client() {
            loop {
                match self.cycle(&mut client) {
                    Ok(()) => {}
                    Err(Stop::Gone) => break,
                    Err(Stop::Wrong(what)) => return Err(what),
                }
            }
        }
        Ok(())
    }

    fn client(&self) -> Option<Client> {
        match self.shared.ends.load(Ordering::Relaxed) {
            true => None,
            false => Client::connect(&self.shared.site.socket()),
        }
    }

    fn cycle(&mut self, client: &mut Client) -> Worked<()> {
        let turns = self.shared.cycle.fetch_add(1, Ordering::Relaxed);
        let cycle = turns / self.shared.world.clients as i64;
        let mut lines = Vec::new();
        for nth in 0..self.entries.len() {
            if self.shared.ends.load(Ordering::Relaxed) {
                return Err(Stop::Gone);
            }
            if self.entries[nth].is_open() && !self.entries[nth].is_kept {
                self.repeat(client, nth)?;
            } else if !self.entries[nth].exists() {
                self.make(client, nth, cycle)?;
            }
            if let Some(line) = self.next_line(nth, cycle) {
                lines.push((nth, line));
            }
        }
        if self.random.below(3) == 0 {
            self.batch(client, &lines)?;
        } else {
            lines.iter().try_for_each(|(nth, line)| self.update(client, *nth, line))?;
        }
        self.aside(client)
    }

    /// Sends a refused request again.
    fn repeat(&mut self, client: &mut Client, nth: usize) -> Worked<()> {
        let entry = &mut self.entries[nth];
        let line = match entry.history.last() {
            Some(Change::Create { words, .. }) => format!("CREATE {} {words}\n", entry.name()),
            Some(Change::Update { values, .. }) => {
                format!("UPDATE {} {}\n", entry.name(), values.join(" "))
            }
            _ => return Ok(()),
        };
        match ask(client, &line)? {
            Answer::Done { .. } => self.acknowledged(nth),
            Answer::Refused(error) if error.contains("illegal attempt to update") => {
                entry.is_kept = true;
            }
            Answer::Refused(error) if self.waits_for_lost_file(&error) => {
                self.drop_waiting(client, nth)?;
            }
            Answer::Refused(error) => self.refused(&line, &error)?,
        }
        Ok(())
    }

    /// Whether a database cannot be made because samples wait for a file that had its name. On a
    /// disk that fails these may be unacknowledged samples of a file that never reached the disk.
    fn waits_for_lost_file(&self, error: &str) -> bool {
        self.shared.world.is_failing && error.contains("wait for the file that was here")
    }

    /// Drops these samples, as an operator would; then the database is requested again.
    fn drop_waiting(&mut self, client: &mut Client, nth: usize) -> Worked<()> {
        let line = format!("FORGET {}\n", self.entries[nth].name());
        match ask(client, &line)? {
            Answer::Done { .. } => Ok(()),
            Answer::Refused(error) => self.refused(&line, &error),
        }
    }

    /// Makes a database whose time has come.
    fn make(&mut self, client: &mut Client, nth: usize, cycle: i64) -> Worked<()> {
        let world = self.shared.world;
        let entry = &mut self.entries[nth];
        let layout = &world.layouts[entry.member.layout];
        if cycle < entry.member.habit.first_cycle() || layout.forecasts() {
            return Ok(());
        }
        let start_seconds = START_SECONDS + cycle * layout.step_seconds - layout.step_seconds;
        let words = layout.words(start_seconds);
        let line = format!("CREATE {} {words}\n", entry.name());
        entry.history.push(Change::Create { words, start_seconds });
        match ask(client, &line)? {
            Answer::Done { .. } => entry.acknowledge(),
            Answer::Refused(error) if self.waits_for_lost_file(&error) => {
                self.drop_waiting(client, nth)?;
            }
            Answer::Refused(error) if self.is_given_up(&error) => {}
            Answer::Refused(error) => self.refused(&line, &error)?,
        }
        Ok(())
    }

    /// Whether a database was not made because the daemon ends.
    fn is_given_up(&self, error: &str) -> bool {
        self.shared.is_told_to_end.load(Ordering::Relaxed) && error.contains("given up: ")
    }

    /// The update of this cycle, recorded as requested.
    fn next_line(&mut self, nth: usize, cycle: i64) -> Option<String> {
        let entry = &mut self.entries[nth];
        // After an update that may be lost or come back, the effect of a further update is not
        // known, so none is sent.
        if !entry.exists() || entry.may_have_forgotten || (entry.is_open() && !entry.is_kept) {
            return None;
        }
        let layout = &self.shared.world.layouts[entry.member.layout];
        let (habit, last_seconds) = (entry.member.habit, entry.last_seconds());
        let times = habit.times(cycle, layout.step_seconds, last_seconds, &mut self.random);
        let last_seconds = *times.last()?;
        entry.is_kept = false;
        let values: Vec<String> = times
            .into_iter()
            .map(|time| entry.readings.sample(time, layout, &mut self.random))
            .collect();
        let line = format!("UPDATE {} {}", entry.name(), values.join(" "));
        entry.history.push(Change::Update { values, last_seconds });
        Some(line)
    }

    fn update(&mut self, client: &mut Client, nth: usize, line: &str) -> Worked<()> {
        match ask(client, &format!("{line}\n"))? {
            Answer::Done { .. } => self.acknowledged(nth),
            Answer::Refused(error) => self.refused(line, &error)?,
        }
        Ok(())
    }

    fn batch(&mut self, client: &mut Client, lines: &[(usize, String)]) -> Worked<()> {
        ask(client, "BATCH\n")?;
        let text: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
        let errors = match ask(client, &format!("{text}.\n"))? {
            Answer::Done { lines, .. } => lines,
            Answer::Refused(error) => return self.refused("BATCH", &error),
        };
        for (at, (nth, line)) in lines.iter().enumerate() {
            let number = format!("{} ", at + 1);
            match errors.iter().find(|error| error.starts_with(&number)) {
                None => self.acknowledged(*nth),
                Some(error) => self.refused(line, error)?,
            }
        }
        Ok(())
    }

    fn acknowledged(&mut self, nth: usize) {
        let entry = &mut self.entries[nth];
        entry.acknowledge();
        if let Some(Change::Update { values, .. }) = entry.history.last() {
            self.shared.samples.fetch_add(values.len() as u64, Ordering::Relaxed);
        }
    }

    /// Between updates: reads, flushes, and an update that must have no effect.
    fn aside(&mut self, client: &mut Client) -> Worked<()> {
        let nth = self.random.below(self.entries.len() as u64) as usize;
        let entry = &self.entries[nth];
        if !entry.exists() || entry.is_open() {
            return Ok(());
        }
        let name = entry.name();
        if self.random.below(12) == 0 {
            return self.forget(client, nth);
        }
        // It is not known which updates such a database accepts.
        if entry.may_have_forgotten {
            return Ok(());
        }
        let (line, must_fail) = match self.random.below(12) {
            0 => (format!("FLUSH {name}\n"), false),
            1 => ("FLUSHALL\n".into(), false),
            2 => (format!("FETCH {name} AVERAGE\n"), false),
            3 => (format!("INFO {name}\n"), false),
            4 => (format!("UPDATE {name} {}:1:2:3\n", entry.last_seconds()), true),
            5 => (format!("UPDATE {name} {}:x\n", entry.last_seconds() + 1), true),
            _ => return Ok(()),
        };
        match ask(client, &line)? {
            Answer::Done { status, .. } if must_fail => {
                Err(Stop::Wrong(format!("{} was answered by {status}", line.trim_end())))
            }
            Answer::Refused(error) if !must_fail => self.refused(&line, &error),
            _ => Ok(()),
        }
    }

    /// Sends FORGET, which drops the samples that wait for a file, though they were acknowledged.
    /// The file must then show the state after some number of its changes. In a ring store no
    /// samples wait.
    fn forget(&mut self, client: &mut Client, nth: usize) -> Worked<()> {
        let entry = &mut self.entries[nth];
        entry.may_have_forgotten = self.shared.site.kept == Kept::Files;
        let line = format!("FORGET {}\n", entry.name());
        match ask(client, &line)? {
            Answer::Done { .. } => {}
            // The daemon does not know the file, so no samples wait.
            Answer::Refused(error) if error.contains("No such file") => {}
            // INFO may show another state than the next start finds in the journal.
            Answer::Refused(error) => return self.refused(&line, &error),
        }
        let line = format!("INFO {}\n", entry.name());
        let lines = match ask(client, &line)? {
            Answer::Done { lines, .. } => lines,
            Answer::Refused(error) => return self.refused(&line, &error),
        };
        let entry = &mut self.entries[nth];
        let last = lines.iter().find(|line| line.starts_with("last_update "));
        let last = last.and_then(|line| line.rsplit(' ').next()?.parse::<i64>().ok());
        let (least, most) = (entry.changes_min(), entry.history.len());
        let left = (least..=most).rev().find(|changes| Some(entry.seconds_after(*changes)) == last);
        match left {
            Some(changes) => {
                entry.forget(changes);
                Ok(())
            }
            None => Err(Stop::Wrong(format!(
                "{} after FORGET: its last sample: {last:?}",
                line.trim_end()
            ))),
        }
    }

    fn refused(&self, line: &str, error: &str) -> Worked<()> {
        match self.shared.may_refuse.load(Ordering::Relaxed) {
            true => Ok(()),
            false => Err(Stop::Wrong(format!("{} was answered by {error}", line.trim_end()))),
        }
    }
}

fn ask(client: &mut Client, lines: &str) -> Worked<Answer> {
    client.ask(lines).ok_or(Stop::Gone)
}
