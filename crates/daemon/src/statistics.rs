//! What a daemon counts: the lines of STATS, and the same as metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::service::Service;

/// A number of the daemon's, since its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// What it counts.
    pub counted: &'static Counted,
    /// The number.
    pub value: u64,
}

/// What a number counts.
#[derive(Debug, PartialEq, Eq)]
pub struct Counted {
    /// Its name in STATS.
    pub name: &'static str,
    /// Its name among metrics, without the suffix of counters.
    pub metric: &'static str,
    /// Whether it only grows.
    pub is_counter: bool,
    /// What it counts, in words.
    pub help: &'static str,
}

const fn counter(name: &'static str, metric: &'static str, help: &'static str) -> Counted {
    Counted { name, metric, is_counter: true, help }
}

const fn gauge(name: &'static str, metric: &'static str, help: &'static str) -> Counted {
    Counted { name, metric, is_counter: false, help }
}

/// All that is counted, by any kind of store; rrdcached's lines first.
static COUNTED: [Counted; 25] = [
    gauge("QueueLength", "gyre_daemon_queue_files", "Files that wait to be written."),
    counter("UpdatesReceived", "gyre_daemon_updates", "Commands UPDATE that were received."),
    counter("FlushesReceived", "gyre_daemon_flushes", "Commands FLUSH that were received."),
    counter("UpdatesWritten", "gyre_daemon_files_written", "Files written, each time counted."),
    counter("DataSetsWritten", "gyre_daemon_samples_written", "Samples written to files."),
    gauge("TreeNodesNumber", "gyre_daemon_databases", "Databases that are known."),
    gauge("TreeDepth", "gyre_daemon_tree_depth", "How deep rrdcached's tree of them would be."),
    counter("JournalBytes", "gyre_daemon_journal_bytes", "Bytes written to the journal."),
    counter("JournalRotate", "gyre_daemon_journal_rotations", "Fresh segments of the journal."),
    counter("Connections", "gyre_daemon_connections", "Connections of clients of the protocol."),
    gauge("ConnectionsOpen", "gyre_daemon_connections_open", "Those that are open."),
    counter("ConnectionsRefused", "gyre_daemon_connections_refused", "Those that were refused."),
    gauge("ReplayWaiting", "gyre_daemon_replay_waiting", "Files or groups still to be replayed."),
    gauge("JournalHeld", "gyre_daemon_journal_held_bytes", "Bytes of the journal on disk."),
    gauge("FilesAbsent", "gyre_daemon_files_absent", "Files to be replayed that are not there."),
    counter(
        "DataSetsRefusedLate",
        "gyre_daemon_samples_refused_late",
        "Acknowledged samples dropped since another program changed the file.",
    ),
    counter(
        "DataSetsOrphaned",
        "gyre_daemon_samples_orphaned",
        "Acknowledged samples dropped since the file was deleted.",
    ),
    counter("LockWaits", "gyre_daemon_lock_waits", "Writes put off for another process's lock."),
    counter("WriteFailures", "gyre_daemon_write_failures", "Writes that failed."),
    gauge("RingGroups", "gyre_daemon_store_groups", "Groups of the ring store."),
    gauge("ReplayBytes", "gyre_daemon_replay_bytes", "Bytes of the log still to be replayed."),
    gauge("RingLogBytes", "gyre_daemon_store_log_bytes", "Bytes of the ring store's log."),
    gauge("RingLateRows", "gyre_daemon_store_late_rows", "Late rows to be written."),
    gauge("RingMemoryBytes", "gyre_daemon_store_memory_bytes", "Memory of the store's groups."),
    gauge("RingStopped", "gyre_daemon_store_stopped", "1 if the ring store takes no more."),
];

/// What is counted under a name of STATS.
fn counted(name: &str) -> &'static Counted {
    let found = COUNTED.iter().find(|counted| counted.name == name);
    found.unwrap_or_else(|| panic!("{name} is counted, and stands in no row"))
}

/// rrdcached's nine numbers, then ours.
pub(crate) fn of(service: &Service) -> Vec<Statistic> {
    let kept = service.shelf.statistics();
    let counters = &service.counters;
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
    let all = first.into_iter().chain(own).chain(kept.more);
    all.map(|(name, value)| Statistic { counted: counted(name), value }).collect()
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
