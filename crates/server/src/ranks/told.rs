//! The answer to a question about targets.

use std::sync::Arc;
use std::time::Duration;

use ::ranks::{Answer, By, Progress, Question, Ranked, Ranking, Span, rank_span};

use super::asked::{Asked, Over};
use super::filter::Filter;
use crate::Target;
use crate::view::View;

/// How long a request waits for an answer before it tells how far that is.
const PATIENCE: Duration = Duration::from_millis(400);

/// What is told.
pub(crate) enum Told {
    /// The first targets.
    Known(Known),
    /// Rows are read.
    Reading {
        /// Targets that are read.
        done: usize,
        /// All of them.
        of: usize,
    },
    /// Other questions come first.
    Waiting {
        /// How many.
        ahead: usize,
    },
    /// Too many wait already.
    Refused,
}

/// The first targets, and of when they are.
pub(crate) struct Known {
    /// The first one first.
    pub(crate) rows: Vec<Row>,
    /// How many targets the question concerns; not told of some names alone, and not known of the
    /// newest values of targets that are searched for.
    pub(crate) concerned: Option<usize>,
    /// Of how many of these the store gave no rows.
    pub(crate) unread: usize,
    /// How old the answer is.
    pub(crate) age_seconds: u64,
}

/// A target and its place.
pub(crate) struct Row {
    pub(crate) target: Target,
    pub(crate) ranked: Ranked,
}

/// Answers a question about targets, or tells how far its answer is.
pub(crate) fn told(view: &View, asked: &Asked, by: By) -> Told {
    let question = Question { by, line: asked.line, measure: asked.measure, most: asked.most };
    match asked.over {
        Over::Newest => newest(view, asked, &question),
        Over::Span(length) => over_span(view, asked, question, length.seconds),
    }
}

fn newest(view: &View, asked: &Asked, question: &Question) -> Told {
    match view.ranks.newest.ask(|| view.reading(), PATIENCE) {
        ::ranks::Asked::Reading(progress) => reading(view, &progress),
        ::ranks::Asked::Known(table) => {
            let filter = filter(view, asked, Arc::clone(table.subjects()));
            let ranking = table.rank(question, &|position| filter.has(position));
            let age_seconds = view.now_seconds.saturating_sub(table.read_seconds).max(0) as u64;
            let concerned = (!asked.is_filtered()).then_some(ranking.concerned);
            known(view, &ranking, age_seconds, concerned)
        }
    }
}

fn over_span(view: &View, asked: &Asked, question: Question, seconds: u64) -> Told {
    let span = Span { seconds, end_seconds: view.now_seconds };
    let filter = filter(view, asked, Arc::clone(view.catalogue()));
    let begin = || -> ::ranks::Work {
        let store = Arc::clone(&view.store);
        Box::new(move |progress: &Progress| {
            let is_wanted = |position: usize| filter.has(position);
            let catalogue = filter.catalogue.as_ref();
            rank_span(store.as_ref(), catalogue, &question, span, &is_wanted, progress)
        })
    };
    match view.ranks.jobs.ask(&key(view, asked), begin, PATIENCE) {
        Answer::Known { ranking, age } => {
            known(view, &ranking, age.as_secs(), Some(ranking.concerned))
        }
        Answer::Working(progress) => reading(view, &progress),
        Answer::Waiting { ahead } => Told::Waiting { ahead },
        Answer::Refused => Told::Refused,
    }
}

/// What tells questions apart whose answers differ.
fn key(view: &View, asked: &Asked) -> String {
    format!("{asked:?} {:?} {}", view.scope(), view.catalogue().number())
}

fn filter(view: &View, asked: &Asked, catalogue: Arc<crate::Catalogue>) -> Filter {
    let words = asked.query.to_lowercase();
    Filter {
        catalogue,
        scope: view.scope().clone(),
        words: words.split_whitespace().map(str::to_owned).collect(),
        device: asked.device.clone(),
    }
}

/// How far it is; in percent for those who may not know how many targets there are.
fn reading(view: &View, progress: &Progress) -> Told {
    let (done, of) = (progress.done(), progress.of());
    match view.is_of_everything() || of == 0 {
        true => Told::Reading { done, of },
        false => Told::Reading { done: done.saturating_mul(100) / of, of: 100 },
    }
}

/// With the targets as they are at present; one that a reload took away is left out.
fn known(view: &View, ranking: &Ranking, age_seconds: u64, concerned: Option<usize>) -> Told {
    let rows = ranking.ranked.iter().filter_map(|ranked| {
        Some(Row { target: view.find(&ranked.name)?, ranked: ranked.clone() })
    });
    Told::Known(Known {
        rows: rows.collect(),
        concerned: concerned.filter(|_| view.is_of_everything()),
        unread: ranking.unread,
        age_seconds,
    })
}
