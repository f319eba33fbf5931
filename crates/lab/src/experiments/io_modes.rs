//! The strategies of 2003: what a collector keeps of its files, and how it writes to them.

use testbed::{LoopDisk, Readahead};

use super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use crate::files::Files;
use crate::layouts::Layout;
use crate::outcome::Table;
use crate::plot::{Plot, Series, Shape};
use crate::system_calls;
use crate::task::Task;
use crate::verdict::{Tolerance, Verdict};
use crate::ways::{Kept, RRDTOOL, STRATEGIES_OF_2003, Way};
use crate::{Experiment, Laboratory, Outcome};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "io-modes",
    question: "Which of the strategies of 2003 is the fastest, and what does each cost?",
    reference: "a site of 22,000 interfaces broke down at 17,000 with stdio, open and close each; with \
                descriptors kept and metadata cached an estimated 30,000 to 40,000; pwrite faster than \
                lseek and write, metadata mapped 20 to 30% faster still, the whole file mapped worst",
    seconds: [420, 10],
    run,
};

/// Where memory is scarce: fewer pages than any update touches.
const SCARCE_PAGES: u64 = 2;

const LAYOUTS: [Layout; 3] = [
    Layout::TenSources { step_seconds: 180 },
    Layout::TenSources { step_seconds: 30 },
    Layout::Mrtg,
];

/// What one strategy took.
struct Found {
    layout: Layout,
    way: Way,
    is_scarce: bool,
    updates_per_second: f64,
    /// A second of the processor's: what is left where no disk is waited for.
    updates_per_processor_second: f64,
    /// With writing back.
    written_updates_per_second: f64,
    pages_read: f64,
    pages_changed: f64,
    /// What the disk wrote, the file system's own journal included.
    disk_bytes: f64,
    system_calls: Option<f64>,
}

fn run(laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
    let mut ways = STRATEGIES_OF_2003.to_vec();
    ways.extend(crate::rrdtool::is_here().then_some(RRDTOOL));
    laboratory.expect_steps(LAYOUTS.len() * ways.len() * 2);
    let cycles = laboratory.choose([2, 10], [1, 1]);
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
                found.push(measure(laboratory, &disk, &mut files, way, is_scarce, cycles)?);
                laboratory.step()?;
            }
        }
    }
    let mut not_measured = crate::rrdtool::missing();
    if !system_calls::can_be_counted() {
        not_measured.push("system calls: there is no strace here".into());
    }
    Ok(Outcome {
        scale: format!(
            "{} for 22,000 of 4 MB; memory for all, and for {SCARCE_PAGES} pages of each; {} cycles \
             counted; ratios are of updates a second, of the processor's where memory is enough",
            counts.join(", "),
            cycles[1]
        ),
        table: table(&found),
        plots: vec![("", plot(&found, false)), ("-scarce", plot(&found, true))],
        verdicts: LAYOUTS.iter().flat_map(|layout| verdicts(&found, *layout)).collect(),
        not_measured,
    })
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
    let mut task = Task {
        files: files.clone(),
        way: way.name.into(),
        cycles: warm + counted,
        pages_a_file: is_scarce.then_some(SCARCE_PAGES),
        journal_cycles: 0,
        looks: false,
    };
    let before = disk.device().synced_counters()?;
    let watched = laboratory.run(&task)?;
    let written = disk.device().synced_counters()? - before;
    files.last_seconds += task.cycles * files.layout.step_seconds();
    let mean = |count: fn(&crate::task::Cycle) -> f64| watched.per_update(warm, files.count, count);
    let median =
        |count: fn(&crate::task::Cycle) -> f64| watched.median_per_update(warm, files.count, count);
    let updates = task.cycles as f64 * f64::from(files.count);
    let mut found = Found {
        layout: files.layout,
        way,
        is_scarce,
        updates_per_second: 1.0 / median(|cycle| cycle.seconds),
        updates_per_processor_second: 1.0 / median(|cycle| cycle.processor_seconds),
        written_updates_per_second: 1.0 / median(|cycle| cycle.synced_seconds),
        pages_read: mean(|cycle| cycle.pages_read as f64),
        pages_changed: mean(|cycle| cycle.pages_written as f64),
        disk_bytes: written.written_bytes as f64 / updates,
        system_calls: None,
    };
    if !is_scarce && system_calls::can_be_counted() {
        task.files = files.clone();
        let cycles = laboratory.choose(24, 2);
        let count_file = disk.path().join("calls");
        found.system_calls = Some(system_calls::per_update(&mut task, cycles, &count_file)?);
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
            it.disk_bytes.into(),
            it.system_calls.into(),
        ]);
    }
    table
}

