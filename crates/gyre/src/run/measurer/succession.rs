//! Which devices and targets of a configuration were already in the one before it.
//!
//! A reload finds that out on its own thread, so that the polling thread, which switches, has
//! nothing to look up.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use collector::{DevicePlan, DevicePoll, Missing, Reading};
use mrtg::{Direction, Step, Target};

use super::super::wiring::{Operand, Operands, ProgramPlan, Wiring};
use super::Measured;

/// The positions that a new configuration's devices and targets had in the old one.
#[derive(Debug, Default)]
pub(in crate::run) struct Succession {
    /// For each device its predecessor.
    pub(super) devices: Vec<Option<Predecessor>>,
    /// For each program its position in the old configuration.
    pub(super) programs: Vec<Option<usize>>,
    /// For each target the one of its name in the old configuration.
    pub(super) targets: Vec<Option<Former>>,
}

/// A target in the old configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Former {
    pub(super) position: u32,
    /// It measured something else, or it is not known whether the counters went on: another
    /// interface, device, community, object or expression.
    pub(super) measured_another: bool,
}

impl Succession {
    /// Whether a value is what another one was in the old configuration.
    fn continues(&self, former: Operand, now: Operand) -> bool {
        match (former, now) {
            (
                Operand::Reading { device: before, variable: old, becomes: was },
                Operand::Reading { device, variable: new, becomes },
            ) => was == becomes && self.is_at(device, before, new, old, |it| &it.variables),
            (
                Operand::Walked { device: before, walk: old, becomes: was },
                Operand::Walked { device, walk: new, becomes },
            ) => was == becomes && self.is_at(device, before, new, old, |it| &it.walks),
            (Operand::Program { program: before }, Operand::Program { program }) => {
                self.programs.get(program as usize) == Some(&Some(before as usize))
            }
            (Operand::Constant(before), Operand::Constant(now)) => before == now,
            (Operand::Nothing, Operand::Nothing) => true,
            _ => false,
        }
    }

    /// Whether a place of a device was the old one of the old device.
    fn is_at(
        &self,
        device: u32,
        before: u32,
        new: u32,
        old: u32,
        places: impl Fn(&Predecessor) -> &Option<Vec<Option<usize>>>,
    ) -> bool {
        let predecessor = self.devices.get(device as usize).and_then(Option::as_ref);
        let Some(predecessor) = predecessor.filter(|it| it.position == before as usize) else {
            return false;
        };
        match places(predecessor) {
            None => new == old,
            Some(places) => places.get(new as usize) == Some(&Some(old as usize)),
        }
    }

    /// What the old configuration had as this source, of which devices come first.
    pub(super) fn source_before(&self, source: usize, devices_before: usize) -> Option<usize> {
        match source.checked_sub(self.devices.len()) {
            None => Some(self.devices[source].as_ref()?.position),
            Some(program) => Some(devices_before + (*self.programs.get(program)?)?),
        }
    }
}

/// A device in the old configuration.
#[derive(Debug)]
pub(super) struct Predecessor {
    pub(super) position: usize,
    /// For each variable its position in the old plan; `None` if the variables are the same.
    variables: Option<Vec<Option<usize>>>,
    /// The same for walks.
    walks: Option<Vec<Option<usize>>>,
}

/// The part of a configuration in use that its successor is compared with.
pub(in crate::run) struct Outgoing {
    configuration: Arc<mrtg::Configuration>,
    plan: Arc<collector::Plan>,
    /// Its programs.
    programs: Vec<ProgramPlan>,
    operands: Arc<Operands>,
}

impl Outgoing {
    pub(in crate::run) fn of(measured: &Measured) -> Self {
        let configuration = measured.configuration.clone();
        let (programs, operands) = measured.wiring.programs_and_operands();
        Self { configuration, plan: measured.wiring.plan.clone(), programs, operands }
    }

