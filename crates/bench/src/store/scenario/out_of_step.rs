//! A network out of step, with the same limit of memory: hours of silence, late samples, a week
//! filled in afterwards.

use super::super::pattern::Pattern;
use super::super::protocol::Command;
use super::limit::{PageIns, cycles};
use super::{Bench, Day};
use crate::report::{Report, Row};

/// The table's rows for the network out of step.
pub(crate) fn out_of_step(
    bench: &Bench<'_>,
    day: &mut Day,
    report: &mut Report,
) -> Result<(), String> {
    let count = bench.options.uneven_cycles;
    // Silent for two thirds of the time, with some cycles before and after.
    let first = day.next_cycle;
    let silent = first + count / 6..first + count / 6 + count * 2 / 3;
    let pattern = Pattern::OutOfStep { first, silent };
    let (rrds, filled_cycles) = bench.options.back_filled;
    let disk_before = bench.device.synced_counters()?;
    let (mut disk_between, mut back_filled, mut back_fill_seconds) = (disk_before, 0, 0.0);
    let page_ins = PageIns::during(bench, day, |day| {
        let mut replies = cycles(day, &pattern, count)?;
        disk_between = bench.device.synced_counters()?;
        let cycle = day.next_cycle;
        let filled =
            day.worker.watched(&Command::BackFill { rrds, cycle, cycles: filled_cycles })?;
        (back_filled, back_fill_seconds) = (filled.updates, filled.seconds);
        replies.push(filled);
        Ok(replies)
    })?;
    let disk_after = bench.device.synced_counters()?;
    let uneven_updates = page_ins.updates - back_filled;

    report.row(page_ins.row(bench, "page-ins on the update path, out of step".to_owned()));
    let written = |bytes: u64, updates: u64| bytes as f64 / updates as f64;
    let uneven_bytes = (disk_between - disk_before).written_bytes;
    let filled_bytes = (disk_after - disk_between).written_bytes;
    let both = written(uneven_bytes + filled_bytes, page_ins.updates);
    report.row(
        Row::new(
            "bytes written an update, out of step to in step",
            "ratio",
            both / day.written_bytes_per_update,
        )
        .at_most(2.0)
        .note(format!(
            "{:.1} B in {} updates of {count} cycles; {:.1} B in {} filled in afterwards, \
                 {back_fill_seconds:.1} s",
            written(uneven_bytes, uneven_updates),
            ::figures::count(uneven_updates),
            written(filled_bytes, back_filled),
            ::figures::count(back_filled),
        )),
    );
    let counters = day.worker.counters()?;
    let of_each =
        |bytes: u64| (bytes as f64 - day.memory.empty_bytes as f64) / (day.spec.rrds + rrds) as f64;
    report.row(
        Row::new("memory of an RRD, out of step", "B", of_each(counters.resident_bytes))
            .at_most(1024.0)
            .note(format!("at the highest {:.0}", of_each(counters.resident_bytes_max))),
    );
    Ok(())
}
