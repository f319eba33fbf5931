//! Figure 14: a day with eight pages a file.

use super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use crate::files::Files;
use crate::layouts::Layout;
use crate::outcome::Table;
use crate::plot::{Plot, Series, Shape};
use crate::simulated;
use crate::task::Task;
use crate::verdict::{Tolerance, Verdict};
use crate::ways::Way;
use crate::{Experiment, Laboratory, Outcome};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "fig14",
    question: "What is read and written over a day, with advice and eight pages of memory a file?",
    reference: "page-ins near zero but at 00:00 UTC; more pages written at every aggregation: 30 minutes, \
                2 hours, a day",
    seconds: [420, 5],
    run,
};

const PAGES_A_FILE: u64 = 8;

/// One way's day: for each update of each cycle, pages read and written.
struct Day {
    way: Way,
    measured: Vec<Moment>,
    simulated: Vec<Moment>,
}

/// One cycle.
#[derive(Clone, Copy)]
struct Moment {
    at_seconds: u64,
    read: f64,
    written: f64,
}

fn run(laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
    let ways: Vec<Way> = Way::all_here().into_iter().filter(|way| way.has_advice()).collect();
    laboratory.expect_steps(ways.len());
    let count = laboratory.choose(1000, 60);
    // From noon to noon, as the reference drew it, after two hours that bring in what was evicted.
    let (before_midnight, [warm, cycles]) =
        laboratory.choose((14 * HOUR_SECONDS, [24, 24 + 288]), (600, [1, 3]));
    let disk = laboratory.disk(Files::disk_bytes(Layout::Mrtg, count))?;
    let start_seconds = MIDNIGHT_SECONDS + 24 * HOUR_SECONDS - before_midnight;
    let mut days = Vec::new();
    for way in ways {
        let files = Files::make(&disk.path(), Layout::Mrtg, count, start_seconds)?;
        days.push(measure(laboratory, &files, way, [warm, cycles])?);
        files.remove()?;
        laboratory.step_with(&table(&days))?;
    }
    Ok(Outcome {
        scale: format!(
            "{count} files of 800 rows, memory for {PAGES_A_FILE} pages of each, {cycles} cycles, {warm} of \
             them to warm the cache"
        ),
        table: table(&days),
        plots: days.iter().filter(|day| day.way == Way::OWN).map(|day| ("", plot(day))).collect(),
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
    let simulated = simulated::day(files, way, cache_pages, cycles)?;
    let each = 1.0 / f64::from(files.count);
    let measured = watched.cycles.iter().map(|cycle| Moment {
        at_seconds: cycle.at_seconds,
        read: cycle.pages_read as f64 * each,
        written: cycle.pages_written as f64 * each,
    });
    let times = watched.cycles.iter().map(|cycle| cycle.at_seconds);
    let simulated = times.zip(&simulated);
    let simulated = simulated.map(|(at_seconds, [read, written])| Moment {
        at_seconds,
        read: *read,
        written: *written,
    });
    let warm = warm as usize;
    Ok(Day {
        way,
        measured: measured.skip(warm).collect(),
        simulated: simulated.skip(warm).collect(),
    })
}

fn table(days: &[Day]) -> Table {
    let columns = ["way", "at_utc", "read", "written", "read_simulated", "written_simulated"];
    let mut table = Table::new(&columns);
    for day in days {
        for (measured, simulated) in day.measured.iter().zip(&day.simulated) {
            table.push(vec![
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

/// Kinds of cycles by the aggregation that they end.
const KINDS: [(&str, u64); 4] = [
    ("between aggregations", 300),
    ("at half hours", 1800),
    ("every two hours", 7200),
    ("at 00:00 UTC", 86_400),
];

/// The longest of the kinds that a cycle belongs to.
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
        let reference = (!is_midnight).then_some(0.0);
        let what = format!("{}, {name}: pages read for an update", day.way.name);
        // "Near zero" on an axis of ten pages.
        let tolerance = Tolerance { share: 0.1, least: 0.25 };
        let because = "the two lists give up a page that LRU would keep";
        let figures = [reference, None, figure(|it| it.read)];
        let read = Verdict::judge(what, figures, read, tolerance, because);
        let what = format!("{}, {name}: pages written for an update", day.way.name);
        let figures = [None, None, figure(|it| it.written)];
        let written = mean(&day.measured, of, |it| it.written)?;
        Some([read, Verdict::judge(what, figures, written, tolerance, "")])
    };
    KINDS.iter().enumerate().filter_map(verdict).flatten().collect()
}