    /// Compares a new configuration with this one.
    pub(in crate::run) fn succession(&self, new: &Measured) -> Succession {
        let devices = devices(&self.plan.devices, &new.wiring.plan.devices);
        let known: HashMap<_, _> = self.programs.iter().map(key).zip(0_usize..).collect();
        let programs = new.wiring.programs.iter().map(|plan| known.get(&key(plan)).copied());
        let mut succession =
            Succession { devices, programs: programs.collect(), targets: Vec::new() };
        let former = positions(&self.configuration.targets, &new.configuration.targets);
        let former = former.into_iter().zip(&new.configuration.targets).map(|(former, target)| {
            let position = former?;
            let old = self.configuration.targets.get(position as usize)?;
            let measured_another = !self.goes_on(old, target, &new.wiring, &succession);
            Some(Former { position, measured_another })
        });
        succession.targets = former.collect();
        succession
    }

    /// Whether a target measures what the one of its name did, and the collector knows whether it
    /// went on: each value is of a device that is continued.
    fn goes_on(
        &self,
        old: &Target,
        new: &Target,
        wiring: &Wiring,
        succession: &Succession,
    ) -> bool {
        let (mut before, mut now) = (old.expression.steps(), new.expression.steps());
        loop {
            match (before.next(), now.next()) {
                (None, None) => return true,
                (Some(Step::Poll(former)), Some(Step::Poll(poll))) => {
                    let is_same = |direction| {
                        let former = self.operands.of_target(old, former, direction);
                        succession.continues(former, wiring.operand(new, poll, direction))
                    };
                    if !Direction::BOTH.into_iter().all(is_same) {
                        return false;
                    }
                }
                (former, step) if former == step => {}
                _ => return false,
            }
        }
    }
}

fn devices(old: &[Arc<DevicePlan>], new: &[Arc<DevicePlan>]) -> Vec<Option<Predecessor>> {
    let of = |(plan, before): (&Arc<DevicePlan>, Option<u32>)| {
        let position = before? as usize;
        let before = &old[position];
        Some(Predecessor {
            position,
            variables: places(&before.variables, &plan.variables),
            walks: places(&before.walks, &plan.walks),
        })
    };
    new.iter().zip(collector::predecessors(old, new)).map(of).collect()
}

/// For each new one its place among the old ones; `None` if they are the same.
fn places<T: Eq + Hash>(old: &[T], new: &[T]) -> Option<Vec<Option<usize>>> {
    if old == new {
        return None;
    }
    let known: HashMap<_, _> = old.iter().zip(0_usize..).collect();
    Some(new.iter().map(|each| known.get(each).copied()).collect())
}

/// The positions of targets with the same names. Most follow one another as they did before.
fn positions(old: &[mrtg::Target], new: &[mrtg::Target]) -> Vec<Option<u32>> {
    let mut by_name = None;
    let mut expected = 0_u32;
    let of = |target: &mrtg::Target| {
        let is_next = old.get(expected as usize).is_some_and(|next| next.name == target.name);
        let found = match is_next {
            true => Some(expected),
            false => {
                let names = || old.iter().map(|target| &target.name).zip(0..).collect();
                let by_name: &mut HashMap<&Arc<str>, u32> = by_name.get_or_insert_with(names);
                by_name.get(&target.name).copied()
            }
        };
        expected = found.map_or(expected, |found| found + 1);
        found
    };
    new.iter().map(of).collect()
}

/// What identifies a program.
fn key(plan: &ProgramPlan) -> (&OsStr, Duration) {
    (&plan.command, plan.interval)
}

impl Predecessor {
    /// A poll made with the old plan, as one of the new plan's.
    pub(super) fn rearranged(&self, poll: DevicePoll, device: usize) -> DevicePoll {
        let readings = in_order(poll.readings, self.variables.as_deref());
        let walked = in_order(poll.walked, self.walks.as_deref());
        DevicePoll { readings, walked, device, ..poll }
    }
}

fn in_order(
    readings: Vec<Result<Reading, Missing>>,
    places: Option<&[Option<usize>]>,
) -> Vec<Result<Reading, Missing>> {
    let Some(places) = places else { return readings };
    let of = |place: &Option<usize>| {
        let reading = place.and_then(|place| readings.get(place).cloned());
        reading.unwrap_or(Err(Missing::NotAsked))
    };
    places.iter().map(of).collect()
}
