//! Figure 14: a day with eight pages for each file.

use testbed::Readahead;

use super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use crate::files::Files;
use crate::layouts::Layout;
use crate::outcome::Table;
use crate::plot::{Plot, Series, Shape};
use crate::simulated::Life;
use crate::task::Task;
use crate::verdict::{Tolerance, Verdict, text};
use crate::ways::Way;
use crate::{Experiment, Laboratory, Outcome};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "fig14",
    question: "What is read and written over a day, with eight pages of memory a file?",
    reference: "with advice page-ins near zero but at 00:00 UTC; more pages written at every aggregation: \
                30 minutes, 2 hours, a day",
    seconds: [500, 5],
    run,
};

const PAGES_A_FILE: u64 = 8;

/// The day of one way: pages read and written for each update, by cycle.
struct Day {
    layout: Layout,
    way: Way,
    measured: Vec<Moment>,
    simulated: Vec<Moment>,
    /// The simulation with LRU, the reference's model of a kernel.
    by_age: Vec<Moment>,
}

/// One cycle.
#[derive(Clone, Copy)]
struct Moment {
    at_seconds: u64,
    read: f64,
    written: f64,
}

fn run(laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
    let (ways, layouts) =
        (Way::all_here(), laboratory.choose(&Layout::REFERENCE[..], &[Layout::Mrtg]));
    laboratory.expect_steps(layouts.len() * ways.len());
    // From noon to noon, as in the reference's drawing. Before it there is half a day with a
    // midnight, which writes a row of each archive: so the page of a day's row was in memory once,
    // as in the life of any file.
    let (before_midnight, [warm, cycles]) =
        laboratory.choose((HOUR_SECONDS, [13 * 12, (13 + 24) * 12]), (600, [1, 3]));
    let start_seconds = MIDNIGHT_SECONDS + 24 * HOUR_SECONDS - before_midnight;
    let mut days = Vec::new();
    for &layout in layouts {
        let count = laboratory.files_of(layout, 300);
        let disk = laboratory.disk(Files::disk_bytes(layout, count))?;
        let _restored = Readahead::set(disk.device(), Readahead::USUAL_KIB)?;
        for &way in &ways {
            let files = Files::make(&disk.path(), layout, count, start_seconds)?;
            days.push(measure(laboratory, &files, way, [warm, cycles])?);
            files.remove()?;
            laboratory.step_with(&table(&days))?;
        }
    }
    Ok(Outcome {
        scale: format!(
            "{}, memory for {PAGES_A_FILE} pages of each, readahead {} KiB; {cycles} cycles, {warm} of them to \
             warm the cache",
            laboratory.counts(layouts, 300),
            Readahead::USUAL_KIB
        ),
        table: table(&days),
        plots: plots(&days),
        verdicts: days.iter().flat_map(verdicts).collect(),
        not_measured: crate::rrdtool::missing(),
    })
}

fn measure(
    laboratory: &Laboratory<'_>,
    files: &Files,
    way: Way,
    [warm, cycles]: [u64; 2],
) -> Result<Day, String> {
    let task = Task { pages_a_file: Some(PAGES_A_FILE), ..Task::new(files, way, cycles) };
    let watched = laboratory.run(&task)?;
    let cache_pages = watched.cache_pages(PAGES_A_FILE, files.count);
    let life = Life { files, way, window_kib: Readahead::USUAL_KIB, cache_pages, cycles };
    let [simulated, by_age] = [life.live()?.cycles, life.live_by_age()?.cycles];
    let each = 1.0 / f64::from(files.count);
    let measured = watched.cycles.iter().map(|cycle| Moment {
        at_seconds: cycle.at_seconds,
        read: cycle.pages_read as f64 * each,
        written: cycle.pages_written as f64 * each,
    });
    let simulated_moments = |cycles: Vec<[f64; 2]>| {
        let times = watched.cycles.iter().map(|cycle| cycle.at_seconds);
        let moment =
            |(at_seconds, [read, written]): (u64, [f64; 2])| Moment { at_seconds, read, written };
        times.zip(cycles).skip(warm as usize).map(moment).collect()
    };
    Ok(Day {
        layout: files.layout,
        way,
        simulated: simulated_moments(simulated),
        by_age: simulated_moments(by_age),
        measured: measured.skip(warm as usize).collect(),
    })
}

