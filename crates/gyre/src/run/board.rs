//! What the web pages show of a run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use collector::{DevicePoll, Missing, Outcome};
use server::{Catalogue, Cycle, Device, Health, Site, Status};

use super::programs::ProgramPoll;

/// The most remarks on the configuration that pages show: a remark for each of many thousand
/// targets would make every page slow. Standard error has them all.
const REMARKS_MAX: usize = 50;

/// Shared by the measuring and writing threads, which fill it, and the server, which reads it.
pub(super) struct Board {
    catalogue: RwLock<Arc<Catalogue>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    status: Status,
    /// Remarks on the configuration.
    remarks: Vec<String>,
    /// Problems of the last cycle.
    troubles: Vec<String>,
}

impl Board {
    /// `sources` are the names of all devices and programs.
    pub(super) fn new(catalogue: Catalogue, interval: Duration, sources: &[Arc<str>]) -> Self {
        let board = Self {
            catalogue: RwLock::new(Arc::new(Catalogue::default())),
            state: Mutex::default(),
        };
        {
            let status = &mut board.state().status;
            status.program = concat!("gyre ", env!("CARGO_PKG_VERSION")).to_owned();
            status.started_seconds = now_seconds();
        }
        board.show(catalogue, interval, sources);
        board
    }

    /// Switches to another configuration. Devices that remain keep their status.
    pub(super) fn show(&self, catalogue: Catalogue, interval: Duration, sources: &[Arc<str>]) {
        *self.catalogue.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalogue);
        let status = &mut self.state().status;
        status.interval_seconds = interval.as_secs();
        let mut known: std::collections::HashMap<_, _> =
            status.devices.drain(..).map(|device| (device.name.clone(), device)).collect();
        let devices = sources.iter().map(|name| {
            let fresh = || Device {
                name: name.clone(),
                health: Health::Unknown,
                took_seconds: None,
                answered_seconds: None,
                problem: None,
                about: None,
            };
            known.remove(name).unwrap_or_else(fresh)
        });
        status.devices = devices.collect();
    }

    /// Records a device's poll.
    pub(super) fn device(&self, poll: &DevicePoll) {
        let status = &mut self.state().status;
        // A poll may arrive while a reload is half done.
        let Some(device) = status.devices.get_mut(poll.device) else {
            return;
        };
        device.problem = problem(poll).map(Arc::from);
        if poll.outcome != Outcome::Answered {
            device.health = Health::Silent;
            device.took_seconds = None;
            return;
        }
        device.health = if poll.restarted { Health::Restarted } else { Health::Answering };
        device.took_seconds = Some(poll.took.as_secs_f64());
        device.answered_seconds = Some(now_seconds());
    }

    /// Records what a program said; it has the place behind the devices.
    pub(super) fn program(&self, place: usize, poll: &ProgramPoll) {
        let status = &mut self.state().status;
        let Some(program) = status.devices.get_mut(place) else {
            return;
        };
        program.problem.clone_from(&poll.problem);
        program.about.clone_from(&poll.about);
        if poll.problem.is_some() && !poll.has_value() {
            program.health = Health::Silent;
            program.took_seconds = None;
            return;
        }
        program.health = Health::Answering;
        program.took_seconds = Some(poll.took.as_secs_f64());
        program.answered_seconds = Some(poll.time.seconds);
    }

    /// Records a cycle.
    pub(super) fn cycle(&self, cycle: Cycle) {
        self.state().status.cycle = Some(cycle);
    }

    /// Replaces the remarks on the configuration.
    pub(super) fn remark(&self, mut remarks: Vec<String>) {
        let more = remarks.len().saturating_sub(REMARKS_MAX);
        if more > 0 {
            remarks.truncate(REMARKS_MAX);
            remarks.push(format!("and {more} more remarks, which are told on standard error"));
        }
        self.state().remarks = remarks;
    }

    /// Replaces the problems of the last cycle.
    pub(super) fn trouble(&self, troubles: Vec<String>) {
        self.state().troubles = troubles;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Site for Board {
    fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn status(&self) -> Arc<Status> {
        let state = self.state();
        let remarks = [&state.troubles[..], &state.remarks[..]].concat();
        Arc::new(Status { remarks, ..state.status.clone() })
    }
}

/// The problem of a device, in words.
fn problem(poll: &DevicePoll) -> Option<String> {
    if poll.outcome != Outcome::Answered {
        return Some(poll.outcome.to_string());
    }
    let readings = || poll.readings.iter().chain(&poll.walked);
    let missing = || readings().filter_map(|reading| reading.as_ref().err());
    let first = missing().find(|why| **why != Missing::NotAsked)?;
    let (count, all) = (missing().count(), readings().count());
    Some(format!("{count} of {all} values are missing, the first because {first}"))
}

/// The wall clock.
pub(super) fn now_seconds() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    since_1970.map_or(0, |since| since.as_secs() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_remarks_are_counted() {
        let board = Board::new(Catalogue::default(), Duration::from_secs(300), &[]);
        board.remark(vec!["one".to_owned()]);
        assert_eq!(board.status().remarks, ["one"]);
        board.remark((0..REMARKS_MAX + 7).map(|nth| nth.to_string()).collect());
        let remarks = &board.status().remarks;
        assert_eq!(remarks.len(), REMARKS_MAX + 1);
        assert!(remarks[REMARKS_MAX].starts_with("and 7 more"));
    }
}
