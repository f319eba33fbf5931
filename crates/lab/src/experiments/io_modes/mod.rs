//! The strategies of 2003: what a collector keeps in memory about its files, and how it writes
//! them.

mod verdicts;

use testbed::{LoopDisk, Readahead};

use super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use crate::cycle::Cycle;
use crate::files::Files;
use crate::layouts::Layout;
use crate::outcome::Table;
use crate::plot::{Plot, Series, Shape};
use crate::ratio::timed;
use crate::system_calls;
use crate::task::Task;
use crate::ways::{RRDTOOL, STRATEGIES_OF_2003, Way};
use crate::{Experiment, Laboratory, Outcome};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "io-modes",
    question: "Which of the strategies of 2003 is the fastest, and what does each cost?",
    reference: "a site of 22,000 interfaces broke down at 17,000 with stdio, open and close each; with \
                descriptors kept and metadata cached an estimated 30,000 to 40,000; pwrite faster than \
                lseek and write, metadata mapped 20 to 30% faster still, the whole file mapped worst",
    seconds: [290, 5],
    run,
};

/// Scarce memory: fewer pages than any update touches.
const SCARCE_PAGES: u64 = 2;

const LAYOUTS: [Layout; 3] = [
    Layout::TenSources { step_seconds: 180 },
    Layout::TenSources { step_seconds: 30 },
    Layout::Mrtg,
];

/// The result of one strategy.
struct Found {
    layout: Layout,
    way: Way,
    is_scarce: bool,
    /// The rate, if the counted time was long enough.
    updates_per_second: Option<f64>,
    /// Updates for each second of processor time: the rate if no disk is waited for.
    updates_per_processor_second: Option<f64>,
    /// The rate including write-back.
    written_updates_per_second: Option<f64>,
    pages_read: f64,
    pages_changed: f64,
    minor_faults: f64,
    /// Bytes written by the disk, including the file system's journal.
    disk_bytes: f64,
    system_calls: Option<f64>,
}

fn run(laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
    let mut ways = STRATEGIES_OF_2003.to_vec();
    ways.extend(crate::rrdtool::is_here().then_some(RRDTOOL));
    laboratory.expect_steps(LAYOUTS.len() * ways.len() * 2);
    // If no disk is waited for, a cycle takes milliseconds, so more cycles are needed.
    let cycles = laboratory.choose([[2, 60], [2, 10]], [[1, 1]; 2]);
    let (mut found, mut counts) = (Vec::new(), Vec::new());
    for layout in LAYOUTS {
        let count = match layout {
            Layout::Mrtg => laboratory.choose(800, 20),
            _ => laboratory.choose(300, 5),
        };
        counts.push(format!("{count} files of {}", layout.name()));
        let disk = laboratory.disk(Files::disk_bytes(layout, count))?;
        let _restored = Readahead::set(disk.device(), Readahead::USUAL_KIB)?;
        let start_seconds = MIDNIGHT_SECONDS + 6 * HOUR_SECONDS;
        let mut files = Files::make(&disk.path(), layout, count, start_seconds)?;
        for &way in &ways {
            for is_scarce in [false, true] {
                found.push(measure(
                    laboratory,
                    &disk,
                    &mut files,
                    way,
                    is_scarce,
                    cycles[usize::from(is_scarce)],
                )?);
                laboratory.step_with(&table(&found))?;
            }
        }
    }
    let (verdicts, mut not_measured) = verdicts::of(&found, &LAYOUTS);
    not_measured.extend(crate::rrdtool::missing());
    not_measured.extend(calls_not_measured(&found));
    Ok(Outcome {
        scale: format!(
            "{} for 22,000 of 4 MB; memory for all, and for {SCARCE_PAGES} pages of each; {} and {} cycles \
             counted; ratios are of updates a second, of the processor's where memory is enough",
            counts.join(", "),
            cycles[0][1],
            cycles[1][1]
        ),
        table: table(&found),
        plots: vec![
            ("", changed_plot(&found)),
            ("-rates", rates_plot(&found, false)),
            ("-rates-scarce", rates_plot(&found, true)),
        ],
        verdicts,
        not_measured,
    })
}

fn calls_not_measured(found: &[Found]) -> Vec<String> {
    if let Some(reason) = system_calls::missing() {
        return vec![format!("system calls: {reason}")];
    }
    let missing = found.iter().filter(|it| !it.is_scarce && it.system_calls.is_none());
    let line = |it: &Found| {
        let (layout, way) = (it.layout.name(), it.way.name);
        format!("system calls, {layout}, {way}: fewer were counted for twice as many files")
    };
    missing.map(line).collect()
}

