//! What a reload carries over from the old configuration to the new one.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::hash::Hash;
use std::sync::Arc;

use collector::{DevicePlan, DevicePoll, Missing, Reading};
use snmp::Security;

use super::super::programs::ProgramPoll;
use super::{Measured, Target};

impl Measured {
    /// Takes over from the old configuration what a reload must not lose: the reports of devices
    /// whose targets still wait for other devices, and what is known of databases.
    pub(super) fn inherit(&mut self, old: &mut Self) {
        let mut reported = vec![false; self.wiring.sources()];
        let old_plans = old.wiring.plan.devices.iter().zip(0_usize..);
        let known: HashMap<_, _> = old_plans.map(|(plan, at)| (identity(plan), at)).collect();
        for (new, plan) in self.wiring.plan.devices.iter().enumerate() {
            if let Some(before) = known.get(&identity(plan)).copied() {
                let old_plan = &old.wiring.plan.devices[before];
                let poll = old.latest[before].take();
                reported[new] = poll.is_some();
                self.latest[new] = poll.map(|poll| rearrange(poll, new, old_plan, plan));
            }
        }
        let commands = old.wiring.programs.iter().map(|plan| &plan.command);
        let known: HashMap<_, _> = commands.zip(&mut old.said).collect();
        self.inherit_programs(known, &mut reported);
        let waiting = |target: &Target| target.reported.iter().any(|(_, reported)| *reported);
        let names = old.configuration.targets.iter().map(|target| &target.name);
        let old: HashMap<&String, &Target> = names.zip(&old.targets).collect();
        for (target, said) in self.targets.iter_mut().zip(&self.configuration.targets) {
            let Some(before) = old.get(&said.name) else { continue };
            if let (Some(database), Some(before)) = (&mut target.database, &before.database) {
                database.last_update = before.last_update;
            }
            if waiting(before) {
                for (source, has_reported) in &mut target.reported {
                    *has_reported = reported[*source];
                }
            }
        }
    }

    fn inherit_programs(
        &mut self,
        mut known: HashMap<&Arc<OsStr>, &mut Option<ProgramPoll>>,
        reported: &mut [bool],
    ) {
        for (program, plan) in self.wiring.programs.iter().enumerate() {
            let before = known.remove(&plan.command).and_then(Option::take);
            reported[self.wiring.source_of_program(program)] = before.is_some();
            self.said[program] = before.map(|poll| ProgramPoll { program, ..poll });
        }
    }
}

/// What identifies a device to the collector.
fn identity(plan: &DevicePlan) -> (&str, u16, &Security) {
    (&plan.host, plan.port, &plan.snmp.security)
}

/// Reorders a poll made with the old plan to the order of variables in the new plan.
fn rearrange(poll: DevicePoll, device: usize, old: &DevicePlan, new: &DevicePlan) -> DevicePoll {
    let readings = in_order(poll.readings, &old.variables, &new.variables);
    let walked = in_order(poll.walked, &old.walks, &new.walks);
    DevicePoll { readings, walked, device, ..poll }
}

fn in_order<T: Eq + Hash>(
    readings: Vec<Result<Reading, Missing>>,
    old: &[T],
    new: &[T],
) -> Vec<Result<Reading, Missing>> {
    if old == new {
        return readings;
    }
    let mut known: HashMap<_, _> = old.iter().zip(readings).collect();
    new.iter().map(|each| known.remove(each).unwrap_or(Err(Missing::NotAsked))).collect()
}