fn memory(is_scarce: bool) -> &'static str {
    if is_scarce { "scarce" } else { "enough" }
}

fn plot(found: &[Found], is_scarce: bool) -> Plot {
    let of = |layout: Layout| {
        found.iter().filter(move |it| it.layout == layout && it.is_scarce == is_scarce)
    };
    let series = |layout: Layout| Series {
        name: layout.name().into(),
        points: (0..)
            .zip(of(layout))
            .map(|(nth, it)| [f64::from(nth), it.written_updates_per_second])
            .collect(),
        is_dashed: false,
    };
    Plot {
        title: format!("Updates a second, written back, memory {}", memory(is_scarce)),
        x: "strategy".into(),
        y: "updates a second".into(),
        shape: Shape::Bars(of(Layout::Mrtg).map(|it| it.way.name.to_owned()).collect()),
        series: LAYOUTS.map(series).into(),
    }
}

fn verdicts(found: &[Found], layout: Layout) -> Vec<Verdict> {
    [false, true].into_iter().flat_map(|is_scarce| of_memory(found, layout, is_scarce)).collect()
}

fn of_memory(found: &[Found], layout: Layout, is_scarce: bool) -> Vec<Verdict> {
    let rate = |name: &str| {
        let is_it =
            |it: &&Found| it.layout == layout && it.is_scarce == is_scarce && it.way.name == name;
        // Where no disk is waited for, others on the machine are not to count.
        let value = |it: &Found| match is_scarce {
            true => it.updates_per_second,
            false => it.updates_per_processor_second,
        };
        found.iter().find(is_it).map_or(f64::NAN, value)
    };
    let name = |what: &str| format!("{}, memory {}: {what}", layout.name(), memory(is_scarce));
    let whole_mapped = rate("whole-mapped") / rate("pwrite");
    let worst_kept = STRATEGIES_OF_2003.iter().filter(|way| way.kept == Kept::Metadata);
    let worst_kept = worst_kept.map(|way| rate(way.name)).fold(f64::INFINITY, f64::min);
    let tolerance = Tolerance { share: 0.08, least: 0.0 };
    let gain = Tolerance { share: 0.25, least: 0.0 };
    vec![
        Verdict::judge(
            name("metadata kept and pwrite, against stdio with open and close each"),
            [Some(35_000.0 / 17_000.0), None, None],
            rate("pwrite") / rate("stdio-each"),
            gain,
            if is_scarce {
                "a pwrite reads the one page that it changes, a read of stdio's reads ahead of itself"
            } else {
                "no disk arm is waited for: what is left is system calls and arithmetic"
            },
        ),
        Verdict::claim(
            name("pwrite against lseek and write (2003: faster)"),
            rate("pwrite") / rate("seek-write"),
            rate("pwrite") > rate("seek-write"),
            "an lseek is next to nothing beside the write",
        ),
        Verdict::judge(
            name("metadata mapped against pwrite"),
            [Some(1.25), None, None],
            rate("header-mapped") / rate("pwrite"),
            tolerance,
            "what was written back is read-only in a map: the next change of a page is a fault, which costs \
             more than the call it saves",
        ),
        Verdict::claim(
            name(
                "the whole file mapped against pwrite (2003: the worst of those that keep metadata)",
            ),
            whole_mapped,
            rate("whole-mapped") <= worst_kept,
            "today both write whole pages: the kernel keeps track of nothing smaller",
        ),
    ]
}
