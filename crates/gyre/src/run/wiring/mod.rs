//! Derives from a configuration which variables of which devices are polled, and maps the readings
//! back to the targets.
//!
//! ```text
//! mrtg: target ─ expression ─ poll ─ agent, two objects
//!                     │                  │
//! here:            operands ────▶ (device, variable) ◀─── collector: plan, readings
//! ```

mod wanted;
mod operand;
mod builder;
mod speeds;
mod sources;
mod remarks;
mod narrow;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use collector::Plan;
use mrtg::{Configuration, Direction, Poll, PollIndex, Target};

use super::secrets::Secrets;
use builder::{Builder, finished, is_v6_switched_off};
use narrow::has_narrow_counter;
use speeds::speeds;
use wanted::{PollAt, programs, usual_seconds, wanted};

pub(super) use operand::{Becomes, Operand, Operands};
pub(super) use sources::Sources;
pub(super) use speeds::SpeedPlan;
pub(super) use wanted::ProgramPlan;

/// The plan of a configuration, and which readings are the operands of its targets.
#[derive(Debug)]
pub(super) struct Wiring {
    pub(super) plan: Arc<Plan>,
    /// The programs, each command once.
    pub(super) programs: Vec<ProgramPlan>,
    operands: Arc<Operands>,
    /// The agents that cannot be asked because of their users or secrets, by their position.
    of_no_user: HashMap<u32, Arc<str>>,
    /// The targets whose maxima follow the speed of their interfaces, by their positions.
    pub(super) speeds: HashMap<usize, SpeedPlan>,
    /// For each target its sources, or why it is not measured. A source is a device, by its
    /// position, or a program, whose position follows those of the devices.
    pub(super) sources_of_target: Arc<[Result<Sources, Arc<str>>]>,
    /// Of each target whether a counter of 32 bits measures it.
    pub(super) has_narrow: Box<[bool]>,
}

impl Wiring {
    pub(super) fn new(configuration: &Configuration, secrets: Arc<Secrets>) -> Self {
        let wanted = wanted(configuration);
        let mut builder = Builder::new(configuration.globals.single_request, secrets);
        let mut operands = Operands::new(usual_seconds(&wanted), configuration.polls.len());
        for at in &wanted {
            operands.insert(*at, builder.operands(configuration, *at));
        }
        let speeds = speeds(configuration, &mut builder);
        let mut wiring = Self {
            plan: Arc::new(Plan {
                intervals: intervals(configuration, &wanted),
                devices: builder.devices.into_iter().map(finished).collect(),
            }),
            programs: programs(configuration),
            operands: Arc::new(operands),
            of_no_user: builder.of_no_user,
            speeds,
            sources_of_target: Arc::new([]),
            has_narrow: configuration
                .targets
                .iter()
                .map(|target| has_narrow_counter(configuration, target))
                .collect(),
        };
        let targets = configuration.targets.iter();
        wiring.sources_of_target =
            targets.map(|target| wiring.sources_of(configuration, target)).collect();
        wiring
    }

    /// The position of a program among the sources.
    pub(super) fn source_of_program(&self, program: usize) -> usize {
        self.plan.devices.len() + program
    }

    /// How many sources there are.
    pub(super) fn sources(&self) -> usize {
        self.source_of_program(self.programs.len())
    }

    /// The name of a source, for people.
    pub(super) fn name_of(&self, source: usize) -> Arc<str> {
        match self.plan.devices.get(source) {
            Some(device) => device.name.clone(),
            None => self.programs[source - self.plan.devices.len()].name(),
        }
    }

    /// The source of the value of a target's poll.
    pub(super) fn operand(
        &self,
        target: &Target,
        poll: PollIndex,
        direction: Direction,
    ) -> Operand {
        self.operands.of_target(target, poll, direction)
    }

    /// What is left to compare with when another configuration follows.
    pub(super) fn programs_and_operands(&self) -> (Vec<ProgramPlan>, Arc<Operands>) {
        (self.programs.clone(), self.operands.clone())
    }

    fn sources_of(
        &self,
        configuration: &Configuration,
        target: &Target,
    ) -> Result<Sources, Arc<str>> {
        if let Some(unsupported) = target.unsupported {
            return Err(unsupported.to_string().into());
        }
        let mut sources = Vec::new();
        for poll in target.expression.polls() {
            if let Poll::Snmp(poll) = configuration.poll(poll) {
                if is_v6_switched_off(configuration.agent(poll.agent)) {
                    return Err("its address is IPv6, and EnableIPv6 is not yes".into());
                }
                if let Some(why) = self.of_no_user.get(&poll.agent.0) {
                    return Err(why.clone());
                }
            }
            for direction in Direction::BOTH {
                match self.operand(target, poll, direction) {
                    Operand::Reading { device, .. } | Operand::Walked { device, .. } => {
                        sources.push(device);
                    }
                    Operand::Program { program } => {
                        sources.push(self.source_of_program(program as usize) as u32);
                    }
                    Operand::Constant(_) => {}
                    Operand::Nothing => return Err("one of its objects cannot be asked for".into()),
                }
            }
        }
        // Without a source there is no time at which the target would be written.
        Sources::of(sources).ok_or_else(|| "it asks no device anything".into())
    }
}

/// The intervals that have cycles: at least that of the configuration, so that an operator sees that
/// nothing is polled.
fn intervals(configuration: &Configuration, wanted: &[PollAt]) -> Vec<Duration> {
    let mut all: Vec<u64> = wanted.iter().map(|at| at.interval_seconds.into()).collect();
    all.dedup();
    if all.is_empty() {
        all.push(configuration.globals.interval.step_seconds());
    }
    all.into_iter().map(Duration::from_secs).collect()
}

#[cfg(test)]
mod tests;
