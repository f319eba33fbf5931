//! Figure 6: the pages that one update loads into memory.

use capacity::scenario::ReadaheadPolicy;
use testbed::Readahead;

use super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use crate::files::Files;
use crate::layouts::Layout;
use crate::outcome::Table;
use crate::plot::{Plot, Series, Shape};
use crate::simulated;
use crate::task::Task;
use crate::updating::{Readings, Updater};
use crate::verdict::{Tolerance, Verdict};
use crate::ways::Way;
use crate::{Experiment, Laboratory, Outcome};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "fig6",
    question: "How many blocks does one update of an evicted file bring into memory?",
    reference: "3 are needed; Linux 2.6.9 brought 24 of a file of 800 rows, 28 where the finest \
                averages last a year or five",
    seconds: [60, 3],
    run,
};

/// Within half an hour, only rows of the finest archives become final.
const HALF_HOUR_SECONDS: u64 = 1800;

/// The means of one way for one layout.
struct Found {
    layout: Layout,
    window_kib: u64,
    way: Way,
    /// Pages of each file in memory after an update.
    pages: Vec<u64>,
    /// Pages by a simulation of today's kernel, for the same files.
    simulated: Vec<u64>,
    /// Pages by a simulation of Linux 2.6.9, for ways with stdio.
    of_2007: Vec<u64>,
    /// Files for which the simulation has exactly the pages in memory.
    exact_files: u64,
}

fn run(laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
    let (ways, windows) = (Way::all_here(), laboratory.windows_kib()?);
    laboratory.expect_steps(Layout::REFERENCE.len() * windows.len() * ways.len());
    let count = laboratory.choose(200, 5);
    let mut found = Vec::new();
    for layout in Layout::REFERENCE {
        let disk = laboratory.disk(Files::disk_bytes(layout, count))?;
        let start_seconds = MIDNIGHT_SECONDS + 6 * HOUR_SECONDS;
        let mut files = Files::make(&disk.path(), layout, count, start_seconds)?;
        for &window_kib in &windows {
            let _restored = Readahead::set(disk.device(), window_kib)?;
            for &way in &ways {
                found.push(measure(laboratory, &mut files, way, window_kib)?);
                laboratory.step_with(&table(&found))?;
            }
        }
    }
    Ok(Outcome {
        scale: format!("{count} files of each layout, each evicted, updated once and looked at"),
        table: table(&found),
        plots: plots(&found, &windows),
        verdicts: verdicts(&found),
        not_measured: crate::rrdtool::missing(),
    })
}

fn measure(
    laboratory: &Laboratory<'_>,
    files: &mut Files,
    way: Way,
    window_kib: u64,
) -> Result<Found, String> {
    pass_half_hour(files)?;
    let newest: Vec<_> =
        (0..files.count).map(|nth| files.newest_rows(nth)).collect::<Result<_, _>>()?;
    let watched = laboratory.run(&Task { evicts_each: true, ..Task::new(files, way, 1) })?;
    let mut found = Found {
        layout: files.layout,
        window_kib,
        way,
        pages: Vec::new(),
        simulated: Vec::new(),
        of_2007: Vec::new(),
        exact_files: 0,
    };
    for (resident, newest) in watched.brought.iter().zip(newest) {
        let today =
            simulated::brought(files, newest.clone(), way.method(), way.readahead(window_kib));
        let policy =
            if way.has_advice() { ReadaheadPolicy::None } else { ReadaheadPolicy::Observed };
        let stdio = capacity::replay::Method::Stream;
        let of_2007 = simulated::brought(files, newest, stdio, policy);
        found.of_2007.push(of_2007.len() as u64);
        found.simulated.push(today.len() as u64);
        found.exact_files += u64::from(today == *resident);
        found.pages.push(resident.len() as u64);
    }
    files.last_seconds += files.layout.step_seconds();
    Ok(found)
}

