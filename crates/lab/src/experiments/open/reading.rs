//! Reads with and without advice: what a graph of a cold file costs.

use std::time::Instant;

use rrd::fetch::Query;
use store::{Access, Io, Locking, RrdFile, Transfer};
use testbed::{ProcessCounters, Readahead};

use super::super::MIDNIGHT_SECONDS;
use super::{Figure, Part};
use crate::Laboratory;
use crate::files::Files;
use crate::layouts::{Layout, PAGE_BYTES};
use crate::verdict::{Verdict, text};

pub(super) const STEPS: usize = SPANS.len() * WAYS.len();

const DAY_SECONDS: i64 = 86_400;
const SPANS: [(&str, i64); 2] = [("a day", DAY_SECONDS), ("a year", 365 * DAY_SECONDS)];
const WAYS: [(&str, Transfer); 2] =
    [("pread", Transfer::Positioned), ("mapping", Transfer::Mapped)];

/// Times of one kind differ by less, on a machine on which others work.
const LONGER: f64 = 1.3;

/// Pages read and milliseconds, in the median of all files.
type Cost = [f64; 2];

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
                for (what, value) in ["pages read", "milliseconds"].into_iter().zip(cost) {
                    let question = "reads under advice";
                    part.figures.push(Figure { question, case: case.clone(), what, value });
                }
            }
            part.verdicts.push(verdict(span, name, plain, advised));
            laboratory.step()?;
        }
    }
    Ok(Part { scale: format!("{count} files of one year for reading"), ..part })
}

/// The reference surmises that advice helps reads, too.
fn verdict(span: &str, way: &str, plain: Cost, advised: Cost) -> Verdict {
    let what = format!(
        "reads, {span} of a cold file by {way}: time with advice against without (reference: not \
         longer), {:.0} pages read against {:.0}",
        advised[0], plain[0]
    );
    let ratio = advised[1] / plain[1];
    let per_page = |[pages, milliseconds]: Cost| milliseconds / pages.max(1.0);
    let [taken, before] = [advised, plain].map(per_page);
    let reason = format!(
        "pages come one by one, and a page takes {} ms, where with readahead it takes {}",
        text(taken),
        text(before)
    );
    Verdict::claim(what, ratio, ratio < LONGER).explained(taken > LONGER * before, reason)
}

fn cost(laboratory: &Laboratory<'_>, files: &Files, io: Io, seconds: i64) -> Result<Cost, String> {
    let end_seconds = files.last_seconds as i64;
    let query = Query {
        cf: rrd::ConsolidationFunction::Average,
        start_seconds: end_seconds - seconds,
        end_seconds,
        step_seconds: 300,
    };
    let mut costs = [Vec::new(), Vec::new()];
    for nth in 0..files.count {
        laboratory.check()?;
        files.evict_one(nth)?;
        let (before, begun) = (ProcessCounters::own()?, Instant::now());
        let file = RrdFile::open_by(&files.path(nth), Access::Read, Locking::None, io);
        file.and_then(|file| file.fetch(&query)).map_err(|error| error.to_string())?;
        costs[1].push(begun.elapsed().as_secs_f64() * 1e3);
        let spent = ProcessCounters::own()? - before;
        costs[0].push((spent.read_bytes / PAGE_BYTES) as f64);
    }
    Ok(costs.map(|mut each| {
        each.sort_by(f64::total_cmp);
        each[each.len() / 2]
    }))
}
