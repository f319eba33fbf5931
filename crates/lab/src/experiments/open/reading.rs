//! Reads with and without advice: the cost of a graph of an uncached file.

use std::time::Instant;

use files::{Access, Io, RrdFile, Transfer};
use rrd::fetch::Query;
use store::Locking;
use testbed::{ProcessCounters, Readahead};

use super::super::MIDNIGHT_SECONDS;
use super::part::median;
use super::{Figure, Part, bars};
use crate::Laboratory;
use crate::files::Files;
use crate::layouts::{Layout, PAGE_BYTES};
use crate::plot::Plot;
use crate::ratio::{MEASURABLE_SECONDS, timed, too_short};
use crate::verdict::{Judged, Verdict, text};

pub(super) const STEPS: usize = SPANS.len() * WAYS.len();

const QUESTION: &str = "reads under advice";
const DAY_SECONDS: i64 = 86_400;
const SPANS: [(&str, i64); 2] = [("a day", DAY_SECONDS), ("a year", 365 * DAY_SECONDS)];
const WAYS: [(&str, Transfer); 2] =
    [("pread", Transfer::Positioned), ("mapping", Transfer::Mapped)];

/// Times that differ by a smaller factor are considered equal, because the machine may have other
/// work.
const LONGER: f64 = 1.3;

/// The files are read again until this much time is counted: a day of one file takes a fraction of
/// a millisecond.
const ENOUGH_SECONDS: f64 = 1.5 * MEASURABLE_SECONDS;

/// The cost of a read.
#[derive(Clone, Copy)]
struct Cost {
    /// The median of pages read, over all files.
    pages: f64,
    /// The median of seconds over all files, if all of them together took long enough.
    seconds: Option<f64>,
}

pub(super) fn run(laboratory: &mut Laboratory<'_>) -> Result<Part, String> {
    let count = laboratory.choose(100, 5);
    let disk = laboratory.disk(Files::disk_bytes(Layout::OneYear, count))?;
    let _restored = Readahead::set(disk.device(), Readahead::USUAL_KIB)?;
    let files = Files::make(&disk.path(), Layout::OneYear, count, MIDNIGHT_SECONDS)?;
    let mut part = Part::default();
    for (span, seconds) in SPANS {
        for (name, transfer) in WAYS {
            let costs = [false, true]
                .map(|advice| cost(laboratory, &files, Io { transfer, advice }, seconds));
            let [plain, advised] = [costs[0].clone()?, costs[1].clone()?];
            for (advice, cost) in [("", plain), ("-advice", advised)] {
                let case = format!("{span} by {name}{advice}");
                part.figure(QUESTION, case.clone(), "pages read", cost.pages);
                if let Some(seconds) = cost.seconds {
                    part.figure(QUESTION, case, "milliseconds", seconds * 1e3);
                }
            }
            part.judged(verdict(span, name, plain, advised));
            laboratory.step()?;
        }
    }
    part.plots.extend(plot(&part.figures));
    Ok(Part { scale: format!("{count} files of one year for reading"), ..part })
}

/// The durations with advice and without, if all were measured.
fn plot(figures: &[Figure]) -> Option<(&'static str, Plot)> {
    let of = |advice: &str| -> Option<Vec<f64>> {
        let cases =
            SPANS.iter().flat_map(|(span, _)| WAYS.map(|(name, _)| format!("{span} by {name}")));
        let value = |case: String| {
            let case = case + advice;
            figures
                .iter()
                .find(|it| it.what == "milliseconds" && it.case == case)
                .map(|it| it.value)
        };
        cases.map(value).collect()
    };
    let groups = SPANS.iter().flat_map(|(span, _)| WAYS.map(|(name, _)| format!("{span}, {name}")));
    let kinds = vec![("without advice".into(), of("")?), ("with advice".into(), of("-advice")?)];
    let axes = ["what is read, and how", "milliseconds"];
    Some(("-reading", bars("Reads of a cold file", axes, groups.collect(), kinds)))
}

/// The reference supposes that advice helps reads, too.
fn verdict(span: &str, way: &str, plain: Cost, advised: Cost) -> Judged {
    let what = format!(
        "reads, {span} of a cold file by {way}: time with advice against without (reference: not \
         longer), {:.0} pages read against {:.0}",
        advised.pages, plain.pages
    );
    let (Some(with), Some(without)) = (advised.seconds, plain.seconds) else {
        return Err(too_short(&what, "clock"));
    };
    let ratio = with / without;
    let [taken, before] = [with / advised.pages.max(1.0), without / plain.pages.max(1.0)];
    let [taken, before] = [taken * 1e3, before * 1e3];
    let reason = format!(
        "pages come one by one, and a page takes {} ms, where with readahead it takes {}",
        text(taken),
        text(before)
    );
    Ok(Verdict::claim(what, ratio, ratio < LONGER).explained(taken > LONGER * before, reason))
}

fn cost(laboratory: &Laboratory<'_>, files: &Files, io: Io, seconds: i64) -> Result<Cost, String> {
    let end_seconds = files.last_seconds as i64;
    let query = Query {
        tick: rrd::Tick::SECOND,
        cf: rrd::ConsolidationFunction::Average,
        start_seconds: end_seconds - seconds,
        end_seconds,
        step_seconds: 300,
    };
    let (mut pages, mut seconds) = (Vec::new(), Vec::new());
    let rounds_max = laboratory.choose(20, 1);
    for nth in (0..rounds_max).flat_map(|_| 0..files.count) {
        if seconds.len() >= files.count as usize && seconds.iter().sum::<f64>() > ENOUGH_SECONDS {
            break;
        }
        laboratory.check()?;
        files.evict_one(nth)?;
        let (before, begun) = (ProcessCounters::own()?, Instant::now());
        let file = RrdFile::open_by(&files.path(nth), Access::Read, Locking::None, io);
        file.and_then(|file| file.fetch(&query)).map_err(|error| error.to_string())?;
        seconds.push(begun.elapsed().as_secs_f64());
        let spent = ProcessCounters::own()? - before;
        pages.push((spent.read_bytes / PAGE_BYTES) as f64);
    }
    let all_seconds = seconds.iter().sum();
    Ok(Cost { pages: median(&pages), seconds: timed(median(&seconds), all_seconds) })
}