fn measure(
    laboratory: &Laboratory<'_>,
    disk: &LoopDisk,
    files: &mut Files,
    way: Way,
    is_scarce: bool,
    [warm, counted]: [u64; 2],
) -> Result<Found, String> {
    files.evict()?;
    let pages_a_file = is_scarce.then_some(SCARCE_PAGES);
    let mut task = Task { pages_a_file, ..Task::new(files, way, warm + counted) };
    let before = disk.device().synced_counters()?;
    let watched = laboratory.run(&task)?;
    let written = disk.device().synced_counters()? - before;
    files.last_seconds += task.cycles * files.layout.step_seconds();
    let mean = |count: fn(&Cycle) -> f64| watched.per_update(warm, files.count, count);
    let rate = |seconds: fn(&Cycle) -> f64| {
        let all_seconds = watched.cycles[warm as usize..].iter().map(seconds).sum();
        let seconds_an_update = watched.median_per_update(warm, files.count, seconds);
        timed(seconds_an_update, all_seconds).map(|seconds| 1.0 / seconds)
    };
    let updates = task.cycles as f64 * f64::from(files.count);
    let mut found = Found {
        layout: files.layout,
        way,
        is_scarce,
        updates_per_second: rate(|cycle| cycle.seconds),
        updates_per_processor_second: rate(|cycle| cycle.processor_seconds),
        written_updates_per_second: rate(|cycle| cycle.synced_seconds),
        pages_read: mean(|cycle| cycle.pages_read as f64),
        pages_changed: mean(|cycle| cycle.pages_written as f64),
        minor_faults: mean(|cycle| cycle.minor_faults as f64),
        disk_bytes: written.written_bytes as f64 / updates,
        system_calls: None,
    };
    if !is_scarce && system_calls::missing().is_none() {
        task.files = files.clone();
        let cycles = laboratory.choose(24, 2);
        let count_file = disk.path().join("calls");
        found.system_calls = system_calls::per_update(&mut task, cycles, &count_file)?;
        files.last_seconds = task.files.last_seconds;
    }
    Ok(found)
}

fn table(found: &[Found]) -> Table {
    let mut table = Table::new(&[
        "layout",
        "strategy",
        "memory",
        "updates_per_second",
        "updates_per_processor_second",
        "updates_per_second_written_back",
        "pages_read_per_update",
        "pages_changed_per_update",
        "minor_faults_per_update",
        "disk_bytes_written_per_update",
        "system_calls_per_update",
    ]);
    for it in found {
        table.push(vec![
            it.layout.name().into(),
            it.way.name.into(),
            memory(it.is_scarce).into(),
            it.updates_per_second.into(),
            it.updates_per_processor_second.into(),
            it.written_updates_per_second.into(),
            it.pages_read.into(),
            it.pages_changed.into(),
            it.minor_faults.into(),
            it.disk_bytes.into(),
            it.system_calls.into(),
        ]);
    }
    table
}

fn memory(is_scarce: bool) -> &'static str {
    if is_scarce { "scarce" } else { "enough" }
}

/// The pages changed, which do not depend on time.
fn changed_plot(found: &[Found]) -> Plot {
    Plot {
        title: "Pages that an update changes, memory enough".into(),
        y: "pages".into(),
        ..plot(found, false, |it| Some(it.pages_changed))
    }
}

fn rates_plot(found: &[Found], is_scarce: bool) -> Plot {
    Plot {
        title: format!("Updates a second, written back, memory {}", memory(is_scarce)),
        y: "updates a second".into(),
        ..plot(found, is_scarce, |it| it.written_updates_per_second)
    }
}

/// A bar for each strategy with a figure, grouped by strategy with the layouts side by side.
fn plot(found: &[Found], is_scarce: bool, figure: fn(&Found) -> Option<f64>) -> Plot {
    let of = |layout: Layout| {
        found.iter().filter(move |it| it.layout == layout && it.is_scarce == is_scarce)
    };
    let series = |layout: Layout| Series {
        name: layout.name().into(),
        points: (0..)
            .zip(of(layout))
            .filter_map(|(nth, it)| Some([f64::from(nth), figure(it)?]))
            .collect(),
        is_dashed: false,
    };
    Plot {
        title: String::new(),
        x: "strategy".into(),
        y: String::new(),
        shape: Shape::Bars(of(Layout::Mrtg).map(|it| it.way.name.to_owned()).collect()),
        series: LAYOUTS.map(series).into(),
    }
}
