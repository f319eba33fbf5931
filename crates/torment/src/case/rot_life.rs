//! Copies of gyre's files, each damaged in one place and then read.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use super::Trial;
use crate::Checked;
use crate::daemon::Daemon;
use crate::judge::{Pipe, Shown, View, settle};
use crate::ledger::Entry;
use crate::rot::{Damage, Rotten, Victim, judge, seconds_a_row};
use crate::site::{Site, text_of};
use crate::world::{Kept, Layout};

/// The most damages between two loads.
const DAMAGES_MAX: u64 = 12;

impl Trial<'_> {
    /// Loads the daemon, ends or kills it, and reads damaged copies of its files.
    pub(super) fn rot_life(&mut self) -> Checked<()> {
        let was_killed = self.daemon_life_to_rot()?;
        let left = self.site.room.join("left");
        copy(&self.site.data, &left)?;
        // The state without damage.
        let mut daemon = Daemon::listening(self.site, &self.world)?;
        settle(&mut daemon, &mut self.shadow, &mut self.entries)?;
        daemon.end()?;
        let sound = self.site.room.join("sound");
        copy(&self.site.data, &sound)?;
        for _ in 0..1 + self.random.below(DAMAGES_MAX) {
            self.damaged(&left, was_killed)?;
            self.counts.damages += 1;
        }
        copy(&sound, &self.site.data)
    }

    fn damaged(&mut self, left: &std::path::Path, was_killed: bool) -> Checked<()> {
        let site = self.site;
        // At the original path, because the journal of files contains their paths.
        copy(left, &site.data)?;
        let _ = fs::remove_file(site.log()); // what is said of this damage is looked for in it
        let damage = Damage::inflict(&site.data, &mut self.random)?;
        // A ring store that was closed needs no journal. With files, samples may wait in the
        // journal.
        let needs_journal = was_killed || site.kept == Kept::Files;
        let told = |reason: String| format!("{damage:?}, killed: {was_killed}: {reason}");
        let mut refused = Vec::new();
        if site.kept == Kept::Files || self.random.below(3) == 0 {
            match Daemon::listening(site, &self.world) {
                Ok(mut daemon) => match self.look_at(&mut daemon, &damage) {
                    Ok(rotten) => refused.extend(rotten.refused),
                    // The daemon listens before it has checked everything.
                    Err(_) if daemon.has_ended() => refused.push(daemon.fate()),
                    Err(reason) => return Err(told(reason)),
                },
                Err(reason) => refused.push(reason),
            }
        }
        let mut rotten = match site.kept {
            Kept::Ring => self.look_at(&mut Pipe::start(site)?, &damage),
            Kept::Files => Ok(Rotten::new()),
        };
        if let Ok(rotten) = &mut rotten {
            rotten.refused.extend(refused);
        }
        let rotten = rotten.map_err(told)?;
        judge(&damage, &rotten, needs_journal).map_err(told)?;
        site.check_log().map_err(told)?;
        match rotten.is_nothing() {
            true => Ok(()),
            false => self.is_named(site, &damage, &rotten).map_err(told),
        }
    }

    /// Compares everything that is shown with the state without damage.
    fn look_at(&mut self, view: &mut impl View, damage: &Damage) -> Checked<Rotten> {
        let mut rotten = Rotten::new();
        let Self { entries, shadow, world, .. } = self;
        for entry in entries.iter() {
            let found = view.dump(entry.name())?;
            // An .rrd file has no checksums, so its damaged content counts as true. The other files
            // must be as before.
            if damage.victim == Victim::Database && damage.file.ends_with(entry.name()) {
                continue;
            }
            let expected = match entry.exists() {
                true => Shown::Content(shadow.dump(entry)?.trim_end_matches('\n').to_owned()),
                false => Shown::Absent,
            };
            // Samples in a damaged journal are lost.
            let is_older = damage.victim == Victim::Journal && found != expected;
            match is_older && matches!(found, Shown::Content(_) | Shown::Absent) {
                true => rotten.add_older(entry, &found),
                false => rotten.add(entry, &found, &expected)?,
            }
            if matches!(found, Shown::Refused(_)) && entry.exists() {
                // If rows are missing, the database cannot be copied, but a fetch gives the other
                // rows. Functions of one resolution may share their rows, and then the same rows
                // are missing for each. If a short archive is requested, a longer one of another
                // resolution may answer.
                let mut lost: BTreeMap<u64, usize> = BTreeMap::new();
                for (seconds, words) in fetches(entry, &world.layouts[entry.member.layout]) {
                    let Some(found) = view.fetch(entry.name(), &words)? else { break };
                    let values = rotten.lost_rows(&words, &found, &shadow.fetch(entry, &words)?)?;
                    let rows = found.unwrap_or_default();
                    let most = lost.entry(seconds_a_row(&rows).unwrap_or(seconds)).or_default();
                    *most = values.max(*most);
                }
                rotten.values += lost.into_values().sum::<usize>();
            }
        }
        Ok(rotten)
    }

    /// Everything that is lost must be reported with the name of the damaged file.
    fn is_named(&self, site: &Site, damage: &Damage, rotten: &Rotten) -> Checked<()> {
        let name = damage.file_name();
        let said = match site.kept {
            Kept::Ring => {
                let mut command = site.gyre();
                command.arg("verify").arg(site.ring());
                let output = site.output(command)?;
                text_of(&output)
            }
            Kept::Files => String::new(),
        };
        let said = fs::read_to_string(site.log()).unwrap_or_default() + &said;
        // If nothing was written after a frame, it looks the same whether it was acknowledged or
        // not.
        let may_be_torn = self.world.sync != "always" || rotten.misses_only_last;
        if damage.victim == Victim::Journal && may_be_torn {
            return Ok(());
        }
        match said.contains(&name) || rotten.refused.iter().any(|reason| reason.contains(&name)) {
            true => Ok(()),
            false => Err(format!("{rotten:?}, and no message names {name}: {said}")),
        }
    }
}

/// The words after the name that fetch all rows of each function and resolution, each with the
/// resolution in seconds.
fn fetches(entry: &Entry, layout: &Layout) -> Vec<(u64, String)> {
    let end = entry.last_seconds();
    let all = layout.fetchable().into_iter();
    let words = |(function, seconds): (String, i64)| {
        let words = format!("{function} -r {seconds} -s {} -e {end}", end - 900 * seconds);
        (seconds.cast_unsigned(), words)
    };
    all.map(words).collect()
}

fn copy(from: &std::path::Path, to: &std::path::Path) -> Checked<()> {
    let _ = fs::remove_dir_all(to); // there is none the first time
    let text = |error: std::io::Error| format!("{}: {error}", to.display());
    fs::create_dir_all(to.parent().expect("it lies in a room")).map_err(text)?;
    let mut command = Command::new("cp");
    command.args(["-a", "--sparse=always"]).arg(from).arg(to);
    let status = command.status().map_err(text)?;
    if status.success() { Ok(()) } else { Err(format!("{}: cp: {status}", to.display())) }
}
