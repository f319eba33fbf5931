//! Which plan of a device continues which one of the plan before.

use crate::plan::{DevicePlan, Transport};
use snmp::Security;
use std::collections::HashMap;
use std::sync::Arc;

/// What makes two plans be about the same device.
type Identity<'p> = (&'p str, Transport, u16, &'p Security);

/// For each new plan the position of the old one whose state it takes over, if there is one. Both
/// are about the same device. A device that has several plans, at several intervals or with several
/// timeouts, is continued by the plan that is most like the old one.
#[must_use]
pub fn predecessors(old: &[Arc<DevicePlan>], new: &[Arc<DevicePlan>]) -> Vec<Option<u32>> {
    let mut free: HashMap<Identity<'_>, Vec<u32>> = HashMap::with_capacity(old.len());
    for (plan, position) in old.iter().zip(0..) {
        free.entry(identity(plan)).or_default().push(position);
    }
    let mut found = vec![None; new.len()];
    for likeness in [is_equal, has_equal_interval, is_any] {
        for (plan, found) in new.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            let Some(free) = free.get_mut(&identity(plan)) else { continue };
            let like = |position: &u32| likeness(&old[*position as usize], plan);
            *found = free.iter().position(like).map(|nth| free.remove(nth));
        }
    }
    found
}

/// Whether only what is asked may differ.
fn is_equal(old: &DevicePlan, new: &DevicePlan) -> bool {
    has_equal_interval(old, new) && old.snmp == new.snmp && old.family == new.family
}

fn has_equal_interval(old: &DevicePlan, new: &DevicePlan) -> bool {
    old.interval == new.interval
}

fn is_any(_: &DevicePlan, _: &DevicePlan) -> bool {
    true
}

fn identity(plan: &DevicePlan) -> Identity<'_> {
    (&plan.host, plan.transport, plan.port, &plan.snmp.security)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{AnswersFrom, Family};
    use snmp::{Community, Config, Version};
    use std::time::Duration;

    fn plan(host: &str, interval_seconds: u64, timeout_seconds: u64) -> Arc<DevicePlan> {
        let mut snmp = Config::new(Version::V2c, Community::new("public"));
        snmp.timeout = Duration::from_secs(timeout_seconds);
        Arc::new(DevicePlan {
            name: host.into(),
            interval: Duration::from_secs(interval_seconds),
            host: host.into(),
            family: Family::Any,
            transport: Transport::Udp,
            port: 161,
            snmp,
            answers_from: AnswersFrom::Asked,
            variables: Vec::new(),
            walks: Vec::new(),
        })
    }

    #[test]
    fn the_plan_most_alike_is_continued() {
        let old = [plan("a", 300, 2), plan("a", 300, 5), plan("b", 300, 2), plan("a", 10, 2)];
        let of = |new: &[Arc<DevicePlan>]| predecessors(&old, new);
        assert_eq!(of(&[plan("a", 300, 5), plan("a", 300, 2)]), [Some(1), Some(0)]);
        assert_eq!(of(&[plan("c", 300, 2), plan("b", 60, 1)]), [None, Some(2)]);
        // The one with another timeout gets what the others leave.
        assert_eq!(
            of(&[plan("a", 300, 9), plan("a", 300, 5), plan("a", 10, 1), plan("a", 1, 1)]),
            [Some(0), Some(1), Some(3), None]
        );
    }
}
