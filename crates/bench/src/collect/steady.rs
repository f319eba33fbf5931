//! Healthy devices: the cost of a target, a reload, and the most targets that are polled in time.

use serde_json::json;

use super::Bench;
use super::run::{AtWork, Cost, processor_seconds};
use crate::report::{Report, Row};

/// A cycle is late if its last answer comes so long after the interval.
const LATE_SECONDS: f64 = 1.0;

/// The cost of many targets.
pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let wanted = bench.wanted("steady", bench.options.devices)?;
    let mut at_work = AtWork::start(&bench.gyre, &wanted)?;
    let cost = at_work.measure(bench.options.cycles)?;
    let again_seconds = at_work.restart(&bench.gyre, &wanted.configuration)?;
    let millions = cost.targets as f64 / 1e6;
    let seconds = cost.a_cycle_seconds();
    let agents = cost.agents_a_cycle_seconds();
    let what = format!("{} targets on {} devices", cost.targets, wanted.devices);
    report.row(
        Row::new(format!("{what}: processor time a cycle"), "s", seconds)
            .at_most(10.0 * millions)
            .beside([("devices", agents)])
            .note(format!("{:.2} us a target, two counters", cost.a_target_us())),
    );
    report.row(Row::new("targets missed", "", cost.missed() as f64).at_most(0.0));
    let late_seconds = (cost.longest_seconds() - wanted.interval_seconds as f64).max(0.0);
    report.row(Row::new("the latest answer after its cycle", "s", late_seconds).at_most(1.0));
    report.row(Row::new("page-ins", "", cost.major_faults as f64).at_most(0.0));
    let bytes = |bytes: u64| bytes as f64 / cost.targets as f64;
    report.row(
        Row::new("resident memory a target", "bytes", bytes(cost.resident_bytes))
            .at_most(1200.0)
            .note(format!("{:.0} at most meanwhile", bytes(cost.resident_bytes_max))),
    );
    let written = bytes(cost.written_bytes) / cost.cycles.len() as f64;
    report.row(Row::new("bytes written a target and cycle", "bytes", written));
    report.row(
        Row::new("killed and started again: every target has a sample", "s", again_seconds)
            .at_most(10.0)
            .note("the last one waits for the end of the first round")
            .note(format!(
                "the first start, which makes the databases: {:.1} s",
                cost.first_round_seconds
            )),
    );
    report.raw("steady", json!(cost));
    Ok(())
}

/// A reload after 1 % of the targets changed.
pub(super) fn measure_reload(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let wanted = bench.wanted("reload", bench.options.devices)?;
    let at_work = AtWork::start(&bench.gyre, &wanted)?;
    let quiet = at_work.measure(1)?;
    let path = &wanted.configuration;
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    std::fs::write(path, changed(&text)).map_err(|error| error.to_string())?;
    let before = processor_seconds(at_work.collector.counters()?);
    let asked_seconds = at_work.collector.seconds();
    at_work.collector.reload()?;
    let cycle = at_work.collector.next_cycle()?;
    let took_seconds = cycle.told_seconds - asked_seconds;
    let spent = processor_seconds(at_work.collector.counters()?) - before;
    let share = took_seconds / wanted.interval_seconds as f64;
    let reload_seconds = spent - quiet.a_cycle_seconds() * share;
    let millions = quiet.targets as f64 / 1e6;
    report.row(
        Row::new("reload, 1 % changed: processor time", "s", reload_seconds)
            .at_most(2.0 * millions.max(0.05)),
    );
    let missed = cycle.missed + at_work.collector.next_cycle()?.missed;
    report.row(Row::new("targets missed around it", "", missed as f64).at_most(0.0));
    Ok(())
}

/// The configuration with another title for each hundredth target.
fn changed(text: &str) -> String {
    let mut nth = 0;
    let lines = text.lines().map(|line| {
        nth += usize::from(line.starts_with("Title["));
        match line.starts_with("Title[") && nth % 100 == 0 {
            true => format!("{line}, changed\n"),
            false => format!("{line}\n"),
        }
    });
    lines.collect()
}

/// Devices are added until a cycle is late.
pub(super) fn measure_most(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let mut best: Option<Cost> = None;
    let mut ended_by = String::new();
    let mut devices = bench.options.devices;
    while ended_by.is_empty() {
        let wanted = bench.wanted(&format!("most-{devices}"), devices)?;
        let cost = AtWork::start(&bench.gyre, &wanted)?.measure(3)?;
        let interval_seconds = wanted.interval_seconds as f64;
        if cost.missed() > 0 {
            ended_by = format!("{} missed with {} targets", cost.missed(), cost.targets);
        } else if cost.longest_seconds() > interval_seconds + LATE_SECONDS {
            let longest_seconds = cost.longest_seconds();
            ended_by = format!("a cycle of {longest_seconds:.1} s with {} targets", cost.targets);
        } else {
            best = Some(cost);
        }
        std::fs::remove_dir_all(&wanted.work_directory).map_err(|error| error.to_string())?;
        devices += bench.options.more_devices;
    }
    let best = best.ok_or("the first size was late already")?;
    let a_minute = best.targets as f64 * 60.0 / bench.options.interval_seconds as f64;
    report.row(
        Row::new("most targets a minute", "", a_minute)
            .at_least(3e6)
            .note(format!("ended by {ended_by}"))
            .note(format!("processor time a cycle: {:.1} s", best.a_cycle_seconds())),
    );
    Ok(())
}
