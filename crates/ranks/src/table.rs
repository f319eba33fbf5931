//! The newest rates of all subjects, in memory.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;

use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Stretch};
use store::{Store, Wanted};

use crate::best::Best;
use crate::question::Question;
use crate::ranking::{Candidate, MOST, Ranking};
use crate::subject::{Subject, Subjects, Traits};
use crate::sweep::{Progress, sweep};

/// The number of rows that are read: the last ones may not be final yet.
const ROWS: u64 = 4;

/// The newest rates of all subjects: 12 bytes for each.
pub struct Table<S> {
    subjects: Arc<S>,
    /// NaN is unknown.
    rates: Vec<[f32; 2]>,
    /// Of each subject the place of its traits.
    places: Vec<u32>,
    traits: Vec<Traits>,
    /// The wall clock when it was read, in seconds since 1970.
    pub read_seconds: i64,
}

/// What one thread reads.
#[derive(Default)]
struct Part {
    stretches: Vec<Positions>,
}

/// Neighbours and their rates.
struct Positions {
    first: usize,
    rates: Vec<[f32; 2]>,
    traits: Vec<Traits>,
}

impl<S: Subjects> Table<S> {
    /// Reads the newest rates; `None` if that is ended before it is done.
    pub fn read(
        store: &dyn Store,
        subjects: Arc<S>,
        now_seconds: i64,
        progress: &Progress,
    ) -> Option<Self> {
        let count = subjects.count();
        let parts = sweep(count, progress, Part::default, |part, positions| {
            part.stretches.push(read(store, subjects.as_ref(), now_seconds, positions));
        });
        if progress.is_over() {
            return None;
        }
        let mut table = Self {
            subjects,
            rates: vec![[f32::NAN; 2]; count],
            places: vec![0; count],
            traits: Vec::new(),
            read_seconds: now_seconds,
        };
        table.take(parts);
        Some(table)
    }

    fn take(&mut self, parts: Vec<Part>) {
        let mut known: HashMap<Key, u32> = HashMap::new();
        for Positions { first, rates, traits } in parts.into_iter().flat_map(|it| it.stretches) {
            let all = (first..).zip(rates).zip(traits);
            for ((position, rates), traits) in all {
                self.rates[position] = rates;
                self.places[position] = *known.entry(Key::of(&traits)).or_insert_with(|| {
                    self.traits.push(traits);
                    (self.traits.len() - 1) as u32
                });
            }
        }
    }

    /// The first subjects by a question, of those that are wanted.
    #[must_use]
    pub fn rank(&self, question: &Question, is_wanted: &dyn Fn(usize) -> bool) -> Ranking {
        let mut best = Best::new(question.most.min(MOST));
        let mut concerned = 0;
        let concerns: Vec<bool> =
            self.traits.iter().map(|traits| question.by.concerns(traits)).collect();
        for (position, (rates, place)) in self.rates.iter().zip(&self.places).enumerate() {
            let place = *place as usize;
            if !concerns[place] {
                continue;
            }
            concerned += 1;
            let values = rates.map(f64::from);
            let Some(score) = question.by.score(question.line, &self.traits[place], values) else {
                continue;
            };
            if best.may_take(score) && is_wanted(position) {
                let before = [f64::NAN; 2];
                best.put(score, Candidate { position, score, values, before });
            }
        }
        let named = |it: Candidate| it.named(self.subjects.name(it.position));
        Ranking { ranked: best.into_things().map(named).collect(), concerned, unread: 0 }
    }

    /// How many subjects it has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rates.len()
    }

    /// What is ranked.
    #[must_use]
    pub fn subjects(&self) -> &Arc<S> {
        &self.subjects
    }

    /// The shortest step of all subjects, in seconds; 0 without any.
    #[must_use]
    pub fn shortest_step_seconds(&self) -> u64 {
        self.traits.iter().map(|traits| traits.step_seconds).min().unwrap_or(0)
    }
}

/// Traits as the key of a table.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    step_seconds: u64,
    kind: crate::subject::Kind,
    maxima: [u64; 2],
    are_shown: [bool; 2],
    is_narrow: bool,
}

impl Key {
    fn of(traits: &Traits) -> Self {
        let Traits { step_seconds, kind, maxima, are_shown, is_narrow } = *traits;
        Self { step_seconds, kind, maxima: maxima.map(f64::to_bits), are_shown, is_narrow }
    }
}

/// The newest rates of neighbours.
fn read<S: Subjects>(
    store: &dyn Store,
    subjects: &S,
    now_seconds: i64,
    positions: Range<usize>,
) -> Positions {
    let first = positions.start;
    let all: Vec<Subject> = positions.map(|position| subjects.subject(position)).collect();
    let wanted: Vec<Wanted<'_>> = all.iter().map(|it| wanted(it, now_seconds)).collect();
    let mut rates = vec![[f32::NAN; 2]; all.len()];
    // Databases that the store cannot tell of stay unknown, also if it fails as a whole.
    let _ = store.fetch_many(&wanted, &mut |nth, answer| {
        if let Ok(rows) = answer {
            rates[nth] = newest(&rows);
        }
        ControlFlow::Continue(())
    });
    let traits = all.iter().map(|subject| subject.traits).collect();
    Positions { first, rates, traits }
}

fn wanted(subject: &Subject, now_seconds: i64) -> Wanted<'_> {
    let step_seconds = subject.traits.step_seconds.max(1);
    let span_seconds = ROWS.saturating_mul(step_seconds);
    let query = Query {
        tick: rrd::Tick::SECOND,
        cf: ConsolidationFunction::Average,
        start_seconds: now_seconds.saturating_sub_unsigned(span_seconds),
        end_seconds: now_seconds,
        step_seconds,
    };
    Wanted { name: Path::new(&*subject.database), query }
}

/// The newest known rate of both values.
fn newest(rows: &Stretch) -> [f32; 2] {
    let columns = rows.source_names.len().max(1);
    let mut newest = [f32::NAN; 2];
    for row in rows.held.chunks_exact(columns) {
        for (place, value) in newest.iter_mut().zip(row) {
            if value.is_finite() {
                *place = *value as f32;
            }
        }
    }
    newest
}
