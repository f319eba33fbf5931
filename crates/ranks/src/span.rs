//! The first subjects by what their rows say over a span.

use std::ops::{ControlFlow, Range};
use std::path::Path;

use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Stretch};
use store::{Store, Wanted};

use crate::best::Best;
use crate::figures::{Figures, is_percentile_below, known, percentile_95};
use crate::question::{By, Measure, Question, Span};
use crate::ranking::{Candidate, MOST, Ranking};
use crate::subject::{Subject, Subjects, Traits};
use crate::sweep::{Progress, sweep};

/// A week, in seconds.
const WEEK_SECONDS: i64 = 7 * 86_400;
/// Fewer known rows do not show that a value is flat.
const FLAT_ROWS_MIN: usize = 3;

/// Ranks the subjects that are wanted over a span; `None` if that is ended before it is done. Memory
/// holds the rows of a few databases, and the best so far.
pub fn rank_span<S: Subjects>(
    store: &dyn Store,
    subjects: &S,
    question: &Question,
    span: Span,
    is_wanted: &(dyn Fn(usize) -> bool + Sync),
    progress: &Progress,
) -> Option<Ranking> {
    let asked = Asked { store, question, span };
    let parts = sweep(
        subjects.count(),
        progress,
        || Part::new(question.most.min(MOST)),
        |part, positions| asked.rank(part, subjects, is_wanted, positions),
    );
    if progress.is_over() {
        return None;
    }
    let mut all = Part::new(question.most.min(MOST));
    for part in parts {
        all.best.merge(part.best);
        all.concerned += part.concerned;
        all.unread += part.unread;
    }
    let named = |it: Candidate| it.named(subjects.name(it.position));
    let ranked = all.best.into_things().map(named).collect();
    Some(Ranking { ranked, concerned: all.concerned, unread: all.unread })
}

/// The best that one thread met.
struct Part {
    best: Best<Candidate>,
    concerned: usize,
    unread: usize,
    /// A list that is used again.
    known: Vec<f64>,
}

impl Part {
    fn new(most: usize) -> Self {
        Self { best: Best::new(most), concerned: 0, unread: 0, known: Vec::new() }
    }
}

struct Asked<'a> {
    store: &'a dyn Store,
    question: &'a Question,
    span: Span,
}

/// What the rows of a subject say.
#[derive(Clone, Copy, Default)]
struct Told {
    figures: [Figures; 2],
    percentiles: [Option<f64>; 2],
    /// Seconds of a row; 0 if the store gave none.
    row_seconds: u64,
    /// The averages of a week ago.
    before: Option<[f64; 2]>,
}

