//! Maxima that follow the speed of interfaces.

use std::collections::HashMap;

use collector::DevicePoll;
use mrtg::Target;

use super::super::queue::NewMaxima;
use super::super::wiring::{SpeedPlan, Wiring};
use super::Measured;

/// From this speed on ifHighSpeed, in whole megabits, is exact enough; below, ifSpeed is exact.
const HIGH_FROM_MEGABITS: u64 = 20;

/// What ifSpeed says of a speed that is too high for it.
const TOO_FAST: u64 = u32::MAX as u64;

const BITS: f64 = 8.0;

/// The targets whose maxima follow the speed of their interfaces.
#[derive(Default)]
pub(super) struct Speeds {
    of_device: HashMap<usize, Vec<Follower>>,
    plans: HashMap<usize, SpeedPlan>,
}

struct Follower {
    target: usize,
    plan: SpeedPlan,
    /// The speed that its maxima follow now, in bits a second.
    known_bits: Option<u64>,
}

impl Speeds {
    pub(super) fn of(wiring: &Wiring) -> Self {
        let mut of_device: HashMap<usize, Vec<Follower>> = HashMap::new();
        for (target, plan) in &wiring.speeds {
            let follower = Follower { target: *target, plan: plan.clone(), known_bits: None };
            of_device.entry(plan.place.device as usize).or_default().push(follower);
        }
        Self { of_device, plans: wiring.speeds.clone() }
    }

    /// The present maxima of a target.
    pub(super) fn max_bytes(&self, nth: usize, target: &Target) -> [f64; 2] {
        let followed = self.plans.get(&nth).map(|plan| plan.maxima.get());
        followed.unwrap_or(target.settings.max_bytes)
    }

    /// Takes over what pages show until the speed is known again.
    pub(super) fn inherit(&self, nth: usize, old: &Self, before: usize) {
        if let (Some(new), Some(old)) = (self.plans.get(&nth), old.plans.get(&before)) {
            new.maxima.set(old.maxima.get());
        }
    }
}

impl Measured {
    /// A device tells the speeds of its interfaces. Returns the databases whose maxima change.
    pub(super) fn follow_speeds(&mut self, poll: &DevicePoll) -> Vec<NewMaxima> {
        let mut changes = Vec::new();
        let Some(followers) = self.speeds.of_device.get_mut(&poll.device) else { return changes };
        for follower in followers {
            let place = follower.plan.place;
            let speed = speed_bits(value(poll, Some(place.bits)), value(poll, place.megabits));
            if speed.is_none() || speed == follower.known_bits {
                continue;
            }
            follower.known_bits = speed;
            let most = speed.unwrap_or_default() as f64 / BITS;
            let settings = &self.configuration.targets[follower.target].settings;
            let mut maxima = settings.max_bytes;
            let mut limits = [None; 2];
            for (nth, follows) in settings.follows_speed.into_iter().enumerate() {
                if follows {
                    maxima[nth] = most;
                    limits[nth] = Some(settings.abs_max.map_or(most, |all| all.max(most)));
                }
            }
            follower.plan.maxima.set(maxima);
            if self.targets[follower.target].database.is_some() {
                let target = &self.configuration.targets[follower.target];
                changes.push(NewMaxima { database: self.database_names.name(target), limits });
            }
        }
        changes
    }
}

fn value(poll: &DevicePoll, variable: Option<u32>) -> Option<u64> {
    let reading = poll.readings.get(variable? as usize)?.as_ref().ok()?;
    u64::try_from(reading.value.as_number()?).ok()
}

/// The speed that ifSpeed and ifHighSpeed tell together; an interface that is down may tell none.
fn speed_bits(bits: Option<u64>, megabits: Option<u64>) -> Option<u64> {
    let high = megabits.filter(|megabits| *megabits > 0);
    let exact = bits.filter(|bits| *bits > 0 && *bits != TOO_FAST);
    let high_bits = high.map(|megabits| megabits.saturating_mul(1_000_000));
    match high {
        Some(megabits) if megabits >= HIGH_FROM_MEGABITS => high_bits,
        _ => exact.or(high_bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_columns_together_tell_the_speed() {
        let gigabit = Some(1_000_000_000);
        assert_eq!(speed_bits(gigabit, Some(1000)), gigabit);
        assert_eq!(speed_bits(gigabit, None), gigabit, "SNMPv1");
        assert_eq!(speed_bits(Some(TOO_FAST), Some(100_000)), Some(100_000_000_000));
        // Some agents let it wrap.
        assert_eq!(speed_bits(Some(1_410_065_408), Some(10_000)), Some(10_000_000_000));
        assert_eq!(speed_bits(Some(1_544_000), Some(2)), Some(1_544_000), "rounded to 2");
        assert_eq!(speed_bits(Some(0), Some(2)), Some(2_000_000));
        for (bits, megabits) in [(Some(0), Some(0)), (None, None), (Some(TOO_FAST), Some(0))] {
            assert_eq!(speed_bits(bits, megabits), None);
        }
    }
}
