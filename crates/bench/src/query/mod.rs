//! Questions of PromQL and Graphite by HTTP, to gyre over a ring store and to VictoriaMetrics with
//! the same series. Answers are checked: the same series, the same values. Beside that, what TLS takes
//! of rrdcached's protocol.
//!
//! Both servers keep the connection open and have the same two processors. VictoriaMetrics is told
//! not to answer from its cache of earlier answers (`nocache=1`): gyre has none.
//!
//! Expected: a value takes 15 ns to read and 25 ns to write as JSON. So 60,000 values of Graphite's
//! take 3 ms, a day of 1,000 series (288,000 values) 12 ms. A sum of 100,000 series of 13 values
//! reads 1.3 million values, 20 ms, and makes labels for each series, 300 ns: 50 ms on one core. A
//! regular expression takes 50 ns a name: a million of them 50 ms on one core. VictoriaMetrics
//! unpacks a value in about 5 ns, and finds a series through its inverted index in about 2 us.

mod options;
mod fleet;
mod site;
mod index;
mod intake;
mod encrypted;

use std::path::{Path, PathBuf};

use self::fleet::{Fleet, PORTS, STEP_SECONDS};
use self::site::{Counted, Question, Site, of_list, of_matrix, of_render};
use crate::http::encoded;
use crate::report::Report;
use crate::room::Room;
pub(crate) use options::Options;
use serde_json::Value;

/// Rows that Graphite is asked for.
const RENDERED_ROWS: u64 = 600;
const DAY_ROWS: u64 = 288;
const HOUR_ROWS: u64 = 12;
/// The most time of an answer for Graphite's and of names, milliseconds.
const RENDER_MAX: f64 = 8.0;
const NAMES_MAX: f64 = 100.0;

/// The inputs of every part.
struct Bench<'a> {
    options: &'a Options,
    inside: &'a Path,
    victoria: Option<PathBuf>,
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a file system that fails, a server that does, or answers that differ.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = crate::options::parse(words)?;
    let room = Room::within(&options.directory)?;
    let mut report = room.report(&options)?;
    let victoria = match options.peer {
        true => oracle::program("victoria-metrics", "the benchmark's column of that name"),
        false => None,
    };
    let bench = Bench { options: &options, inside: &room.path, victoria };
    type Part = fn(&Bench<'_>, &mut Report) -> Result<(), String>;
    let parts: [Part; options::PARTS.len()] =
        [render, range, sum, names, influx, remote_write, encrypted::measure];
    for (name, measure) in options::PARTS.into_iter().zip(parts) {
        if options.parts.contains(&name) {
            let measured = measure(&bench, &mut report);
            report.attempt(name, measured);
        }
    }
    report.print("query", options.json)
}

impl Bench<'_> {
    /// A fleet behind both servers.
    fn site(&self, part: &str, fleet: Fleet) -> Result<Site, String> {
        Site::new(fleet, &self.inside.join(part), self.victoria.as_deref())
    }
}

/// Graphite's `/render`; the peer is asked for the same rows by PromQL.
fn render(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let fleet = Fleet::new(bench.options.rendered, RENDERED_ROWS + 1)?;
    let mut site = bench.site("render", fleet)?;
    let from = fleet.last_seconds - RENDERED_ROWS as i64 * STEP_SECONDS;
    let until = fleet.last_seconds;
    let target = encoded("net.*.*.in");
    let ours = format!("/render?target={target}&from={from}&until={until}&format=json");
    let theirs = range_path("mrtg_in", from + STEP_SECONDS, until);
    let series = ::figures::count(fleet.databases);
    let row = site.measure(
        &Question {
            what: format!("render of {series} series of {RENDERED_ROWS} rows"),
            ours: &ours,
            theirs: &theirs,
            count: of_render,
            count_expected: fleet.databases,
        },
        bench.options.rounds,
    )?;
    report.row(row.at_most(RENDER_MAX).note("the peer is asked for the same rows by query_range"));
    Ok(())
}

