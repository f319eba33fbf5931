//! Which targets are measured by counters of 32 bits.

use mrtg::{Configuration, Flag, Poll, Target};

/// Whether a counter of an interface that has 32 bits measures a target. What a device tells in
/// place of a counter that it lacks is not known here.
pub(super) fn has_narrow_counter(configuration: &Configuration, target: &Target) -> bool {
    let options = target.settings.options;
    let is_difference = !options.has(Flag::Gauge) && !options.has(Flag::Absolute);
    is_difference
        && target.expression.polls().any(|poll| match configuration.poll(poll) {
            Poll::Snmp(poll) => poll.objects.iter().any(mrtg::Object::is_narrow_counter),
            Poll::Script(_) => false,
        })
}
