//! Figure 13: page-ins over the pages of memory for each file.

mod verdicts;

use capacity::model::{Precision, Printed, Reuse};
use capacity::replay::Method;
use capacity::trace::Group;
use testbed::{LoopDisk, Readahead};

use super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use crate::files::Files;
use crate::layouts::{Layout, PAGE_BYTES};
use crate::outcome::Table;
use crate::plot::{Plot, Series, Shape};
use crate::ratio::{NEXT_TO_NONE, ratio};
use crate::simulated;
use crate::task::Task;
use crate::ways::{RRDTOOL, Way};
use crate::{Experiment, Laboratory, Outcome};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "fig13",
    question: "How many pages must be read for an update, by the pages of memory that a file may have?",
    reference: "with readahead a cliff at 18 pages, the inode and an indirect block among them; without, \
                next to none from 7 or 8 on; the size of the file hardly matters",
    seconds: [700, 4],
    run,
};

/// The sizes of the experiment for one layout.
struct Extent {
    layout: Layout,
    files: u32,
    /// The numbers of pages for each file: with advice; without advice and with the reference's
    /// window; without advice and with today's window.
    sizes: [Vec<u64>; 3],
    ways: Vec<Way>,
    /// Cycles to warm the cache, and cycles to count.
    cycles: [u64; 2],
}

impl Extent {
    /// Cycles to warm the cache, and cycles to count. Without advice, a mapping of a long file
    /// reads as much in each cycle, up to the whole file, so fewer cycles are enough.
    fn cycles(&self, way: Way) -> [u64; 2] {
        let reads_all = way.method() == Method::Mapping && !way.has_advice();
        if reads_all && self.layout != Layout::Mrtg { [2, 4] } else { self.cycles }
    }

    /// The sizes of memory for one way.
    fn sizes(&self, way: Way, window_kib: u64) -> &[u64] {
        let [advised, usual, today] = &self.sizes;
        match (way.has_advice(), window_kib) {
            (true, _) => advised,
            (false, Readahead::USUAL_KIB) => usual,
            (false, _) => today,
        }
    }
}

/// One size of memory.
pub(super) struct Point {
    layout: Layout,
    way: Way,
    window_kib: u64,
    pages: u64,
    cached_pages: f64,
    /// Measured pages read for an update.
    pub(super) measured: f64,
    pub(super) simulated: f64,
    /// Pages that an update changes.
    pub(super) changed: f64,
    /// The results of the printed and of the corrected model, which do not include readahead.
    pub(super) modelled: Option<[f64; 2]>,
}

fn run(laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
    let windows = laboratory.windows_kib()?;
    let extents = extents(laboratory);
    let of_way = |extent: &Extent, way: &Way| -> usize {
        way.windows_of(&windows).iter().map(|window| extent.sizes(*way, *window).len()).sum()
    };
    let steps = extents.iter().flat_map(|it| it.ways.iter().map(move |way| of_way(it, way)));
    laboratory.expect_steps(steps.sum());
    let mut points = Vec::new();
    for extent in &extents {
        measure(laboratory, extent, &windows, &mut points)?;
    }
    let counts = extents.iter().map(|it| format!("{} of {}", it.files, it.layout.name()));
    let [warm, counted] = extents[0].cycles;
    let (verdicts, mut not_measured) = verdicts::of(&points);
    not_measured.extend(crate::rrdtool::missing());
    Ok(Outcome {
        scale: format!(
            "files: {}; memory for as many pages of each; {counted} cycles counted after {warm}, of long files \
             mapped without advice 4 after 2",
            counts.collect::<Vec<_>>().join(", ")
        ),
        table: table(&points),
        plots: plots(&points),
        verdicts,
        not_measured,
    })
}

fn extents(laboratory: &Laboratory<'_>) -> Vec<Extent> {
    let all = Way::all_here();
    if laboratory.choose(false, true) {
        let ways = all.into_iter().filter(|way| ["stdio", "pread-advice"].contains(&way.name));
        let (sizes, ways) = ([vec![4, 8], vec![8, 26], vec![8]], ways.collect());
        return vec![Extent { layout: Layout::Mrtg, files: 150, sizes, ways, cycles: [2, 2] }];
    }
    let extent = |layout, files, sizes: [&[u64]; 3]| Extent {
        layout,
        files,
        sizes: sizes.map(<[u64]>::to_vec),
        // rrdtool maps files as gyre can; with long files it shows nothing new.
        ways: all.iter().copied().filter(|way| layout == Layout::Mrtg || *way != RRDTOOL).collect(),
        // Rows of two hours occur in the warm-up, and no row of a day in the counted cycles.
        cycles: [24, 24],
    };
    let with_advice = [3, 4, 5, 6, 7, 8, 10, 12];
    vec![
        extent(Layout::Mrtg, 500, [&with_advice, &[3, 5, 8, 12, 16, 18, 20, 24, 28], &[8, 18, 28]]),
        extent(Layout::OneYear, 150, [&[4, 6, 8, 12], &[8, 24], &[8, 24]]),
        extent(Layout::FiveYears, 150, [&[4, 6, 8, 12], &[8, 24], &[8, 24]]),
    ]
}