/// A day of many series.
fn range(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let fleet = Fleet::new(bench.options.ranged, DAY_ROWS + 1)?;
    let series = ::figures::count(fleet.databases);
    let asked = OfRange {
        part: "range",
        what: format!("query_range of a day of {series} series"),
        query: "mrtg_in",
        rows: DAY_ROWS,
        count_expected: fleet.databases,
    };
    of_range(bench, fleet, asked, report)
}

/// The sums of each device's ports.
fn sum(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let fleet = Fleet::new(bench.options.summed, HOUR_ROWS + 1)?;
    let asked = OfRange {
        part: "sum",
        what: format!("sum by of {} series, an hour", ::figures::count(fleet.databases)),
        query: "sum by (port) (mrtg_in)",
        rows: HOUR_ROWS,
        count_expected: PORTS.min(fleet.databases),
    };
    of_range(bench, fleet, asked, report)
}

/// A query over the newest rows of a fleet.
struct OfRange {
    part: &'static str,
    what: String,
    query: &'static str,
    rows: u64,
    /// How many series answer it.
    count_expected: u64,
}

fn of_range(
    bench: &Bench<'_>,
    fleet: Fleet,
    asked: OfRange,
    report: &mut Report,
) -> Result<(), String> {
    let OfRange { part, what, query, rows, count_expected } = asked;
    let mut site = bench.site(part, fleet)?;
    let start = fleet.last_seconds - (rows as i64 - 1) * STEP_SECONDS;
    let path = range_path(query, start, fleet.last_seconds);
    let question = Question { what, ours: &path, theirs: &path, count: of_matrix, count_expected };
    report.row(site.measure(&question, bench.options.rounds)?.times(1.0));
    Ok(())
}

fn range_path(query: &str, start: i64, end: i64) -> String {
    let query = encoded(query);
    format!("/api/v1/query_range?query={query}&start={start}&end={end}&step=300&nocache=1")
}

/// Labels and names among very many.
fn names(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let fleet = Fleet::new(bench.options.named, 2)?;
    let mut site = bench.site("names", fleet)?;
    index::made(&site, report)?;
    let devices = fleet.databases.div_ceil(PORTS);
    let times = format!("&start={}&end={}", fleet.last_seconds - 3600, fleet.last_seconds);
    let values = |label: &str, selector: &str| {
        format!("/api/v1/label/{label}/values?match%5B%5D={}{times}", encoded(selector))
    };
    let found = |selector: &str| format!("/api/v1/series?match%5B%5D={}{times}", encoded(selector));
    let ending = (0..devices).filter(|device| device % 10 == 7).count() as u64;
    let first = devices.min(10);
    let of_databases = values("database", r#"{database=~".*7/port42"}"#);
    let questions = [
        ("values of a label", values("device", r#"{port=~"port0[1-3]"}"#), devices),
        ("databases", of_databases.clone(), ending),
        ("names of metrics", values("__name__", r#"{__name__=~"mrtg_.*"}"#), 1),
        ("series", found(r#"{__name__=~"mrtg_i.*",device=~"r0000."}"#), first * PORTS),
    ];
    let count: fn(&Value) -> Counted = of_list;
    for (which, path, count_expected) in &questions {
        let what = format!("{which} among {} series by regex", ::figures::count(fleet.databases));
        let (ours, theirs, count_expected) = (path, path, *count_expected);
        let question = Question { what, ours, theirs, count, count_expected };
        report.row(site.measure(&question, bench.options.rounds)?.at_most(NAMES_MAX));
    }
    index::refreshed(&site, &of_databases, bench.options.rounds, report)
}

/// Samples of known series as Influx' lines.
fn influx(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    intake::measure(bench, intake::Protocol::Influx, report)
}

/// Samples of known series by remote write.
fn remote_write(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    intake::measure(bench, intake::Protocol::RemoteWrite, report)
}
