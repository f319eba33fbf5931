//! Many visitors who look at pages while all targets are polled.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::json;

use super::Bench;
use super::demo::Cycle;
use super::device::device_of;
use crate::figures::percentile;
use crate::http::{Connection, encoded};
use crate::report::{Report, Row};

/// The most time of a page for one in a hundred visits.
const P99_MS: f64 = 300.0;
/// A cycle is late if its last answer comes so long after its interval.
const LATE_SECONDS: f64 = 1.0;

/// One page, and what its scripts and pictures then ask for.
type Requests = Vec<String>;

/// What one visitor met.
#[derive(Default)]
struct Visits {
    /// From the time when a page was due to its last byte.
    milliseconds: Vec<f64>,
    failures: Vec<String>,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let options = bench.options;
    let (address, names) = (bench.demo.address, bench.names);
    let pages = pages(address, names)?;
    let (before, used_before) = (bench.demo.cycles_so_far(), bench.demo.counters()?);
    let begun = Instant::now();
    let visits = std::thread::scope(|scope| {
        let viewers: Vec<_> = (0..options.viewers)
            .map(|nth| {
                let pages = &pages;
                scope.spawn(move || look(bench, nth, pages, begun))
            })
            .collect();
        let joined = viewers.into_iter().map(|it| it.join().expect("a visitor does not panic"));
        joined.collect::<Vec<Visits>>()
    });
    let seconds = begun.elapsed().as_secs_f64();
    let used = bench.demo.counters()? - used_before;
    let cycles = bench.demo.cycles_since(before);
    tell(bench, report, &visits, &cycles);
    let processor = (used.user_seconds + used.system_seconds) / seconds;
    report.row(Row::new("processors that the site used meanwhile", "", processor).undirected());
    Ok(())
}

fn tell(bench: &Bench<'_>, report: &mut Report, visits: &[Visits], cycles: &[Cycle]) {
    let options = bench.options;
    let times: Vec<f64> = visits.iter().flat_map(|it| it.milliseconds.clone()).collect();
    let failures: Vec<&String> = visits.iter().flat_map(|it| &it.failures).collect();
    let what = format!("{} viewers, a page each {} s", options.viewers, options.pause_seconds);
    let [median, p99, longest] = [50, 99, 100].map(|percent| percentile(&times, percent));
    let row = Row::new(format!("{what}: p99"), "ms", p99).at_most(P99_MS).note(format!(
        "{} pages with their data, from the time when each was due: {median:.1} ms at the median, \
         {longest:.0} ms at most",
        ::figures::count(times.len() as u64)
    ));
    report.row(row);
    let row = Row::new(format!("{what}: pages that failed"), "", failures.len() as f64);
    let row = row.exact().at_most(0.0);
    report.row(match failures.first() {
        Some(first) => row.note((*first).clone()),
        None => row,
    });
    let late = cycles.iter().filter(|cycle| is_late(cycle)).count();
    let polled: usize = cycles.iter().map(|cycle| cycle.polled).sum();
    let missed: usize = cycles.iter().map(|cycle| cycle.missed).sum();
    let row = Row::new(format!("{what}: late cycles"), "", late as f64).exact().at_most(0.0);
    report.row(row.note(format!(
        "{} cycles, {} targets polled, {missed} of devices that are ill on purpose missed",
        cycles.len(),
        ::figures::count(polled as u64)
    )));
    report.raw("viewers", json!({ "median_ms": median, "p99_ms": p99, "longest_ms": longest }));
}

fn is_late(cycle: &Cycle) -> bool {
    cycle.poll_seconds > cycle.interval_seconds.unwrap_or(10.0) + LATE_SECONDS
}

/// One visitor: a page at each due time, all visitors evenly spread.
fn look(bench: &Bench<'_>, nth: usize, pages: &[Requests], begun: Instant) -> Visits {
    let options = bench.options;
    let pause = Duration::from_secs(options.pause_seconds);
    let first = begun + pause.mul_f64(nth as f64 / options.viewers as f64);
    let mut visits = Visits::default();
    for turn in 0..options.seconds.div_ceil(options.pause_seconds) {
        let due = first + pause * turn as u32;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let page = &pages[(nth * 7 + turn as usize * 13) % pages.len()];
        match visit(bench.demo.address, page) {
            Ok(()) => visits.milliseconds.push(due.elapsed().as_secs_f64() * 1e3),
            Err(error) => visits.failures.push(error),
        }
    }
    visits
}

/// A page by a connection of its own: browsers keep none for as long as a visitor reads.
fn visit(address: SocketAddr, page: &Requests) -> Result<(), String> {
    let mut connection = Connection::to(address)?;
    page.iter().try_for_each(|path| connection.get(path).map(drop))
}

/// The pages that visitors look at, each with what it shows: pages that the site does not have are
/// left out.
fn pages(address: SocketAddr, names: &[String]) -> Result<Vec<Requests>, String> {
    let mut all: Vec<Requests> = Vec::new();
    let mut connection = Connection::to(address)?;
    for (nth, name) in names.iter().enumerate() {
        if nth % 4 == 0 {
            let device = device_of(&mut connection, name)?;
            all.push(vec![format!("/device/{}", encoded(&device))]);
        }
        let name_encoded = encoded(name);
        all.push(vec![
            format!("/t/{name_encoded}"),
            format!("/api/charts?t={name_encoded}&start=end-1d&points=400"),
        ]);
    }
    let device = names.first().and_then(|name| name.split('_').next()).unwrap_or_default();
    for page in ["/", "/top", "/status", "/devices"] {
        all.push(vec![page.to_owned()]);
    }
    all.push(vec![format!("/?q={device}")]);
    all.retain(|page| page.iter().all(|path| connection.get(path).is_ok()));
    match all.is_empty() {
        true => Err("the site has none of the pages".into()),
        false => Ok(all),
    }
}
