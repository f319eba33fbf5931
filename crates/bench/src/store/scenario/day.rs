//! A day of cycles: seconds of a cycle, bytes written for an update, memory of an RRD, midnight.

use serde_json::{Value, json};
use testbed::{DiskCounters, ProcessCounters, ThreadCounters};

use super::super::pattern::Pattern;
use super::super::process::WorkerProcess;
use super::super::protocol::{Command, StoreSpec};
use super::{Bench, random_rrds};
use crate::figures::{median, pages, percentile};
use crate::report::{Report, Row};
use crate::workload::{around_midnight, is_midnight};

/// Memory of the process with the store, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// With an empty store.
    pub(super) empty_bytes: u64,
    /// With all RRDs, after the day; and the most meanwhile.
    full_bytes: u64,
    full_bytes_max: u64,
    anonymous_bytes: u64,
}

/// A store after its day, with its worker still running.
pub(crate) struct Day {
    pub(crate) worker: WorkerProcess,
    pub(crate) spec: StoreSpec,
    pub(crate) next_cycle: u64,
    pub(crate) cycle_seconds: Vec<f64>,
    /// From the device's counters, which include other processes.
    pub(crate) written_bytes_per_update: f64,
    updates: u64,
    pub(super) memory: Memory,
    pub(crate) result_hash: u64,
    create_seconds: f64,
    /// Bytes written by the device in each cycle.
    cycle_bytes: Vec<f64>,
    first_cycle: u64,
    threads: ThreadCounters,
    process: ProcessCounters,
    device: DiskCounters,
}

impl Day {
    /// Makes the store and runs the day.
    pub(crate) fn pass(
        bench: &Bench<'_>,
        spec: StoreSpec,
        warm_cycles: u64,
        cycles: u64,
    ) -> Result<Self, String> {
        let first_cycle = around_midnight(cycles);
        let mut worker = WorkerProcess::start(&spec, None)?;
        let empty = worker.counters()?;
        let create_seconds = worker.done(&Command::Create { cycle: first_cycle - warm_cycles })?;
        for cycle in first_cycle - warm_cycles..first_cycle {
            worker.cycle(cycle, &Pattern::InStep)?;
        }

        let (before, disk_before) = (worker.counters()?, bench.device.synced_counters()?);
        let (mut cycle_seconds, mut cycle_bytes) = (Vec::new(), Vec::new());
        let (mut threads, mut updates, mut disk) = (ThreadCounters::default(), 0, disk_before);
        for cycle in first_cycle..first_cycle + cycles {
            let reply = worker.cycle(cycle, &Pattern::InStep)?;
            cycle_seconds.push(reply.seconds);
            threads += reply.threads;
            updates += reply.updates;
            let disk_now = bench.device.counters()?;
            cycle_bytes.push((disk_now - disk).written_bytes as f64);
            disk = disk_now;
        }
        let written = bench.device.synced_counters()? - disk_before;
        let after = worker.counters()?;
        let next_cycle = first_cycle + cycles;
        let (_, result_hash) = worker.fetch(&random_rrds(100, spec.rrds), next_cycle)?;
        Ok(Self {
            worker,
            spec,
            next_cycle,
            cycle_seconds,
            written_bytes_per_update: written.written_bytes as f64 / updates as f64,
            updates,
            memory: Memory {
                empty_bytes: empty.resident_bytes,
                full_bytes: after.resident_bytes,
                full_bytes_max: after.resident_bytes_max,
                anonymous_bytes: after.anonymous_bytes,
            },
            result_hash,
            create_seconds,
            cycle_bytes,
            first_cycle,
            threads,
            process: after - before,
            device: written,
        })
    }

    /// The table's rows for a whole day.
    pub(crate) fn rows(&self, bench: &Bench<'_>, report: &mut Report, pass: &str) {
        let (rrds, cycles) = (self.spec.rrds, self.cycle_seconds.len());
        report.row(Row::new(
            format!("{} RRDs made, each durable", ::figures::count(rrds)),
            "s",
            self.create_seconds,
        ));
        self.cycle_row(bench, report, "");
        let slowest = percentile(&self.cycle_seconds, 99);
        report.row(Row::new(format!("cycle, 99% of {cycles}"), "s", slowest));
        self.bytes_row(bench, report, pass);
        self.memory_row(bench, report, 1024.0, "");
        self.page_ins_row(report, pass);
        self.midnight_rows(report);
    }

    /// The seconds of a cycle; `what` follows the name of the figure.
    pub(crate) fn cycle_row(&self, bench: &Bench<'_>, report: &mut Report, what: &str) {
        let rrds = self.spec.rrds;
        let name = format!("cycle of {} updates, median{what}", ::figures::count(rrds));
        report.row(
            Row::of_rounds(name, "s", &self.cycle_seconds)
                .at_most(2.0 * rrds as f64 / 1e6)
                .beside(bench.peers.figures(|peer| Some(peer.update_seconds? * rrds as f64)))
                .note(self.bound())
                .notes(bench.peers.notes()),
        );
    }

