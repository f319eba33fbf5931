//! What the planner says is left, and what the doctor finds.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use doctor::checks::CHECKS;
use doctor::{Facts, Given, Root, State};
use ring::{Costs, Pace};
use server::{Outlook, OwnFinding};

use super::super::board::Board;
use super::super::keeping::Kept;
use super::super::own_watch::Looked;
use super::super::source::Disk;
use crate::plan::{self, Load};

/// How long after its start a run looks for the first time: cycles come first.
pub(super) const FIRST_AFTER: Duration = Duration::from_secs(5);

/// How often it is found out what is left.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(3600);

/// What is looked at.
pub(super) struct Look {
    board: Arc<Board>,
    place: PathBuf,
    /// The pace of a ring store; `None` for files.
    pace: Option<Pace>,
}

impl Look {
    /// The databases of a run, as its configuration has them.
    pub(super) fn of(kept: &Kept, board: Arc<Board>) -> Self {
        let pace = kept.ring().map(|ring| ring.engine().report_so_far().pace);
        Self { board, place: kept.root.clone(), pace }
    }

    fn load(&self) -> Load<'_> {
        let layouts = self.board.layouts();
        let costs = |(definition, own): &(rrd::Definition, u64)| {
            let costs = Costs::of(definition, self.pace?)?;
            Some((
                costs.memory_bytes * *own as f64,
                (costs.tiles_bytes + costs.checkpoints_bytes) * *own as f64,
            ))
        };
        let costs = layouts.all().iter().filter_map(costs);
        let (held, there) =
            costs.fold((0.0, 0.0), |(held, there), (memory, disk)| (held + memory, there + disk));
        Load {
            layouts,
            place: &self.place,
            pace: self.pace,
            there_bytes: there as u64,
            held_bytes: held as u64,
        }
    }
}

impl Look {
    /// Looks at the machine.
    pub(super) fn look(&self, now_seconds: i64) -> Looked {
        let (plan, left) = match plan::outlook(&self.load()) {
            Ok(left) => (left.words.clone(), Some(left)),
            Err(error) => (vec![format!("The planner says nothing: {error}.")], None),
        };
        let outlook = Outlook { found_seconds: now_seconds, plan, findings: findings(self) };
        Looked {
            outlook: outlook.into(),
            more: left.as_ref().map(|left| left.more as f64),
            strain_percent: left.map(|left| left.strain * 100.0),
        }
    }
}

/// What the doctor knows of this run. It does not read the catalogue of a ring store, which would
/// take as much memory as the one that the store has itself.
fn facts(at: &Look) -> Option<Facts> {
    match at.pace {
        Some(pace) => Some(Facts::of_running(&Root::here(), &at.place, &at.board.layouts(), pace)),
        None => Facts::gather(&Root::here(), &Given::Files(at.place.clone()), &Disk).ok(),
    }
}

/// What the doctor would change, the worst first.
fn findings(at: &Look) -> Vec<OwnFinding> {
    let Some(facts) = facts(at) else { return Vec::new() };
    let decided = CHECKS.iter().filter_map(|check| Some((check, check.decide(&facts)?)));
    let mut found: Vec<_> = decided.filter(|(_, finding)| finding.state >= State::Advice).collect();
    found.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.state));
    let told = found.into_iter().map(|(check, finding)| OwnFinding {
        check: check.name,
        state: finding.state.name(),
        found: finding.found,
        change: finding.change,
        gain: finding.gain,
    });
    told.collect()
}
