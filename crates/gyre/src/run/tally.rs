//! Adds what a cycle counted to what was counted since the start.

use server::Totals;

use super::writer::Written;

/// Adds a cycle's counts.
pub(super) fn add(totals: &mut Totals, written: &Written) {
    let report = &written.cycle.report;
    let targets = &written.cycle.targets;
    let (unasked, denied) = (report.without_address.len() as u64, report.denied.len() as u64);
    totals.cycles += 1;
    totals.polls_answered += report.answered as u64;
    totals.polls_without_address += unasked;
    totals.polls_denied += denied;
    totals.polls_silent += (report.missed.len() as u64).saturating_sub(unasked + denied);
    totals.readings += report.readings as u64;
    totals.readings_missing += report.readings_missing as u64;
    totals.targets_polled += targets.polled as u64;
    totals.targets_missed += targets.missed as u64;
    totals.samples_stored += written.samples_stored as u64;
    totals.samples_refused += written.refused.count as u64;
    totals.samples_lost += written.cycle.samples_lost as u64;
    let traffic = &report.traffic;
    totals.datagrams_sent += traffic.sent;
    totals.datagrams_retried += traffic.retried;
    totals.datagrams_received += traffic.received;
    totals.datagrams_foreign += traffic.foreign;
    totals.connections_broken += traffic.broken_connections;
    totals.bytes_sent += traffic.sent_bytes;
    totals.bytes_received += traffic.received_bytes;
}
