//! The same cycles with a limit of memory for the process and its page cache.

use testbed::{Cgroup, ThreadCounters};

use super::super::pattern::Pattern;
use super::super::process::WorkerProcess;
use super::super::protocol::CycleReply;
use super::{Bench, Day};
use crate::figures::{median, pages};
use crate::report::{Report, Row};

/// The reads in some cycles, from the kernel's counters.
pub(crate) struct PageIns {
    pub(crate) updates: u64,
    cycle_seconds: Vec<f64>,
    threads: ThreadCounters,
    process_read_bytes: u64,
    process_major_faults: u64,
    device_read_bytes: u64,
}

impl PageIns {
    /// Counts during `work`.
    pub(crate) fn during(
        bench: &Bench<'_>,
        day: &mut Day,
        work: impl FnOnce(&mut Day) -> Result<Vec<CycleReply>, String>,
    ) -> Result<Self, String> {
        let (before, disk_before) = (day.worker.counters()?, bench.device.counters()?);
        let replies = work(day)?;
        let mut threads = ThreadCounters::default();
        replies.iter().for_each(|reply| threads += reply.threads);
        let after = day.worker.counters()? - before;
        Ok(Self {
            updates: replies.iter().map(|reply| reply.updates).sum(),
            cycle_seconds: replies.iter().map(|reply| reply.seconds).collect(),
            threads,
            process_read_bytes: after.read_bytes,
            process_major_faults: after.major_faults,
            device_read_bytes: (bench.device.counters()? - disk_before).read_bytes,
        })
    }

    /// The table's row for page-ins on the update path: pages read for the sending threads.
    pub(crate) fn row(&self, bench: &Bench<'_>, what: String) -> Row {
        // A fault that reads is counted in the bytes, too.
        let page_ins = pages(self.threads.read_bytes).max(self.threads.major_faults as f64);
        let updates = self.updates as f64;
        Row::new(what, "pages", page_ins)
            .at_most(0.0)
            .beside(bench.peers.figures(|peer| Some(peer.limited_pages_per_update? * updates)))
            .note(format!(
                "senders {} B read, {} major faults; the whole process {} B, {}; the device {} B \
                 for anybody; {} updates",
                self.threads.read_bytes,
                self.threads.major_faults,
                self.process_read_bytes,
                self.process_major_faults,
                self.device_read_bytes,
                ::figures::count(self.updates),
            ))
    }
}

/// Runs cycles.
pub(crate) fn cycles(
    day: &mut Day,
    pattern: &Pattern,
    count: u64,
) -> Result<Vec<CycleReply>, String> {
    let first = day.next_cycle;
    day.next_cycle += count;
    (first..day.next_cycle).map(|cycle| day.worker.cycle(cycle, pattern)).collect()
}

/// Starts the worker again in a control group and runs some cycles.
pub(crate) fn limited(bench: &Bench<'_>, day: &mut Day, report: &mut Report) -> Result<(), String> {
    let limit_bytes = bench.options.memory_bytes_max;
    let group = Cgroup::new("limit", limit_bytes)?;
    day.worker.kill()?;
    bench.options.caches.drop(&day.spec.directory)?;
    day.worker = WorkerProcess::start(&day.spec, Some(group))?;
    let warm_cycles = bench.options.warm_cycles;
    cycles(day, &Pattern::InStep, warm_cycles)?;
    let count = bench.options.cycles.min(2 * u64::from(day.spec.flush_cycles));
    let page_ins = PageIns::during(bench, day, |day| cycles(day, &Pattern::InStep, count))?;
    let mib = limit_bytes >> 20;
    let peak_bytes = day.worker.group_bytes_max()?.unwrap_or_default();
    report.row(
        page_ins
            .row(bench, format!("page-ins on the update path within {mib} MiB"))
            .note(format!("the group held {} MiB at the highest", peak_bytes >> 20)),
    );
    let ratio = median(&page_ins.cycle_seconds) / median(&day.cycle_seconds);
    let rrds = day.spec.rrds as f64;
    report.row(
        Row::new(format!("cycle within {mib} MiB to one without limit"), "ratio", ratio)
            .at_most(1.2)
            .beside(
                bench
                    .peers
                    .figures(|peer| Some(peer.limited_update_seconds? / peer.update_seconds?)),
            )
            .note(format!(
                "{:.3} s, {:.2} us an update",
                median(&page_ins.cycle_seconds),
                median(&page_ins.cycle_seconds) / rrds * 1e6
            )),
    );
    Ok(())
}
