//! Questions that have to read rows: one at a time, shared by all who ask.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::ranking::Ranking;
use crate::sweep::Progress;

/// How long a question is worked on after somebody asked it last.
const ASKED_WITHIN: Duration = Duration::from_secs(20);
/// How long an answer is kept.
const KEPT_FOR: Duration = Duration::from_secs(120);
/// The most answers that are kept.
const KEPT_MAX: usize = 32;
/// The most questions that wait for another one.
const WAITING_MAX: usize = 32;

/// Ranks on a thread of its own; `None` if it was ended.
pub type Work = Box<dyn FnOnce(&Progress) -> Option<Ranking> + Send>;

/// Questions, their answers and the work on one of them.
#[derive(Clone, Default)]
pub struct Jobs {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    working: Option<Working>,
    waiting: VecDeque<Waiting>,
    kept: VecDeque<Kept>,
}

struct Working {
    key: String,
    progress: Arc<Progress>,
}

struct Waiting {
    key: String,
    work: Work,
    asked: Instant,
}

struct Kept {
    key: String,
    ranking: Arc<Ranking>,
    answered: Instant,
}

/// How far a question is.
pub enum Answer {
    /// It is answered.
    Known {
        /// The answer.
        ranking: Arc<Ranking>,
        /// How old it is.
        age: Duration,
    },
    /// Rows are being read.
    Working(Arc<Progress>),
    /// Another question is worked on.
    Waiting {
        /// How many come before this one.
        ahead: usize,
    },
    /// Too many wait already; it is not among them.
    Refused,
}

impl Jobs {
    /// The answer to the question with this key, or how far it is. If it is new, `begin` makes its
    /// work, and the caller waits for the answer, but no longer than `patience`. Who asks for what is
    /// worked on already is told at once how far it is, so that many who ask hold nobody up.
    pub fn ask(&self, key: &str, begin: impl FnOnce() -> Work, patience: Duration) -> Answer {
        let mut state = self.shared.state();
        state.forget();
        let is_new = !state.is_known(key);
        if is_new {
            if state.waiting.len() >= WAITING_MAX {
                return Answer::Refused;
            }
            let waiting = Waiting { key: key.to_owned(), work: begin(), asked: Instant::now() };
            state.waiting.push_back(waiting);
            self.shared.start_next(&mut state);
        }
        if is_new {
            let is_open = |state: &mut State| state.answer(key).is_none() && state.is_known(key);
            let waited = self.shared.changed.wait_timeout_while(state, patience, is_open);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.how_far(key)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins with the question that waits longest, if none is worked on.
    fn start_next(self: &Arc<Self>, state: &mut State) {
        while state.working.is_none() {
            let Some(Waiting { key, work, asked }) = state.waiting.pop_front() else { return };
            if asked.elapsed() >= ASKED_WITHIN {
                continue;
            }
            let progress = Arc::<Progress>::default();
            progress.end_after(ASKED_WITHIN.saturating_sub(asked.elapsed()));
            let shared = Arc::clone(self);
            let thread = thread::Builder::new().name("gyre-ranks".to_owned());
            let (own_key, own_progress) = (key.clone(), Arc::clone(&progress));
            let run = move || shared.run(own_key, &own_progress, work);
            if thread.spawn(run).is_ok() {
                state.working = Some(Working { key, progress });
            }
        }
    }

    /// Works on a question; its progress ends if nobody asks for it any more.
    fn run(self: &Arc<Self>, key: String, progress: &Progress, work: Work) {
        let _over = Over(self);
        if let Some(ranking) = work(progress) {
            let mut state = self.state();
            if state.kept.len() >= KEPT_MAX {
                state.kept.pop_front();
            }
            let kept = Kept { key, ranking: Arc::new(ranking), answered: Instant::now() };
            state.kept.push_back(kept);
        }
    }
}

/// When a question is over, the next one begins, also after a panic.
struct Over<'s>(&'s Arc<Shared>);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.working = None;
        self.0.start_next(&mut state);
        drop(state);
        self.0.changed.notify_all();
    }
}

impl State {
    fn forget(&mut self) {
        self.kept.retain(|kept| kept.answered.elapsed() < KEPT_FOR);
        self.waiting.retain(|waiting| waiting.asked.elapsed() < ASKED_WITHIN);
    }

    /// Whether a question is answered, worked on or waits. Who asks keeps it alive.
    fn is_known(&mut self, key: &str) -> bool {
        if let Some(working) = self.working.as_ref().filter(|working| working.key == key) {
            working.progress.end_after(ASKED_WITHIN);
            return true;
        }
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.key == key) {
            waiting.asked = Instant::now();
            return true;
        }
        self.answer(key).is_some()
    }

    fn answer(&self, key: &str) -> Option<&Kept> {
        self.kept.iter().find(|kept| kept.key == key)
    }

    fn how_far(&mut self, key: &str) -> Answer {
        if let Some(Kept { ranking, answered, .. }) = self.answer(key) {
            return Answer::Known { ranking: Arc::clone(ranking), age: answered.elapsed() };
        }
        if let Some(working) = self.working.as_ref().filter(|working| working.key == key) {
            return Answer::Working(Arc::clone(&working.progress));
        }
        let place = self.waiting.iter().position(|waiting| waiting.key == key);
        Answer::Waiting { ahead: place.unwrap_or(0) + usize::from(self.working.is_some()) }
    }
}