fn table(days: &[Day]) -> Table {
    let mut table = Table::new(&[
        "layout",
        "way",
        "at_utc",
        "read",
        "written",
        "read_simulated",
        "written_simulated",
    ]);
    for day in days {
        for (measured, simulated) in day.measured.iter().zip(&day.simulated) {
            table.push(vec![
                day.layout.name().into(),
                day.way.name.into(),
                super::time_of_day(measured.at_seconds).into(),
                measured.read.into(),
                measured.written.into(),
                simulated.read.into(),
                simulated.written.into(),
            ]);
        }
    }
    table
}

/// The reference's day, and the same day without advice.
fn plots(days: &[Day]) -> Vec<(&'static str, Plot)> {
    let drawn = [("", Way::OWN.name), ("-without-advice", "mapping")];
    let day = |way| days.iter().find(move |day| day.layout == Layout::Mrtg && day.way.name == way);
    drawn.into_iter().filter_map(|(end, way)| Some((end, plot(day(way)?)))).collect()
}

fn plot(day: &Day) -> Plot {
    let series = |name: &str, is_dashed, moments: &[Moment], value: fn(&Moment) -> f64| {
        let point = |it: &Moment| [(it.at_seconds - MIDNIGHT_SECONDS) as f64, value(it)];
        let points = moments.iter().map(point).collect();
        Series { name: name.into(), points, is_dashed }
    };
    Plot {
        title: format!("A day with {PAGES_A_FILE} pages a file: {}", day.way.name),
        x: "time of day, UTC".into(),
        y: "pages for each update".into(),
        shape: Shape::Day,
        series: vec![
            series("read", false, &day.measured, |it| it.read),
            series("written", false, &day.measured, |it| it.written),
            series("read, simulated", true, &day.simulated, |it| it.read),
            series("written, simulated", true, &day.simulated, |it| it.written),
        ],
    }
}

/// Kinds of cycles, by the longest aggregation that ends in them.
const KINDS: [(&str, u64); 4] = [
    ("between aggregations", 300),
    ("at half hours", 1800),
    ("every two hours", 7200),
    ("at 00:00 UTC", 86_400),
];

/// The kind of the longest aggregation that ends in a cycle.
fn kind(at_seconds: u64) -> usize {
    KINDS.iter().rposition(|(_, seconds)| at_seconds.is_multiple_of(*seconds)).unwrap_or(0)
}

/// The mean over the cycles of a kind.
fn mean(moments: &[Moment], of: usize, value: fn(&Moment) -> f64) -> Option<f64> {
    let of_kind = moments.iter().filter(|it| kind(it.at_seconds) == of);
    let values: Vec<f64> = of_kind.map(value).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn verdicts(day: &Day) -> Vec<Verdict> {
    let verdict = |(of, (name, _)): (usize, &(&str, u64))| {
        let read = mean(&day.measured, of, |it| it.read)?;
        let figure = |value| mean(&day.simulated, of, value);
        let is_midnight = of + 1 == KINDS.len();
        let reference = (day.way.has_advice() && !is_midnight).then_some(0.0);
        let of_what = format!("{}, {}, {name}", day.layout.name(), day.way.name);
        let what = format!("{of_what}: pages read for an update");
        // "Near zero" on an axis of ten pages.
        let tolerance = Tolerance { share: 0.1, least: 0.25 };
        let by_age = mean(&day.by_age, of, |it| it.read)?;
        let because = format!(
            "the kernel's two lists give up pages that one list by age keeps: with that {} are read (simulated)",
            text(by_age)
        );
        let figures = [reference, None, figure(|it| it.read)];
        let read = Verdict::judge(what, figures, read, tolerance, &because);
        let read = if by_age < tolerance.least { read } else { read.unexplained() };
        let what = format!("{of_what}: pages written for an update");
        let figures = [None, None, figure(|it| it.written)];
        let written = mean(&day.measured, of, |it| it.written)?;
        Some([read, Verdict::judge(what, figures, written, tolerance, "")])
    };
    KINDS.iter().enumerate().filter_map(verdict).flatten().collect()
}
