//! The pipe mode: commands one after the other, with a kill in one of them.

use std::time::Duration;

use oracle::Reply;
use rustix::process::{Pid, Signal, kill_process};

use super::Trial;
use crate::Checked;
use crate::judge::{Pipe, settle_open};
use crate::ledger::Change;
use crate::power::PowerDisk;
use crate::world::START_SECONDS;

impl Trial<'_> {
    pub(super) fn pipe_life(&mut self) -> Checked<()> {
        let mut pipe = Pipe::start(self.site)?;
        settle_open(&mut pipe, &mut self.shadow, &mut self.entries)?;
        let process = Pid::from_raw(pipe.process() as i32).ok_or("a process has a number")?;
        let after = Duration::from_micros(self.random.below(60_000));
        let mut power = self.power.take();
        let outcome = std::thread::scope(|scope| {
            let power = power.as_mut();
            let killer = scope.spawn(move || {
                std::thread::sleep(after);
                let cut = power.map_or(Ok(()), PowerDisk::cut);
                // The process id stays valid until the pipe is dropped.
                let _ = kill_process(process, Signal::KILL);
                cut
            });
            let done = self.commands_until_it_is_gone(&mut pipe);
            done.and(killer.join().expect("it only waits and kills"))
        });
        self.power = power;
        drop(pipe);
        outcome?;
        self.recover()
    }

    fn commands_until_it_is_gone(&mut self, pipe: &mut Pipe<'_>) -> Checked<()> {
        loop {
            let nth = self.random.below(self.entries.len() as u64) as usize;
            let Some((verb, words)) = self.next_command(nth) else { continue };
            let entry = &mut self.entries[nth];
            match pipe.send(verb, &self.site.path(entry.name()), &words) {
                None => return Ok(()),
                Some(Reply::Ok(_)) => entry.acknowledge(),
                // The disk has failed; the kill follows.
                Some(Reply::Error(_)) if self.world.is_cut => return Ok(()),
                Some(Reply::Error(error)) => {
                    return Err(format!("{verb} {} {words}: {error}", entry.name()));
                }
            }
            self.counts.samples += 1;
        }
    }

    /// A command for a database, recorded as requested.
    fn next_command(&mut self, nth: usize) -> Option<(&'static str, String)> {
        let Self { entries, world, random, cycle, .. } = self;
        let entry = &mut entries[nth];
        let layout = &world.layouts[entry.member.layout];
        if !entry.exists() && layout.forecasts() {
            return None;
        }
        if !entry.exists() {
            let words = layout.words(START_SECONDS);
            let start_seconds = START_SECONDS;
            entry.history.push(Change::Create { words: words.clone(), start_seconds });
            return Some(("create", words));
        }
        if random.below(40) == 0 {
            let words = format!("-h s0:{}", layout.step_seconds * (1 + random.below(9) as i64));
            if layout.kinds().count() > 0 && !layout.is_of_mrtg() {
                entry.history.push(Change::Tune { words: words.clone() });
                return Some(("tune", words));
            }
        }
        let last = entry.last_seconds();
        // About as fast as the clients of the daemon.
        let cycle = cycle.fetch_add(1, std::sync::atomic::Ordering::Relaxed) / world.clients as i64;
        let times = entry.member.habit.times(cycle, layout.step_seconds, last, random);
        let times = if times.is_empty() { vec![last + layout.step_seconds] } else { times };
        let last_seconds = *times.last()?;
        let values: Vec<String> =
            times.into_iter().map(|time| entry.readings.sample(time, layout, random)).collect();
        let words = values.join(" ");
        entry.history.push(Change::Update { values, last_seconds });
        Some(("update", words))
    }
}
