//! Times what the pages ask of a ring store: `cargo run --release -p ranks --example store --
//! DIRECTORY`. Every database counts as traffic; spans end with the last update of the first one. Only
//! one process holds a ring store. `--make DATABASES DIRECTORY` makes one first, of MRTG's layout, with
//! a day of random rates.
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ranks::{
    By, Kind, Line, Measure, Progress, Question, Span, Subject, Subjects, Table, Traits, rank_span,
};
use ring::{RingOptions, RingStore, Sync};
use rrd::{
    Archive, ConsolidationFunction, DataSource, Definition, Reading, Sample, SourceKind, Timestamp,
};
use store::{Making, NewDatabase, Store, Update};

struct All {
    names: Vec<Arc<str>>,
    step_seconds: u64,
}

impl Subjects for All {
    fn count(&self) -> usize {
        self.names.len()
    }

    fn name(&self, position: usize) -> Arc<str> {
        Arc::clone(&self.names[position])
    }

    fn subject(&self, position: usize) -> Subject {
        let traits = Traits {
            step_seconds: self.step_seconds,
            kind: Kind::Traffic,
            maxima: [1.25e8; 2],
            are_shown: [true; 2],
            is_narrow: false,
        };
        Subject { database: self.name(position), traits }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let directory = match &words[..] {
        [directory] => directory,
        [make, databases, directory] if make == "--make" => {
            fill(Path::new(directory), databases.parse()?)?;
            directory
        }
        _ => return Err("expected [--make DATABASES] DIRECTORY".into()),
    };
    let store = RingStore::open(Path::new(directory), RingOptions::default())?;
    let names = store.names("")?;
    let first = names.first().ok_or("the store is empty")?;
    let outline = store.outline(Path::new(first))?;
    let step_seconds = outline.definition.step_seconds;
    let names = names.into_iter().map(Arc::from).collect();
    let all = Arc::new(All { names, step_seconds });
    println!("{} databases", all.count());
    let now_seconds = outline.last_update.seconds;
    time_newest(&store, &all, now_seconds)?;
    time_spans(&store, &all, now_seconds)?;
    store.close()?;
    Ok(())
}

const fn question(measure: Measure) -> Question {
    Question { by: By::Traffic, line: Line::Either, measure, most: 20 }
}

fn time_newest(store: &RingStore, all: &Arc<All>, now_seconds: i64) -> Result<(), &'static str> {
    for round in ["first", "again"] {
        let begun = Instant::now();
        let table = Table::read(store, Arc::clone(all), now_seconds, &Progress::default());
        let table = table.ok_or("it was ended")?;
        println!("newest rates, {round}: read in {:.3} s", begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        let ranking = table.rank(&question(Measure::Average), &|_| true);
        let took = begun.elapsed().as_secs_f64() * 1000.0;
        println!("top {} of the last cycle: {took:.1} ms", ranking.ranked.len());
    }
    Ok(())
}

fn time_spans(store: &RingStore, all: &Arc<All>, now_seconds: i64) -> Result<(), &'static str> {
    let span = Span { seconds: 86_400, end_seconds: now_seconds };
    for round in ["first", "again"] {
        for (measure, words) in
            [(Measure::Percentile95, "95th percentile"), (Measure::Average, "average")]
        {
            let begun = Instant::now();
            let progress = Progress::default();
            let ranking = rank_span(store, &**all, &question(measure), span, &|_| true, &progress);
            let ranking = ranking.ok_or("it was ended")?;
            let took = begun.elapsed().as_secs_f64();
            println!("{words} of a day, {round}: {took:.2} s, {} unread", ranking.unread);
        }
    }
    Ok(())
}

const STEP_SECONDS: i64 = 300;
const START_SECONDS: i64 = 1_795_000_000 / STEP_SECONDS * STEP_SECONDS;
/// Updates in one call.
const AT_ONCE: usize = 50_000;

/// Makes a store of MRTG's layout, with a day of random rates.
fn fill(directory: &Path, databases: usize) -> Result<(), Box<dyn std::error::Error>> {
    // A million databases would reserve 100 GB.
    let options = RingOptions { sync: Sync::Deferred, sparse: true, ..RingOptions::default() };
    let store = RingStore::create(directory, options)?;
    let definition = definition();
    let names: Vec<String> =
        (0..databases).map(|nth| format!("d{:05}/p{}.rrd", nth / 24, nth % 24)).collect();
    for some in names.chunks(10_000) {
        let start = Timestamp::from_seconds(START_SECONDS);
        let new = some.iter().map(|name| {
            let new = NewDatabase { name: Path::new(name), definition: &definition, start };
            Making::new(new)
        });
        if let Some((_, error)) = store.make(&new.collect::<Vec<_>>(), &|| true).pop() {
            return Err(error.into());
        }
    }
    for step in 1..=86_400 / STEP_SECONDS {
        let time = Timestamp::from_seconds(START_SECONDS + step * STEP_SECONDS);
        for (part, some) in names.chunks(AT_ONCE).enumerate() {
            let rate = |nth: usize, salt: u64| {
                let seed = (part * AT_ONCE + nth) as u64 * 4096 + step as u64 * 2 + salt;
                Reading::Unsigned(chance::mix(seed) % 125_000_000)
            };
            let readings: Vec<[Reading<'static>; 2]> =
                (0..some.len()).map(|nth| [rate(nth, 0), rate(nth, 1)]).collect();
            let samples: Vec<[Sample<'_>; 1]> =
                readings.iter().map(|readings| [Sample { time, readings }]).collect();
            let updates: Vec<Update<'_>> = some
                .iter()
                .zip(&samples)
                .map(|(name, samples)| Update::of(&**name, samples))
                .collect();
            if let Some((_, refused)) = store.update(&updates).pop() {
                return Err(refused.error.into());
            }
        }
    }
    store.close()?;
    Ok(())
}

fn definition() -> Definition {
    let source = |name: &str| DataSource {
        name: name.to_owned(),
        kind: SourceKind::Gauge,
        heartbeat_seconds: 600,
        minimum: 0.0,
        maximum: f64::NAN,
    };
    let functions = [ConsolidationFunction::Average, ConsolidationFunction::Max];
    let archives = functions.into_iter().flat_map(|cf| {
        [1, 6, 24, 288].map(|pdp_per_row| Archive::plain(cf, 800, pdp_per_row, 0.5))
    });
    Definition {
        tick: rrd::Tick::SECOND,
        step_seconds: STEP_SECONDS as u64,
        sources: vec![source("ds0"), source("ds1")],
        archives: archives.collect(),
    }
}