/// Passes an update that ends half an hour and has more rows, so that it is not measured.
fn pass_half_hour(files: &mut Files) -> Result<(), String> {
    let next_seconds = files.last_seconds + 300;
    if !next_seconds.is_multiple_of(HALF_HOUR_SECONDS) {
        return Ok(());
    }
    files.last_seconds = next_seconds;
    let mut updater = Updater::new(Way::OWN, files)?;
    let readings = [Readings::at(files)];
    (0..files.count).try_for_each(|nth| updater.update(&files.path(nth), &readings))
}

fn mean(pages: &[u64]) -> f64 {
    pages.iter().sum::<u64>() as f64 / pages.len() as f64
}

fn table(found: &[Found]) -> Table {
    let mut table = Table::new(&[
        "layout",
        "readahead_kib",
        "way",
        "pages_mean",
        "pages_min",
        "pages_max",
        "simulated_today",
        "simulated_exactly_share",
        "simulated_2.6.9",
    ]);
    for it in found {
        table.push(vec![
            it.layout.name().into(),
            it.window_kib.into(),
            it.way.name.into(),
            mean(&it.pages).into(),
            it.pages.iter().copied().min().unwrap_or(0).into(),
            it.pages.iter().copied().max().unwrap_or(0).into(),
            mean(&it.simulated).into(),
            (it.exact_files as f64 / it.pages.len() as f64).into(),
            mean(&it.of_2007).into(),
        ]);
    }
    table
}

fn plots(found: &[Found], windows: &[u64]) -> Vec<(&'static str, Plot)> {
    let names = ["", "-today"];
    let plot = |(name, window_kib): (&'static str, &u64)| {
        let shown: Vec<&Found> = found.iter().filter(|it| it.window_kib == *window_kib).collect();
        (name, plot(&shown, *window_kib))
    };
    names.into_iter().zip(windows).map(plot).collect()
}

fn plot(found: &[&Found], window_kib: u64) -> Plot {
    let of = |layout: Layout| found.iter().filter(move |it| it.layout == layout);
    let groups = of(Layout::Mrtg).map(|it| it.way.name.to_owned()).collect();
    let series = |layout: Layout, what: &str, is_dashed, value: fn(&Found) -> f64| Series {
        name: format!("{}{what}", layout.name()),
        points: (0..).zip(of(layout)).map(|(nth, it)| [f64::from(nth), value(it)]).collect(),
        is_dashed,
    };
    let measured = Layout::REFERENCE.map(|layout| series(layout, "", false, |it| mean(&it.pages)));
    let mut of_2007 = series(Layout::Mrtg, ", 2.6.9 (simulated)", true, |it| mean(&it.of_2007));
    of_2007.points.truncate(1); // programs did not map files then
    Plot {
        title: format!("Blocks that one update brings, readahead of {window_kib} KiB"),
        x: "how the file is read and written".into(),
        y: "pages in memory".into(),
        shape: Shape::Bars(groups),
        series: measured.into_iter().chain([of_2007]).collect(),
    }
}

fn verdicts(found: &[Found]) -> Vec<Verdict> {
    let of_reference = |it: &&Found| it.window_kib == Readahead::USUAL_KIB;
    found.iter().filter(of_reference).map(verdict).collect()
}

fn verdict(it: &Found) -> Verdict {
    let reference = match (it.way.has_advice(), it.layout, it.way.name) {
        (true, ..) => Some(3.0),
        (false, Layout::Mrtg, "stdio") => Some(24.0),
        (false, _, "stdio") => Some(28.0),
        _ => None, // the reference did not do this
    };
    let because = match it.way.has_advice() {
        true => "some of the three are one page: rows share it with the header or with each other"
            .into(),
        false => format!(
            "today's kernel begins a file with a window of 4 pages, where 2.6.9 began with 16 (that, \
             simulated on the same files: {})",
            crate::verdict::text(mean(&it.of_2007))
        ),
    };
    let tolerance = Tolerance { share: 0.05, least: 0.5 };
    let others = [reference, None, Some(mean(&it.simulated))];
    let what = format!("{}, {}: blocks brought", it.layout.name(), it.way.name);
    Verdict::judge(what, others, mean(&it.pages), tolerance, &because)
}
