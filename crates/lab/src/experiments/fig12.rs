//! Figure 12: resident pages of files, before and after advice.

use pagecache::Distribution;
use testbed::Readahead;

use super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use crate::files::Files;
use crate::layouts::Layout;
use crate::outcome::Table;
use crate::plot::{Plot, Series, Shape};
use crate::simulated::Life;
use crate::task::Task;
use crate::verdict::{Tolerance, Verdict};
use crate::ways::Way;
use crate::{Experiment, Laboratory, Outcome};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "fig12",
    question: "How many pages of each file are in memory, before and after advice?",
    reference: "27 of most files before, 8 after; 160,000 files in the 10 GB of page cache that 16 GB \
                of memory leave",
    seconds: [200, 4],
    run,
};

/// 10 GB for 160,000 files.
const PAGES_A_FILE: u64 = 16;
/// The first cycle ends a day, so that every archive of every file gets a row.
const START_SECONDS: u64 = MIDNIGHT_SECONDS + 24 * HOUR_SECONDS - 300;

/// The result of one way.
struct Found {
    layout: Layout,
    way: Way,
    window_kib: u64,
    measured: Distribution,
    simulated: Distribution,
    /// Pages read for each update of the last cycle.
    pages_read: f64,
}

fn run(laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
    let (ways, windows) = (Way::all_here(), laboratory.windows_kib()?);
    let layouts = laboratory.choose(&Layout::REFERENCE[..], &[Layout::Mrtg]);
    let cycles = laboratory.choose(30, 3);
    let of_way = |way: &Way| way.windows_of(&windows).len();
    laboratory.expect_steps(layouts.len() * ways.iter().map(of_way).sum::<usize>());
    let mut found = Vec::new();
    for &layout in layouts {
        let count = laboratory.files_of(layout, 1200);
        let disk = laboratory.disk(Files::disk_bytes(layout, count))?;
        for &way in &ways {
            for &window_kib in way.windows_of(&windows) {
                let _restored = Readahead::set(disk.device(), window_kib)?;
                let files = Files::make(&disk.path(), layout, count, START_SECONDS)?;
                found.push(measure(laboratory, &files, way, window_kib, cycles)?);
                files.remove()?;
                laboratory.step_with(&table(&found))?;
            }
        }
    }
    Ok(Outcome {
        scale: format!(
            "{} for 160,000, with {PAGES_A_FILE} pages of page cache each as there; {cycles} cycles from \
             midnight on",
            laboratory.counts(layouts, 1200)
        ),
        table: table(&found),
        plots: plots(&found, layouts),
        verdicts: found.iter().map(verdict).collect(),
        not_measured: crate::rrdtool::missing(),
    })
}

fn measure(
    laboratory: &Laboratory<'_>,
    files: &Files,
    way: Way,
    window_kib: u64,
    cycles: u64,
) -> Result<Found, String> {
    let task =
        Task { pages_a_file: Some(PAGES_A_FILE), looks: true, ..Task::new(files, way, cycles) };
    let watched = laboratory.run(&task)?;
    let cache_pages = watched.cache_pages(PAGES_A_FILE, files.count);
    let simulated = Life { files, way, window_kib, cache_pages, cycles }.live()?.resident;
    let last = watched.cycles.last().map_or(0, |cycle| cycle.pages_read);
    Ok(Found {
        layout: files.layout,
        way,
        window_kib,
        measured: distribution(&watched.resident_pages),
        simulated: distribution(&simulated),
        pages_read: last as f64 / f64::from(files.count),
    })
}

fn distribution(pages: &[u64]) -> Distribution {
    let mut distribution = Distribution::default();
    pages.iter().for_each(|pages| distribution.add(*pages));
    distribution
}

/// The median number of pages.
fn median(distribution: &Distribution) -> f64 {
    distribution.quantile(0.5).unwrap_or(0) as f64
}

fn table(found: &[Found]) -> Table {
    let mut table = Table::new(&[
        "layout",
        "way",
        "readahead_kib",
        "pages",
        "files",
        "files_simulated",
        "pages_read_per_update_of_last_cycle",
    ]);
    for it in found {
        let most = [&it.measured, &it.simulated].into_iter().flat_map(Distribution::steps);
        let most = most.map(|(pages, ..)| pages).max().unwrap_or(0);
        for pages in 0..=most {
            table.push(vec![
                it.layout.name().into(),
                it.way.name.into(),
                it.window_kib.into(),
                pages.into(),
                files_with(&it.measured, pages).into(),
                files_with(&it.simulated, pages).into(),
                it.pages_read.into(),
            ]);
        }
    }
    table
}

fn files_with(distribution: &Distribution, pages: u64) -> u64 {
    let step = distribution.steps().find(|(found, ..)| *found == pages);
    step.map_or(0, |(_, files, _)| files)
}

fn plots(found: &[Found], layouts: &[Layout]) -> Vec<(&'static str, Plot)> {
    let ends = ["", "-one-year", "-five-years"].into_iter();
    ends.zip(layouts).map(|(end, layout)| (end, plot(found, *layout))).collect()
}

fn plot(found: &[Found], layout: Layout) -> Plot {
    let of_reference = |it: &&Found| it.layout == layout && it.window_kib == Readahead::USUAL_KIB;
    let series = |it: &Found| {
        let share = |files: u64| files as f64 / it.measured.files().max(1) as f64;
        let points = (0..=28).map(|pages| [pages as f64, share(files_with(&it.measured, pages))]);
        Series {
            name: it.way.name.into(),
            points: points.collect(),
            is_dashed: !it.way.has_advice(),
        }
    };
    Plot {
        title: format!(
            "Pages in memory of each file of {}, {PAGES_A_FILE} available for each",
            layout.name()
        ),
        x: "pages of a file in memory".into(),
        y: "share of files".into(),
        shape: Shape::Lines,
        series: found.iter().filter(of_reference).map(series).collect(),
    }
}

fn verdict(it: &Found) -> Verdict {
    let reference = match (it.way.has_advice(), it.way.name, it.layout) {
        (true, _, Layout::Mrtg) => Some(8.0),
        (false, "stdio", Layout::Mrtg) => Some(27.0),
        _ => None, // the reference did not do or draw this
    };
    let because = match it.way.has_advice() {
        true => "other pages stay where there is room for them",
        false => {
            "today's first window has 4 pages, not 16: an update no longer brings the whole file"
        }
    };
    let others = [reference, None, Some(median(&it.simulated))];
    let tolerance = Tolerance { share: 0.1, least: 1.0 };
    let [layout, way, window_kib] =
        [it.layout.name().to_owned(), it.way.name.to_owned(), it.window_kib.to_string()];
    let what = format!("{layout}, {way}, readahead {window_kib} KiB: median of pages");
    Verdict::judge(what, others, median(&it.measured), tolerance, because)
}