fn measure(
    laboratory: &mut Laboratory<'_>,
    extent: &Extent,
    windows: &[u64],
    points: &mut Vec<Point>,
) -> Result<(), String> {
    let Extent { layout, files: count, .. } = *extent;
    let disk = laboratory.disk(Files::disk_bytes(layout, count))?;
    let start_seconds = MIDNIGHT_SECONDS + 6 * HOUR_SECONDS;
    let mut files = Files::make(&disk.path(), layout, count, start_seconds)?;
    for &way in &extent.ways {
        for &window_kib in way.windows_of(windows) {
            for &pages in extent.sizes(way, window_kib) {
                points.push(point(
                    laboratory,
                    &disk,
                    &mut files,
                    extent.cycles(way),
                    way,
                    [window_kib, pages],
                )?);
                laboratory.step_with(&table(points))?;
            }
        }
    }
    Ok(())
}

/// Runs a worker that updates files with memory for this many pages of each.
pub(super) fn point(
    laboratory: &Laboratory<'_>,
    disk: &LoopDisk,
    files: &mut Files,
    cycles: [u64; 2],
    way: Way,
    [window_kib, pages]: [u64; 2],
) -> Result<Point, String> {
    let _restored = Readahead::set(disk.device(), window_kib)?;
    files.evict()?;
    let task = Task { pages_a_file: Some(pages), ..Task::new(files, way, cycles.iter().sum()) };
    let watched = laboratory.run(&task)?;
    let cache_pages = watched.cache_pages(pages, files.count);
    let point = Point {
        layout: files.layout,
        way,
        window_kib,
        pages,
        cached_pages: watched.cached_pages() as f64 / f64::from(files.count),
        measured: watched.per_update(cycles[0], files.count, |cycle| cycle.pages_read as f64),
        changed: watched.per_update(cycles[0], files.count, |cycle| cycle.pages_written as f64),
        simulated: simulated::pages_read(files, way, window_kib, cache_pages, cycles)?,
        modelled: way.has_advice().then(|| modelled(files, cache_pages)),
    };
    files.last_seconds += task.cycles * files.layout.step_seconds();
    Ok(point)
}

impl Point {
    /// The ratio of the corrected model's page-ins to those of another point.
    pub(super) fn compared_model(&self, other: &Self) -> Option<f64> {
        let [_, one] = self.modelled?;
        let [_, other] = other.modelled?;
        ratio(one, other, NEXT_TO_NONE)
    }
}

/// Page-ins of an update by the printed model and by the corrected one.
fn modelled(files: &Files, cache_pages: u64) -> [f64; 2] {
    let pages_a_file = cache_pages / u64::from(files.count);
    let printed = Printed::new(&files.layout.definition(), PAGE_BYTES);
    let group = Group { shape: files.layout.shape(), files: files.count };
    let corrected = Reuse::new(&[group], Precision::default());
    let updates_a_day = 86_400.0 / files.layout.step_seconds() as f64;
    let per_day = corrected.page_ins_per_day(0, cache_pages).total();
    [printed.page_ins_per_update(pages_a_file.max(1)), per_day / updates_a_day]
}

fn table(points: &[Point]) -> Table {
    let mut table = Table::new(&[
        "layout",
        "way",
        "readahead_kib",
        "pages_a_file",
        "cached_pages_a_file",
        "read_per_update",
        "simulated",
        "model_printed",
        "model_corrected",
    ]);
    for it in points {
        table.push(vec![
            it.layout.name().into(),
            it.way.name.into(),
            it.window_kib.into(),
            it.pages.into(),
            it.cached_pages.into(),
            it.measured.into(),
            it.simulated.into(),
            it.modelled.map(|[printed, _]| printed).into(),
            it.modelled.map(|[_, corrected]| corrected).into(),
        ]);
    }
    table
}

/// A mapping without advice gets a plot of its own for each layout: its curve would dwarf the
/// others.
fn plots(points: &[Point]) -> Vec<(&'static str, Plot)> {
    let ends = [
        (Layout::Mrtg, "", "-mapping"),
        (Layout::OneYear, "-one-year", "-one-year-mapping"),
        (Layout::FiveYears, "-five-years", "-five-years-mapping"),
    ];
    let (mut plots, mapping) = (Vec::new(), Way::named("mapping"));
    for (layout, end, end_of_mapping) in ends {
        let of_layout: Vec<&Point> = points.iter().filter(|it| it.layout == layout).collect();
        let (mapped, others) = of_layout.into_iter().partition(|it| Some(it.way) == mapping);
        let drawn = [(end, others), (end_of_mapping, mapped)];
        let drawn = drawn.into_iter().filter(|(_, points): &(_, Vec<&Point>)| !points.is_empty());
        plots.extend(drawn.map(|(end, points)| (end, plot(&points, layout))));
    }
    plots
}

fn plot(points: &[&Point], layout: Layout) -> Plot {
    let shown: Vec<&Point> =
        points.iter().copied().filter(|it| it.window_kib == Readahead::USUAL_KIB).collect();
    let mut series = Vec::new();
    for way in Way::all_here() {
        let of_way = || shown.iter().filter(|it| it.way == way);
        let line = |name: String, is_dashed, value: fn(&Point) -> f64| Series {
            name,
            points: of_way().map(|it| [it.cached_pages, value(it)]).collect(),
            is_dashed,
        };
        if of_way().next().is_none() {
            continue;
        }
        series.push(line(way.name.into(), false, |it| it.measured));
        if ["stdio", "mapping", "pread-advice"].contains(&way.name) {
            series.push(line(format!("{}, simulated", way.name), true, |it| it.simulated));
        }
    }
    Plot {
        title: format!("Pages read for an update, files of {}", layout.name()),
        x: "pages of a file in memory, its inode not counted".into(),
        y: "pages read for an update".into(),
        shape: Shape::Lines,
        series,
    }
}
