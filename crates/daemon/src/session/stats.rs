//! STATS.

use rrdcached::server::Answer;

use super::Stop;
use super::turn::Turn;
use crate::statistics;

/// rrdcached's nine lines, then ours.
pub(super) fn stats(turn: &mut Turn<'_, '_, '_>) -> Result<(), Stop> {
    let mut answer = Answer::default();
    for statistic in statistics::of(turn.service) {
        answer.line(format!("{}: {}", statistic.counted.name, statistic.value).as_bytes());
    }
    turn.tell(&answer, b"Statistics follow")
}
