//! Aggregations at different times: each file's clock is ahead of the one of the file before.

use testbed::Readahead;

use super::super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use super::Part;
use crate::Laboratory;
use crate::files::{Clocks, Files};
use crate::layouts::Layout;
use crate::plot::{Plot, Series, Shape};
use crate::ratio::{NEXT_TO_NONE, next_to_none, ratio};
use crate::simulated;
use crate::task::Task;
use crate::verdict::{Judged, Tolerance, Verdict, text};
use crate::ways::Way;

pub(super) const STEPS: usize = CLOCKS.len();

const QUESTION: &str = "aggregations at different times";
const CLOCKS: [(&str, Clocks); 2] = [("together", Clocks::Together), ("spread", Clocks::Spread)];
/// A file uses nine pages for rows of all lengths. With this limit, the pages of a day's
/// aggregation and some of those of two hours must be read.
const PAGES_A_FILE: u64 = 6;

/// Pages read and written for an update, by cycle.
type Moments = Vec<[f64; 2]>;

/// The result for one day.
struct Day {
    name: &'static str,
    /// The mean number of pages of a file in memory.
    cached_pages: f64,
    begins_seconds: u64,
    step_seconds: u64,
    measured: Moments,
    simulated: Moments,
}

/// The parameters of a day.
#[derive(Clone, Copy)]
struct Load {
    mean: f64,
    peak: f64,
}

const READ: usize = 0;
const WRITTEN: usize = 1;

pub(super) fn run(laboratory: &mut Laboratory<'_>) -> Result<Part, String> {
    let count = laboratory.choose(150, 40);
    // From noon to noon, after a day in which every page came in once.
    let (before_midnight, cycles) = laboratory.choose((36 * HOUR_SECONDS, [288; 2]), (900, [2, 4]));
    let mut days = Vec::new();
    for (name, clocks) in CLOCKS {
        let disk = laboratory.disk(Files::disk_bytes(Layout::Mrtg, count))?;
        let _restored = Readahead::set(disk.device(), Readahead::USUAL_KIB)?;
        let start_seconds = MIDNIGHT_SECONDS + 48 * HOUR_SECONDS - before_midnight;
        let files = Files::make_by(clocks, &disk.path(), Layout::Mrtg, count, start_seconds)?;
        days.push(day(laboratory, name, &files, cycles)?);
        laboratory.step()?;
    }
    let mut part = Part {
        scale: format!("{count} files with {PAGES_A_FILE} pages each for clocks"),
        plots: vec![
            ("-clocks-read", plot(&days, READ, "read")),
            ("-clocks-written", plot(&days, WRITTEN, "written")),
        ],
        ..Part::default()
    };
    figures(&days, &mut part);
    verdicts(&days).into_iter().for_each(|judged| part.judged(judged));
    Ok(part)
}

fn day(
    laboratory: &Laboratory<'_>,
    name: &'static str,
    files: &Files,
    [warm, counted]: [u64; 2],
) -> Result<Day, String> {
    let task =
        Task { pages_a_file: Some(PAGES_A_FILE), ..Task::new(files, Way::OWN, warm + counted) };
    let watched = laboratory.run(&task)?;
    let cache_pages = watched.cache_pages(PAGES_A_FILE, files.count);
    let simulated = simulated::day_by_clocks(files, Way::OWN, cache_pages, warm + counted)?;
    let each = |pages: u64| pages as f64 / f64::from(files.count);
    let measured =
        watched.cycles.iter().map(|cycle| [each(cycle.pages_read), each(cycle.pages_written)]);
    let warm = warm as usize;
    Ok(Day {
        name,
        cached_pages: each(watched.cached_pages()),
        begins_seconds: watched.cycles[warm].at_seconds,
        step_seconds: files.layout.step_seconds(),
        measured: measured.skip(warm).collect(),
        simulated: simulated[warm..].to_vec(),
    })
}

fn load(moments: &Moments, what: usize) -> Load {
    let values = || moments.iter().map(|each| each[what]);
    Load { mean: values().sum::<f64>() / moments.len() as f64, peak: values().fold(0.0, f64::max) }
}

