//! STATS.

use std::sync::atomic::{AtomicU64, Ordering};

use rrdcached::server::Answer;

use super::Stop;
use super::turn::Turn;

/// rrdcached's nine lines, then ours.
pub(super) fn stats(turn: &mut Turn<'_, '_, '_>) -> Result<(), Stop> {
    let kept = turn.service.shelf.statistics();
    let counters = &turn.service.counters;
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let first = [
        ("QueueLength", kept.queue_length),
        ("UpdatesReceived", count(&counters.updates_received)),
        ("FlushesReceived", count(&counters.flushes_received)),
        ("UpdatesWritten", kept.updates_written),
        ("DataSetsWritten", kept.data_sets_written),
        ("TreeNodesNumber", kept.tree_nodes_number),
        ("TreeDepth", depth(kept.tree_nodes_number)),
        ("JournalBytes", kept.journal_bytes),
        ("JournalRotate", kept.journal_rotate),
    ];
    let own = [
        ("Connections", count(&counters.connections)),
        ("ConnectionsOpen", count(&counters.connections_open)),
        ("ConnectionsRefused", count(&counters.connections_refused)),
    ];
    let mut answer = Answer::default();
    for (name, number) in first.iter().chain(&own).chain(&kept.more) {
        answer.line(format!("{name}: {number}").as_bytes());
    }
    turn.tell(&answer, b"Statistics follow")
}

/// The depth of a balanced tree of so many files: there is no tree here.
fn depth(nodes: u64) -> u64 {
    u64::from(u64::BITS - nodes.leading_zeros())
}

#[cfg(test)]
mod tests {
    use super::depth;

    #[test]
    fn trees_are_as_deep_as_they_must_be() {
        for (nodes, levels) in [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4)] {
            assert_eq!(depth(nodes), levels, "{nodes}");
        }
    }
}