    /// The pages that the kernel read for the threads that send updates.
    pub(crate) fn page_ins_row(&self, report: &mut Report, pass: &str) {
        // A fault that reads is counted in the bytes, too.
        let page_ins = pages(self.threads.read_bytes).max(self.threads.major_faults as f64);
        let what = format!("page-ins on the update path, K={}, {pass}", self.spec.tile_rows);
        report.row(Row::new(what, "pages", page_ins).at_most(0.0).note(format!(
            "the whole process {} B, {} major faults; {} updates",
            self.process.read_bytes,
            self.process.major_faults,
            ::figures::count(self.updates),
        )));
    }

    /// What limits a cycle's time.
    fn bound(&self) -> String {
        let wall_seconds = self.cycle_seconds.iter().sum::<f64>();
        let percent = |seconds: f64, of: f64| 100.0 * seconds / of;
        let senders_seconds = wall_seconds * crate::workload::THREADS as f64;
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        let worked_seconds = self.process.user_seconds + self.process.system_seconds;
        format!(
            "senders: {:.0}% running, {:.0}% queued, {:.0}% waiting (sync, locks); process: {:.0}% of \
             the cores, {:.0}% of it in the kernel; device busy {:.0}%, {:.0} flushes a cycle",
            percent(self.threads.running_seconds, senders_seconds),
            percent(self.threads.queued_seconds, senders_seconds),
            percent(self.threads.waiting_seconds, senders_seconds),
            percent(worked_seconds, wall_seconds * cores),
            percent(self.process.system_seconds, worked_seconds),
            percent(self.device.busy_ms as f64 / 1e3, wall_seconds),
            self.device.flushes as f64 / self.cycle_seconds.len() as f64,
        )
    }

    pub(crate) fn bytes_row(&self, bench: &Bench<'_>, report: &mut Report, pass: &str) {
        let (cycles, tile_rows) = (self.cycle_seconds.len(), self.spec.tile_rows);
        let what = format!("bytes written an update, K={tile_rows}, {pass}");
        report.row(
            Row::new(what, "B", self.written_bytes_per_update)
                .at_most(64.0)
                .beside(bench.peers.figures(|peer| peer.written_bytes_per_update))
                // The kernel's counters of a process count whole folios, even if little of them was
                // written, so the device's counters are used.
                .note(format!("over {cycles} cycles")),
        );
    }

    /// The memory of an RRD; `what` follows the name of the figure.
    pub(crate) fn memory_row(
        &self,
        bench: &Bench<'_>,
        report: &mut Report,
        at_most: f64,
        what: &str,
    ) {
        let Memory { empty_bytes, full_bytes, full_bytes_max, anonymous_bytes } = self.memory;
        let of_each = |bytes: u64| (bytes as f64 - empty_bytes as f64) / self.spec.rrds as f64;
        let what = format!("memory of an RRD, K={}{what}", self.spec.tile_rows);
        report.row(
            Row::new(what, "B", of_each(full_bytes))
                .at_most(at_most)
                .beside(bench.peers.figures(|peer| peer.memory_bytes_per_rrd))
                .note(format!(
                    "at the highest {:.0}; empty store {empty_bytes}, without files' pages {:.0}",
                    of_each(full_bytes_max),
                    of_each(anonymous_bytes)
                )),
        );
    }

    /// The cycle at 00:00 UTC, and the following cycles that write the rows waiting for their slot.
    fn midnight_rows(&self, report: &mut Report) {
        let midnight = (0..self.cycle_seconds.len())
            .find(|nth| is_midnight(self.first_cycle + *nth as u64))
            .expect("the day is chosen around a midnight");
        let after =
            midnight..(midnight + self.spec.flush_cycles as usize).min(self.cycle_seconds.len());
        for (what, unit, figures) in [
            ("seconds of the cycle at 00:00 UTC", "ratio", &self.cycle_seconds),
            ("bytes written in the cycle at 00:00 UTC", "ratio", &self.cycle_bytes),
        ] {
            let ordinary = median(figures);
            let highest = figures[after.clone()].iter().copied().fold(0.0, f64::max);
            report.row(Row::new(what, unit, figures[midnight] / ordinary).at_most(1.5).note(
                format!(
                    "to the median; the highest of it and the {} after: {:.2}",
                    after.len() - 1,
                    highest / ordinary
                ),
            ));
        }
    }

    /// Every cycle, for the raw data.
    pub(crate) fn raw(&self) -> Value {
        json!({
            "first_cycle": self.first_cycle, "rrds": self.spec.rrds, "tile_rows": self.spec.tile_rows,
            "create_seconds": self.create_seconds, "cycle_seconds": self.cycle_seconds,
            "cycle_bytes": self.cycle_bytes, "senders": self.threads,
            "user_seconds": self.process.user_seconds,
            "system_seconds": self.process.system_seconds,
            "device_written_bytes": self.device.written_bytes,
            "process_written_bytes": self.process.written_bytes, "updates": self.updates,
            "device_busy_ms": self.device.busy_ms, "device_flushes": self.device.flushes,
            "memory_empty_bytes": self.memory.empty_bytes, "memory_bytes": self.memory.full_bytes,
        })
    }
}
