//! The pages of a site of very many names, as `gyre demo --names` shows it: asked over HTTP, and
//! shown by Chromium. Site, browser and visitors share the processors of this machine, and the
//! site polls all of its simulated devices meanwhile.
//!
//! Expected: a word is found among a million names in 2 ms, by an index of parts of words. A device
//! of 48 ports has 48 times 288 rows of a day: 14,000 rows of two values, 1 ms to read and 5 ms to
//! write as JSON. Chromium draws a chart within 2 ms and shows a frame each 16 ms, so that new rows
//! are on the screen after two frames. The first twenty of a million known values take 10 ms. The
//! 95th percentile of a day of a million targets reads 288 million rows: 2.3 GB for each direction,
//! or 3 s of two processors where they are in memory.

mod options;
mod demo;
mod browser;
mod load;
mod search;
mod device;
mod zoom;
mod top;
mod viewers;

use serde_json::json;

use self::browser::Browser;
use self::demo::Demo;
use crate::report::{Report, Row};
use crate::room::Room;
use crate::update::build_gyre;
pub(crate) use options::Options;

/// Names of targets that are asked for.
const NAMES_ASKED: usize = 400;

/// The inputs of every part.
struct Bench<'a> {
    options: &'a Options,
    demo: &'a Demo,
    /// Some of the site's targets.
    names: &'a [String],
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a demo that does not start, or pages that fail.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = crate::options::parse(words)?;
    let room = Room::within(&options.directory)?;
    let mut report = room.report(&options)?;
    let gyre = build_gyre()?;
    let demo = Demo::start(&gyre, &options, &room.path)?;
    // The first round asks all devices within a short time. What follows is measured behind it.
    demo.wait_for_polls(options.names)?;
    let names = demo.some_names(NAMES_ASKED, options.names)?;
    let bench = Bench { options: &options, demo: &demo, names: &names };
    tell_demo(&bench, &mut report)?;
    let mut browser = Browser::start(demo.address, &room.path)?;
    type Part = fn(&Bench<'_>, Option<&mut Browser>, &mut Report) -> Result<(), String>;
    let parts: [Part; options::PARTS.len()] = [
        load::measure,
        search::measure,
        device::measure,
        zoom::measure,
        top::measure,
        |bench, _, report| viewers::measure(bench, report),
    ];
    for (name, measure) in options::PARTS.into_iter().zip(parts) {
        if options.parts.contains(&name) {
            let measured = measure(&bench, browser.as_mut(), &mut report);
            report.attempt(name, measured);
        }
    }
    let used = demo.counters()?;
    report.row(
        Row::new("the site's resident memory, at most", "MB", used.resident_bytes_max as f64 / 1e6)
            .note("configuration, store, pages, and the simulated network"),
    );
    report.print("page", options.json)
}

fn tell_demo(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let names = ::figures::count(bench.options.names);
    let row =
        Row::new(format!("a demo of {names} names, to its pages"), "s", bench.demo.ready_seconds);
    let disk_bytes = bench.demo.disk_bytes()?;
    report.row(row.note(format!("its directory has {} on the disk", ::figures::size(disk_bytes))));
    report.raw("demo", json!({ "ready_seconds": bench.demo.ready_seconds, "bytes": disk_bytes }));
    Ok(())
}