impl Asked<'_> {
    fn rank<S: Subjects>(
        &self,
        part: &mut Part,
        subjects: &S,
        is_wanted: &(dyn Fn(usize) -> bool + Sync),
        positions: Range<usize>,
    ) {
        let wanted = positions.filter(|position| is_wanted(*position));
        let concerned = wanted.filter_map(|position| {
            let subject = subjects.subject(position);
            self.question.by.concerns(&subject.traits).then_some((position, subject))
        });
        let (positions, all): (Vec<usize>, Vec<Subject>) = concerned.unzip();
        let told = self.told(&all, part);
        for ((position, subject), told) in positions.into_iter().zip(&all).zip(told) {
            part.concerned += 1;
            part.unread += usize::from(told.row_seconds == 0);
            let values = self.values(&told);
            let Some(score) = self.score(subject, &told, values) else { continue };
            let before = told.before.unwrap_or([f64::NAN; 2]);
            part.best.put(score, Candidate { position, score, values, before });
        }
    }

    /// What the rows of subjects say. Percentiles that cannot be among the best are left out.
    fn told(&self, all: &[Subject], part: &mut Part) -> Vec<Told> {
        let (room, bar) = (&mut part.known, part.best.bar());
        let mut told = vec![Told::default(); all.len()];
        let average = ConsolidationFunction::Average;
        self.read(all.iter().enumerate(), average, 0, |nth, rows| {
            let told = &mut told[nth];
            told.row_seconds = rows.step_seconds;
            if self.needs_figures() {
                told.figures = Figures::of_both(rows);
            } else if !bar.is_some_and(|bar| self.is_below(bar, &all[nth], rows)) {
                told.percentiles = [0, 1].map(|column| {
                    known(rows, column, room);
                    (!room.is_empty()).then(|| percentile_95(room))
                });
            }
        });
        if self.question.measure == Measure::Maximum && self.question.by != By::Change {
            // A row of one step is its own maximum.
            let is_long = |(nth, it): &(usize, &Subject)| {
                told[*nth].row_seconds > it.traits.step_seconds.max(1)
            };
            let long: Vec<(usize, &Subject)> = all.iter().enumerate().filter(is_long).collect();
            self.read(long.into_iter(), ConsolidationFunction::Max, 0, |nth, rows| {
                let greatest = Figures::of_both(rows).map(|figures| figures.maximum);
                for (figures, greatest) in told[nth].figures.iter_mut().zip(greatest) {
                    figures.maximum = figures.maximum.max(greatest);
                }
            });
        }
        if self.question.by == By::Change {
            self.read(all.iter().enumerate(), average, WEEK_SECONDS, |nth, rows| {
                told[nth].before = Some(Figures::of_both(rows).map(|figures| figures.average));
            });
        }
        told
    }

    /// Whether the 95th percentiles of a subject are surely not as good as a score.
    fn is_below(&self, score: f64, subject: &Subject, rows: &Stretch) -> bool {
        let Question { by, line, .. } = *self.question;
        let Traits { maxima, are_shown, step_seconds, .. } = subject.traits;
        (0..2).filter(|nth| line.has(*nth) && are_shown[*nth]).all(|nth| {
            let value = by.value_below(score, maxima[nth], step_seconds);
            value.is_some_and(|value| is_percentile_below(rows, nth, value))
        })
    }

    /// Reads the rows of the span that ends so long before its end. Databases that the store cannot
    /// tell of are left out.
    fn read<'s>(
        &self,
        subjects: impl Iterator<Item = (usize, &'s Subject)>,
        cf: ConsolidationFunction,
        ago_seconds: i64,
        mut take: impl FnMut(usize, &Stretch),
    ) {
        let (places, wanted): (Vec<usize>, Vec<Wanted<'_>>) = subjects
            .map(|(nth, subject)| {
                let query = self.query(subject, cf, ago_seconds);
                (nth, Wanted { name: Path::new(&*subject.database), query })
            })
            .unzip();
        // If the store fails as a whole, the rest counts as unread.
        let _ = self.store.fetch_many(&wanted, &mut |nth, answer| {
            if let Ok(rows) = answer {
                take(places[nth], &rows);
            }
            ControlFlow::Continue(())
        });
    }

    fn query(&self, subject: &Subject, cf: ConsolidationFunction, ago_seconds: i64) -> Query {
        let step_seconds = subject.traits.step_seconds.max(1);
        let end = self.span.end_seconds.saturating_sub(ago_seconds);
        // Whole steps, so that a row that has just begun is not among them.
        let end_seconds = end - end.rem_euclid(step_seconds as i64);
        Query {
            tick: rrd::Tick::SECOND,
            cf,
            start_seconds: end_seconds.saturating_sub_unsigned(self.span.seconds),
            end_seconds,
            step_seconds,
        }
    }

    /// Whether more than the 95th percentile is needed.
    fn needs_figures(&self) -> bool {
        let Question { by, measure, .. } = *self.question;
        measure != Measure::Percentile95 || matches!(by, By::Change | By::Flat)
    }

    /// The number that stands for the rows of each value.
    fn values(&self, told: &Told) -> [f64; 2] {
        [0, 1].map(|column| {
            let figures = &told.figures[column];
            match self.question.measure {
                _ if matches!(self.question.by, By::Change | By::Flat) => figures.average,
                Measure::Average => figures.average,
                Measure::Maximum => figures.maximum,
                Measure::Percentile95 => told.percentiles[column].unwrap_or(f64::NAN),
            }
        })
    }

    fn score(&self, subject: &Subject, told: &Told, values: [f64; 2]) -> Option<f64> {
        let Question { by, line, .. } = *self.question;
        let traits = &subject.traits;
        let asked = (0..2).filter(|nth| line.has(*nth) && traits.are_shown[*nth]);
        match by {
            By::Change => {
                let before = told.before?;
                let moved = asked.map(|nth| (values[nth] - before[nth]).abs());
                moved.filter(|moved| !moved.is_nan()).reduce(f64::max)
            }
            By::Flat => {
                let asked: Vec<Figures> = asked.map(|nth| told.figures[nth]).collect();
                let is_flat = |it: &Figures| it.rows >= FLAT_ROWS_MIN && it.minimum == it.maximum;
                // Values that are all 0 come last: an unused port is no surprise.
                let greatest = asked.iter().map(|it| it.average.abs()).reduce(f64::max);
                greatest.filter(|_| asked.iter().all(is_flat))
            }
            by => by.score(line, traits, values),
        }
    }
}
