//! Updates from Perl: gyre's librrd through a server, compared with Debian's librrd on files.

use std::path::{Path, PathBuf};

use ring::{RingOptions, RingStore};
use rrd::Timestamp;
use serde_json::json;
use store::NewDatabase;

use super::Bench;
use crate::copies::{START_SECONDS, STEP_SECONDS, create_files};
use crate::daemon::{Place, Subject, Sync};
use crate::figures::median;
use crate::librrd::{Calls, place_library};
use crate::report::{Report, Row};

const FILES: usize = 200;
const ROUNDS: usize = 5;

/// A way to update, and its updates a second in each round.
struct Way<'a> {
    /// For gyre's ways the name in the table; for a peer's the name of its column.
    what: &'static str,
    files: &'a Path,
    library: Option<&'a Path>,
    daemon: Option<PathBuf>,
    rates: Vec<f64>,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let at = |name: &str| bench.inside.join(name);
    let (files, library) = (at("debian"), at("library"));
    place_library(&library)?;
    let rrdtool = oracle::program("rrdtool", "the benchmark's column of that name");
    let rrdcached = oracle::program("rrdcached", "the benchmark's column of that name");
    if let Some(rrdtool) = &rrdtool {
        create_files(rrdtool, &files, &at("copies"), FILES)?;
    }
    let place = Place::make(bench.inside, "perl")?;
    create(&place, FILES)?;
    let _server = Subject::Ring(Sync::EverySecond).start(&place, None)?;
    let cached = Place { base: at("copies"), beside: at("rrdcached") };
    let peer = rrdcached.filter(|_| rrdtool.is_some()).map(Subject::Debian);
    let _peer = peer.as_ref().map(|peer| peer.start(&cached, None)).transpose()?;

    let way =
        |what, files, library, daemon| Way { what, files, library, daemon, rates: Vec::new() };
    let ours = Some(&*library);
    let mut ways = vec![
        way("through the store's socket, each on disk", &place.base, ours, None),
        way("through rrdcached's, --sync 1", &place.base, ours, Some(place.socket())),
    ];
    if rrdtool.is_some() {
        ways.push(way("rrdtool, of a file", &files, None, None));
    }
    if peer.is_some() {
        ways.push(way("rrdtool and rrdcached", &cached.base, None, Some(cached.socket())));
    }
    let updates = bench.options.perl_updates;
    for round in 0..ROUNDS {
        let count = ways.len();
        for (nth, way) in ways.iter_mut().enumerate() {
            // Two ways use the same databases, so times continue from one to the other.
            let calls = Calls { files: FILES, updates, nth: round * count + nth };
            let made = calls.made(way.files, way.library, way.daemon.as_deref())?;
            way.rates.push(updates as f64 / made.elapsed);
        }
    }
    tell(report, &ways);
    Ok(())
}

/// A row for each of gyre's ways, with the peers' figures.
fn tell(report: &mut Report, ways: &[Way<'_>]) {
    let (ours, peers) = ways.split_at(2);
    let peers: Vec<_> = peers.iter().map(|peer| (peer.what, median(&peer.rates))).collect();
    for way in ours {
        let mut row = Row::of_rounds(format!("RRDs::update, {}", way.what), "/s", &way.rates);
        if let Some((_, least)) = peers.first() {
            row = row.at_least(*least).beside(peers.clone());
        }
        report.row(row);
    }
    let raw = ways.iter().map(|way| (way.what.to_owned(), json!(way.rates)));
    report.raw("librrd", serde_json::Value::Object(raw.collect()));
}

/// Creates the databases with the layout of the files.
fn create(place: &Place, count: usize) -> Result<(), String> {
    let archives = [1, 6, 24, 288]
        .into_iter()
        .flat_map(|pdps| ["AVERAGE", "MAX"].map(|cf| format!("RRA:{cf}:0.5:{pdps}:800")));
    let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:12500000"));
    let words: Vec<String> = sources.into_iter().chain(archives).collect();
    let definition = rrd::spec::definition(STEP_SECONDS, words.iter().map(String::as_str))
        .map_err(|error| error.to_string())?;
    let start = Timestamp::from_seconds(START_SECONDS as i64);
    let store = RingStore::create(&place.base, RingOptions::default());
    let store = store.map_err(|error| error.to_string())?;
    let names: Vec<String> = (0..count).map(|nth| format!("{nth}.rrd")).collect();
    let new: Vec<NewDatabase<'_>> = names
        .iter()
        .map(|name| NewDatabase { name: name.as_ref(), definition: &definition, start })
        .collect();
    if let Some((_, error)) = store.engine().create_all(&new).first() {
        return Err(error.to_string());
    }
    store.close().map_err(|error| error.to_string())
}
