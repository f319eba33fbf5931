//! Where the speeds of interfaces are read, for targets whose maxima follow them.

use std::collections::HashMap;
use std::sync::Arc;

use mrtg::{Configuration, Poll, Target};
use server::Maxima;

use super::builder::Builder;
use super::operand::SpeedPlace;
use super::wanted::{PollAt, interval_seconds};

/// A target whose maxima follow the speed of its interface.
#[derive(Clone, Debug)]
pub(in crate::run) struct SpeedPlan {
    pub(in crate::run) place: SpeedPlace,
    /// What its page shows.
    pub(in crate::run) maxima: Arc<Maxima>,
}

/// All of these, by their positions among the targets.
pub(super) fn speeds(
    configuration: &Configuration,
    builder: &mut Builder,
) -> HashMap<usize, SpeedPlan> {
    let targets = configuration.targets.iter().enumerate();
    let followers = targets.filter(|(_, target)| {
        target.unsupported.is_none() && target.settings.follows_speed.contains(&true)
    });
    let plan = |(nth, target): (usize, &Target)| {
        let place = place(configuration, builder, target)?;
        Some((nth, SpeedPlan { place, maxima: Maxima::new(target.settings.max_bytes).into() }))
    };
    followers.filter_map(plan).collect()
}

/// The target has one interface, so any of its objects that names one will do.
fn place(
    configuration: &Configuration,
    builder: &mut Builder,
    target: &Target,
) -> Option<SpeedPlace> {
    let interval_seconds = interval_seconds(target);
    let (poll, interface) = target.expression.polls().find_map(|index| {
        let Poll::Snmp(poll) = configuration.poll(index) else { return None };
        let interface = poll.objects.iter().find_map(|object| object.interface.as_ref())?;
        Some((index, interface))
    })?;
    builder.speed(configuration, PollAt { interval_seconds, poll }, interface)
}