fn figures(days: &[Day], part: &mut Part) {
    for day in days {
        part.figure(QUESTION, day.name, "pages of a file in memory", day.cached_pages);
        for (end, moments) in [("", &day.measured), (", simulated", &day.simulated)] {
            let case = format!("{}{end}", day.name);
            let [read, written] = [READ, WRITTEN].map(|what| load(moments, what));
            for (what, value) in [
                ("pages read for an update, mean", read.mean),
                ("pages read for an update, busiest cycle", read.peak),
                ("pages written for an update, mean", written.mean),
                ("pages written for an update, busiest cycle", written.peak),
            ] {
                part.figure(QUESTION, case.clone(), what, value);
            }
        }
    }
}

fn verdicts(days: &[Day]) -> Vec<Judged> {
    let [together, spread] = days else { return Vec::new() };
    let [of_all, of_each] = [together, spread].map(|day| load(&day.measured, WRITTEN));
    let simulated = load(&spread.simulated, WRITTEN);
    let what = format!(
        "aggregations spread: pages written in the busiest cycle against the mean, {} where they come \
         together (reference: evenly)",
        text(of_all.peak / of_all.mean)
    );
    let figures = [Some(1.0), None, Some(simulated.peak / simulated.mean)];
    let tolerance = Tolerance { share: 0.25, least: 0.0 };
    let written = Verdict::judge(what, figures, of_each.peak / of_each.mean, tolerance, "");
    let [of_all, of_each] = [together, spread].map(|day| load(&day.measured, READ));
    let what = format!(
        "aggregations spread: pages read for an update in the busiest cycle, {} where they come together \
         (reference: no peak)",
        text(of_all.peak)
    );
    let peak = match of_all.peak < NEXT_TO_NONE {
        true => Err(next_to_none(&what, of_all.peak)),
        false => {
            let simulation = Some(load(&spread.simulated, READ).peak);
            let claimed = Verdict::claim(what, of_each.peak, of_each.peak < of_all.peak / 2.0);
            Ok(Verdict { simulation, ..claimed })
        }
    };
    vec![Ok(written), peak, total(days, READ, "read"), total(days, WRITTEN, "written")]
}

/// Whether the sums over a day are equal.
fn total(days: &[Day], what: usize, name: &str) -> Judged {
    let said = format!(
        "aggregations spread: pages {name} over a day against those where they come together"
    );
    let against = |moments: fn(&Day) -> &Moments| {
        let [together, spread] = [0, 1].map(|nth: usize| load(moments(&days[nth]), what).mean);
        // A day has 288 updates of a file: less than one page in all of them is negligible.
        ratio(spread, together, 1.0 / 288.0)
    };
    let Some(measured) = against(|day| &day.measured) else {
        return Err(next_to_none(&said, load(&days[0].measured, what).mean));
    };
    let others = [None, None, against(|day| &day.simulated)];
    Ok(Verdict::judge(said, others, measured, Tolerance { share: 0.1, least: 0.0 }, ""))
}

fn plot(days: &[Day], what: usize, name: &str) -> Plot {
    let series = |day: &Day, end: &str, is_dashed, moments: &Moments| {
        let at = |nth: usize| {
            (day.begins_seconds + nth as u64 * day.step_seconds - day_seconds(day)) as f64
        };
        let points = moments.iter().enumerate().map(|(nth, each)| [at(nth), each[what]]);
        Series { name: format!("{}{end}", day.name), points: points.collect(), is_dashed }
    };
    let series = days.iter().flat_map(|day| {
        [series(day, "", false, &day.measured), series(day, ", simulated", true, &day.simulated)]
    });
    Plot {
        title: format!(
            "Aggregations together and spread, {PAGES_A_FILE} pages a file: pages {name}"
        ),
        x: "time of day, UTC (of the first file)".into(),
        y: format!("pages {name} for each update"),
        shape: Shape::Day,
        series: series.collect(),
    }
}

/// The midnight before a day begins.
fn day_seconds(day: &Day) -> u64 {
    day.begins_seconds - day.begins_seconds % (24 * HOUR_SECONDS)
}
