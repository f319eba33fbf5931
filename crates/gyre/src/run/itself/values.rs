//! The values of a moment, by the names of their sources.

use std::collections::HashMap;
use std::sync::Arc;

use ring::RingStore;

use super::super::board::Board;
use super::process::{Process, resident_bytes};

/// Where values come from.
pub(super) struct Values {
    board: Arc<Board>,
    ring: Option<Arc<RingStore>>,
    process: Process,
}

impl Values {
    pub(super) fn new(board: Arc<Board>, ring: Option<Arc<RingStore>>) -> Self {
        Self { board, ring, process: Process::new() }
    }

    /// Those that are known now.
    pub(super) fn now(&mut self) -> HashMap<&'static str, f64> {
        let mut known = HashMap::new();
        let mut put = |name: &'static str, value: Option<f64>| {
            known.extend(value.map(|value| (name, value)));
        };
        let last = self.board.last_cycles();
        put("poll_seconds", last.as_ref().map(|last| last.poll_seconds));
        put("write_seconds", last.as_ref().map(|last| last.write_seconds));
        put("late_seconds", last.as_ref().map(|last| last.late_seconds));
        put("polled", last.as_ref().map(|last| last.targets_polled as f64));
        put("missed", last.as_ref().map(|last| last.targets_missed as f64));
        put("messages", Some(self.board.messages_queued() as f64));
        let rates = self.process.rates();
        put("read_bytes", rates.read_bytes);
        put("written_bytes", rates.written_bytes);
        put("page_ins", rates.page_ins);
        put("resident_bytes", resident_bytes().map(|bytes| bytes as f64));
        if let Some(ring) = &self.ring {
            let report = ring.engine().report_so_far();
            let groups: usize = report.groups.iter().map(|group| group.memory_bytes).sum();
            put("log_bytes", Some(report.log_bytes as f64));
            put("store_bytes", Some((groups + report.names_memory_bytes) as f64));
        }
        known
    }
}
