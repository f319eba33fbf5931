//! Rankings against a straightforward calculation over the same store, of random databases.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use files::RrdFiles;
use ranks::{
    Answer, Asked, By, Jobs, Kind, Line, Measure, Newest, Progress, Question, Ranking, Reading,
    Span, Subject, Subjects, Traits, percentile_95, rank_span,
};
use ring::{RingOptions, RingStore};
use rrd::fetch::Query;
use rrd::{
    Archive, ConsolidationFunction as Cf, DataSource, Definition, Reading as Read, Sample,
    SourceKind, Timestamp,
};
use store::{Store, Update};

const STEP: i64 = 300;
const NOW: i64 = 1_795_185_600;
const COUNT: usize = 40;

/// Databases of random traits, one of which is missing.
struct Random(Vec<Subject>);

impl Subjects for Random {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn name(&self, position: usize) -> Arc<str> {
        Arc::clone(&self.0[position].database)
    }

    fn subject(&self, position: usize) -> Subject {
        self.0[position].clone()
    }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = chance::mix(self.0.wrapping_add(0x9e37_79b9_7f4a_7c15));
        self.0 % bound
    }
}

fn subjects(dice: &mut Dice) -> Random {
    let one = |nth: usize, dice: &mut Dice| Subject {
        database: format!("d{nth:03}.rrd").into(),
        traits: Traits {
            step_seconds: STEP as u64,
            kind: [Kind::Traffic, Kind::Traffic, Kind::Errors, Kind::Other][dice.below(4) as usize],
            maxima: [[0.0, 1e7, 2e7][dice.below(3) as usize], 1.25e7],
            are_shown: [true, dice.below(5) > 0],
            is_narrow: dice.below(2) == 0,
        },
    };
    Random((0..COUNT).map(|nth| one(nth, dice)).collect())
}

fn definition() -> Definition {
    let source = |name: &str| DataSource {
        name: name.to_owned(),
        kind: SourceKind::Gauge,
        heartbeat_seconds: 600,
        minimum: 0.0,
        maximum: f64::NAN,
    };
    let archives = [Cf::Average, Cf::Max].into_iter().flat_map(|cf| {
        [(1, 400), (6, 400), (24, 400)].map(|(pdp, rows)| Archive::plain(cf, rows, pdp, 0.5))
    });
    Definition {
        tick: rrd::Tick::SECOND,
        step_seconds: STEP as u64,
        sources: vec![source("ds0"), source("ds1")],
        archives: archives.collect(),
    }
}

