//! Times what the pages ask of a ring store: `cargo run --release -p ranks --example store --
//! DIRECTORY [NOW]`. `NOW` is the end of the rows in seconds since 1970; without it, the last update
//! of the first database. Every database counts as traffic. Only one process holds a ring store.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ranks::{
    By, Kind, Line, Measure, Progress, Question, Span, Subject, Subjects, Table, Traits, rank_span,
};
use ring::{RingOptions, RingStore};
use store::Store;

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
    let mut words = std::env::args().skip(1);
    let directory = words.next().ok_or("expected the directory of a ring store")?;
    let store = RingStore::open(Path::new(&directory), RingOptions::default())?;
    let names = store.names("")?;
    let first = names.first().ok_or("the store is empty")?;
    let outline = store.outline(Path::new(first))?;
    let now_seconds = match words.next() {
        Some(text) => text.parse()?,
        None => outline.last_update.seconds,
    };
    let step_seconds = outline.definition.step_seconds;
    let names = names.into_iter().map(Arc::from).collect();
    let all = Arc::new(All { names, step_seconds });
    println!("{} databases", all.count());
    let question = |measure| Question { by: By::Traffic, line: Line::Either, measure, most: 20 };
    for round in ["first", "again"] {
        let begun = Instant::now();
        let table = Table::read(&store, Arc::clone(&all), now_seconds, &Progress::default());
        let table = table.ok_or("nobody ends it")?;
        println!("newest rates, {round}: read in {:.3} s", begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        let ranking = table.rank(&question(Measure::Average), &|_| true);
        let took = begun.elapsed().as_secs_f64() * 1000.0;
        println!("top {} of the last cycle: {took:.1} ms", ranking.ranked.len());
    }
    let span = Span { seconds: 86_400, end_seconds: now_seconds };
    for round in ["first", "again"] {
        for (measure, words) in
            [(Measure::Percentile95, "95th percentile"), (Measure::Average, "average")]
        {
            let begun = Instant::now();
            let progress = Progress::default();
            let ranking = rank_span(&store, &*all, &question(measure), span, &|_| true, &progress);
            let ranking = ranking.ok_or("nobody ends it")?;
            let took = begun.elapsed().as_secs_f64();
            println!("{words} of a day, {round}: {took:.2} s, {} unread", ranking.unread);
        }
    }
    store.close()?;
    Ok(())
}
