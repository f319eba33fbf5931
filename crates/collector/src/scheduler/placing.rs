//! Devices get their slots, and keep them from one plan to the next.

use super::Scheduler;
use crate::device::Device;
use crate::grid::Phase;
use crate::plan::DevicePlan;
use crate::rounds::RoundIndex;
use crate::slot::Slot;
use crate::successors::predecessors;
use std::sync::Arc;
use std::time::Duration;

/// Between the last poll of a device at one interval and its first at another, so that times in whole
/// seconds differ.
pub(super) const APART: Duration = Duration::from_secs(2);

impl Scheduler {
    pub(super) fn place(&mut self, plans: Vec<Arc<DevicePlan>>, now: Duration) {
        self.names.keep(plans.iter().map(|plan| &**plan));
        let before = predecessors(&self.plans, &plans);
        let old = std::mem::take(&mut self.slot_of);
        let mut is_kept = vec![false; old.len()];
        for (position, (plan, before)) in plans.iter().zip(before).enumerate() {
            // The round is there since the rounds follow this plan.
            let Some(round) = self.rounds.find(plan.interval) else { continue };
            let number = match before.map(|before| before as usize) {
                Some(before) => {
                    is_kept[before] = true;
                    self.keep(old[before], plan.clone(), position, round, now);
                    old[before]
                }
                None => self.add(plan.clone(), position, round, now),
            };
            self.slot_of.push(number);
        }
        for (number, _) in old.into_iter().zip(is_kept).filter(|(_, is_kept)| !is_kept) {
            self.remove(number);
        }
        self.plans = plans;
        let slots = &self.slots;
        self.rounds.expect(|round, cycle| {
            let is_to_start = |slot: &&Slot| slot.round == round && slot.next_cycle <= cycle;
            slots.iter().flatten().filter(is_to_start).count()
        });
    }

    fn keep(
        &mut self,
        number: u32,
        plan: Arc<DevicePlan>,
        position: usize,
        round: RoundIndex,
        now: Duration,
    ) {
        let Some(slot) = &mut self.slots[number as usize] else { return };
        if slot.round != round {
            slot.round = round;
            let earliest = slot.last_start.map_or(now, |last| now.max(last + APART));
            let next = self.rounds.at(round).first_start(slot.phase, earliest);
            (slot.next_cycle, slot.next_start) = next;
        }
        slot.device.adopt(plan, position);
        self.wake(number);
    }

    fn add(
        &mut self,
        plan: Arc<DevicePlan>,
        position: usize,
        round: RoundIndex,
        now: Duration,
    ) -> u32 {
        let number = self.free.pop_front().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        let phase = Phase::of(&plan);
        let (next_cycle, next_start) = self.rounds.at(round).first_start(phase, now);
        self.slots[number as usize] = Some(Slot {
            device: Device::new(plan, position, self.key, number),
            round,
            phase,
            last_start: None,
            next_cycle,
            next_start,
            is_ready: false,
        });
        self.timers.arm(number, next_start);
        number
    }

    fn remove(&mut self, number: u32) {
        let removed = self.slots[number as usize].take();
        if let Some(cycle) = removed.and_then(|slot| slot.device.polling())
            && let Some(round) = self.rounds.find(cycle.interval)
        {
            self.rounds.at_mut(round).cycles.abandon(cycle.number);
        }
        self.closings.push(number);
        self.free.push_back(number);
    }
}