/// Fills all databases but the last with nine days of values: random, the same, or unknown.
fn fill(store: &dyn Store, subjects: &Random, dice: &mut Dice) {
    let start = NOW - 9 * 86_400;
    for subject in &subjects.0[..COUNT - 1] {
        store
            .create(
                subject.database.as_ref().as_ref(),
                &definition(),
                Timestamp::from_seconds(start),
            )
            .unwrap();
        let (way, size) = (dice.below(6), 1000 + dice.below(15_000_000));
        let readings: Vec<(i64, [Read<'static>; 2])> = (1..=9 * 86_400 / STEP)
            .map(|nth| {
                let mut one = || match way {
                    0 => Read::Unsigned(size),
                    1 => Read::Unknown,
                    _ if dice.below(9) == 0 => Read::Unknown,
                    _ => Read::Unsigned(dice.below(size)),
                };
                (start + nth * STEP, [one(), one()])
            })
            .collect();
        for some in readings.chunks(1000) {
            let samples: Vec<Sample<'_>> = some
                .iter()
                .map(|(time, readings)| Sample { time: Timestamp::from_seconds(*time), readings })
                .collect();
            assert!(store.update(&[Update::of(&*subject.database, &samples)]).is_empty());
        }
    }
}

/// The known values of both columns.
fn rows(store: &dyn Store, subject: &Subject, cf: Cf, start: i64, end: i64) -> [Vec<f64>; 2] {
    let query = Query {
        tick: rrd::Tick::SECOND,
        cf,
        start_seconds: start,
        end_seconds: end,
        step_seconds: STEP as u64,
    };
    let Ok(series) = store.fetch(Path::new(&*subject.database), &query) else {
        return [Vec::new(), Vec::new()];
    };
    [0, 1].map(|column| {
        let values = series.values.iter().skip(column).step_by(2);
        values.copied().filter(|value| value.is_finite()).collect()
    })
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::max)
}

/// The score of a subject over a span, calculated plainly.
fn score(store: &dyn Store, subject: &Subject, question: &Question, span: Span) -> Option<f64> {
    let (start, end) = (span.end_seconds - span.seconds as i64, span.end_seconds);
    let own = rows(store, subject, Cf::Average, start, end);
    let week = 7 * 86_400;
    let before = rows(store, subject, Cf::Average, start - week, end - week);
    let peaks = rows(store, subject, Cf::Max, start, end);
    let lines: Vec<usize> =
        (0..2).filter(|nth| question.line.has(*nth) && subject.traits.are_shown[*nth]).collect();
    let Traits { kind, maxima, is_narrow, step_seconds, .. } = subject.traits;
    let value = |nth: usize| match question.measure {
        Measure::Average => average(&own[nth]),
        Measure::Maximum => greatest(&peaks[nth]),
        Measure::Percentile95 => percentile_95(&mut own[nth].clone()),
    };
    let scores = |each: &dyn Fn(usize) -> f64| {
        let known = lines.iter().map(|nth| each(*nth)).filter(|score| score.is_finite());
        known.reduce(f64::max)
    };
    let share = |nth: usize| if maxima[nth] > 0.0 { value(nth) / maxima[nth] } else { f64::NAN };
    match question.by {
        By::Traffic => scores(&value).filter(|_| kind == Kind::Traffic),
        By::Value => scores(&value).filter(|_| kind == Kind::Other),
        By::Errors => scores(&value).filter(|score| kind == Kind::Errors && *score > 0.0),
        By::Utilisation => scores(&share).filter(|_| kind != Kind::Errors),
        By::Limit => scores(&share).filter(|it| kind != Kind::Errors && *it >= 0.95),
        By::Change => scores(&|nth| (average(&own[nth]) - average(&before[nth])).abs())
            .filter(|_| kind == Kind::Traffic),
        By::Silent => {
            let is_silent = lines.iter().all(|nth| own[*nth].is_empty());
            (is_silent && !lines.is_empty()).then_some(0.0)
        }
        By::Flat => {
            let is_flat = |nth: &usize| {
                let own = &own[*nth];
                own.len() >= 3 && own.iter().all(|value| *value == own[0])
            };
            let most = scores(&|nth| average(&own[nth]).abs());
            most.filter(|_| lines.iter().all(is_flat))
        }
        By::Wrapping => scores(&|nth| value(nth) * step_seconds as f64 / 2f64.powi(32))
            .filter(|share| is_narrow && *share >= 0.5),
    }
}

/// All subjects with a score, the first one first.
fn plainly(
    store: &dyn Store,
    subjects: &Random,
    question: &Question,
    span: Span,
) -> Vec<(Arc<str>, f64)> {
    let scored = subjects.0.iter().filter_map(|subject| {
        Some((subject.database.clone(), score(store, subject, question, span)?))
    });
    let mut scored: Vec<(Arc<str>, f64)> = scored.collect();
    scored.sort_by(|one, other| other.1.total_cmp(&one.1)); // names are in order already
    scored.truncate(question.most);
    scored
}

fn told(ranking: &Ranking) -> Vec<(Arc<str>, f64)> {
    ranking.ranked.iter().map(|ranked| (ranked.name.clone(), ranked.score)).collect()
}

fn stores(directory: &Path) -> [Arc<dyn Store>; 2] {
    std::fs::create_dir(directory.join("files")).unwrap();
    [
        Arc::new(RrdFiles::below(&directory.join("files"))),
        Arc::new(RingStore::create(&directory.join("ring"), RingOptions::default()).unwrap()),
    ]
}

#[test]
fn rankings_over_spans_are_those_of_a_plain_calculation() {
    for seed in [1] {
        let directory = tempfile::tempdir().unwrap();
        for store in stores(directory.path()) {
            let mut dice = Dice(seed);
            let subjects = subjects(&mut dice);
            fill(store.as_ref(), &subjects, &mut dice);
            let mut has_some = 0;
            for by in By::ALL {
                for measure in [Measure::Average, Measure::Maximum, Measure::Percentile95] {
                    for (line, seconds) in
                        [(Line::Either, 86_400), (Line::In, 7200), (Line::Out, 6 * 86_400)]
                    {
                        let question = Question { by, line, measure, most: 7 };
                        let span = Span { seconds, end_seconds: NOW };
                        let expected = plainly(store.as_ref(), &subjects, &question, span);
                        let ranking = rank_span(
                            store.as_ref(),
                            &subjects,
                            &question,
                            span,
                            &|_| true,
                            &Progress::default(),
                        );
                        let ranking = ranking.unwrap();
                        assert_eq!(told(&ranking), expected, "seed {seed}, {question:?}, {span:?}");
                        has_some += usize::from(!expected.is_empty());
                    }
                }
            }
            assert!(has_some > 50, "{has_some} questions have an answer");
        }
    }
}

#[test]
fn what_is_not_wanted_is_not_ranked_and_what_cannot_be_read_is_counted() {
    let directory = tempfile::tempdir().unwrap();
    let [files, _] = stores(directory.path());
    let mut dice = Dice(3);
    let mut subjects = subjects(&mut dice);
    subjects.0.iter_mut().for_each(|it| it.traits.kind = Kind::Traffic);
    fill(files.as_ref(), &subjects, &mut dice);
    let question =
        Question { by: By::Traffic, line: Line::Either, measure: Measure::Average, most: 1000 };
    let span = Span { seconds: 86_400, end_seconds: NOW };
    let is_wanted = |position: usize| position % 2 == 1;
    let ranking =
        rank_span(files.as_ref(), &subjects, &question, span, &is_wanted, &Progress::default());
    let ranking = ranking.unwrap();
    assert_eq!((ranking.concerned, ranking.unread), (COUNT / 2, 1));
    assert!(ranking.ranked.iter().all(|it| it.name[1..4].parse::<usize>().unwrap() % 2 == 1));
    assert!(ranking.ranked.len() > 10);
    let progress = Progress::default();
    progress.end();
    let ended = rank_span(files.as_ref(), &subjects, &question, span, &is_wanted, &progress);
    assert_eq!(ended, None);
}

#[test]
fn newest_rates_are_those_of_the_last_rows() {
    let directory = tempfile::tempdir().unwrap();
    for store in stores(directory.path()) {
        let mut dice = Dice(4);
        let subjects = Arc::new(subjects(&mut dice));
        fill(store.as_ref(), &subjects, &mut dice);
        let newest = Newest::default();
        let begin = || Reading {
            store: store.clone(),
            subjects: {
                let subjects = subjects.clone();
                Box::new(move || subjects.clone())
            },
            now: || NOW,
        };
        let Asked::Known(table) = newest.ask(begin, Duration::from_secs(60)) else {
            panic!("it waits for a minute");
        };
        assert_eq!((table.count(), table.read_seconds), (COUNT, NOW));
        let question =
            Question { by: By::Traffic, line: Line::Either, measure: Measure::Average, most: 5 };
        let expected = subjects.0.iter().filter_map(|subject| {
            let own = rows(store.as_ref(), subject, Cf::Average, NOW - 4 * STEP, NOW);
            let lines = (0..2).filter(|nth| subject.traits.are_shown[*nth]);
            let last = lines.filter_map(|nth| own[nth].last().map(|value| *value as f32));
            let score = last.reduce(f32::max)?;
            (subject.traits.kind == Kind::Traffic)
                .then(|| (subject.database.clone(), f64::from(score)))
        });
        let mut expected: Vec<(Arc<str>, f64)> = expected.collect();
        expected.sort_by(|one, other| other.1.total_cmp(&one.1));
        expected.truncate(5);
        assert_eq!(told(&table.rank(&question, &|_| true)), expected);
        // The table is asked again, and not read again.
        let again = newest.ask(|| panic!("it is read already"), Duration::ZERO);
        assert!(matches!(again, Asked::Known(other) if Arc::ptr_eq(&other, &table)));
    }
}

#[test]
fn one_question_is_worked_on_once_for_all_who_ask() {
    let jobs = Jobs::default();
    let begun = Arc::new(AtomicUsize::new(0));
    let (go, gone) = std::sync::mpsc::channel::<()>();
    let counted = begun.clone();
    let work: ranks::Work = Box::new(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        gone.recv().unwrap();
        Some(Ranking::default())
    });
    let first = jobs.ask("a", || work, Duration::ZERO);
    assert!(matches!(first, Answer::Working(_)));
    let same = jobs.ask("a", || panic!("it is worked on already"), Duration::ZERO);
    assert!(matches!(same, Answer::Working(_)));
    let other = jobs.ask("b", || Box::new(|_| Some(Ranking::default())), Duration::ZERO);
    assert!(matches!(other, Answer::Waiting { ahead: 1 }));
    go.send(()).unwrap();
    // Who asks again is told at once how far it is.
    let never = || -> ranks::Work { panic!("it is asked already") };
    for key in ["a", "b"] {
        let is_known = (0..6000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            matches!(jobs.ask(key, never, Duration::ZERO), Answer::Known { .. })
        });
        assert!(is_known, "{key}");
    }
    assert_eq!(begun.load(Ordering::Relaxed), 1);
    // One whose work dies is no longer known, and the next one is worked on.
    let dies: ranks::Work = Box::new(|_| panic!("this panic is part of the test"));
    let gone = jobs.ask("c", || dies, Duration::from_secs(60));
    assert!(matches!(gone, Answer::Waiting { .. }));
    let next = jobs.ask("d", || Box::new(|_| Some(Ranking::default())), Duration::from_secs(60));
    assert!(matches!(next, Answer::Known { .. }));
}
