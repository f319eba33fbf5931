//! Tells an operator, not too often.

use std::mem::Discriminant;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use intake::Protocol;

use crate::notice::Notice;
use crate::options::Tell;

/// How long a notice is not told again.
const QUIET: Duration = Duration::from_secs(60);

/// Tells an operator, not too often.
pub(crate) struct Teller {
    tell: Tell,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What was told when; as many as there are kinds and protocols.
    told: Vec<Told>,
    /// Samples that were lost since it was told that the store fails.
    lost: Option<u64>,
}

struct Told {
    kind: Discriminant<Notice>,
    protocol: Option<Protocol>,
    at: Instant,
}

impl Teller {
    pub(crate) fn new(tell: Tell) -> Self {
        Self { tell, state: Mutex::default() }
    }

    /// Tells that, unless the like of it was told within the last minute. Says whether it did.
    pub(crate) fn say(&self, notice: &Notice) -> bool {
        let is_news = self.with_state(|state| state.is_news(notice, Instant::now()));
        if is_news {
            (self.tell)(notice);
        }
        is_news
    }

    /// The store failed, and so many samples are lost: that is told once until it works again.
    pub(crate) fn store_failed(
        &self,
        protocol: Protocol,
        error: impl FnOnce() -> String,
        lost: u64,
    ) {
        let is_told = self.with_state(|state| match &mut state.lost {
            Some(so_far) => {
                *so_far += lost;
                true
            }
            None => false,
        });
        if !is_told && self.say(&Notice::StoreFails { protocol, error: error() }) {
            self.with_state(|state| state.lost = Some(lost));
        }
    }

    /// The store took everything of a batch.
    pub(crate) fn store_took(&self) {
        if let Some(lost) = self.with_state(|state| state.lost.take()) {
            (self.tell)(&Notice::StoreTakesAgain { lost });
        }
    }

    fn with_state<T>(&self, ask: impl FnOnce(&mut State) -> T) -> T {
        ask(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn is_news(&mut self, notice: &Notice, now: Instant) -> bool {
        let (kind, protocol) = (std::mem::discriminant(notice), notice.protocol());
        let known = self.told.iter_mut().find(|it| it.kind == kind && it.protocol == protocol);
        match known {
            Some(told) if now.duration_since(told.at) < QUIET => false,
            Some(told) => {
                told.at = now;
                true
            }
            None => {
                self.told.push(Told { kind, protocol, at: now });
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_notice_is_told_once_and_the_end_of_trouble_too() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&told);
        let teller =
            Teller::new(Arc::new(move |notice| list.lock().unwrap().push(notice.to_string())));
        teller.store_took();
        for _ in 0..3 {
            teller.store_failed(Protocol::Graphite, || "no space".into(), 5);
        }
        teller.store_took();
        teller.store_took();
        // So soon again it is not told, and its end neither.
        teller.store_failed(Protocol::Graphite, || "no space".into(), 5);
        teller.store_took();
        let dropped = |protocol| Notice::DatagramsDropped { protocol, datagrams: 1 };
        assert!(teller.say(&dropped(Protocol::Influx)) && teller.say(&dropped(Protocol::Statsd)));
        assert!(!teller.say(&dropped(Protocol::Influx)));
        assert_eq!(
            told.lock().unwrap()[..2],
            [
                "graphite: the store takes no samples: no space",
                "the store takes samples again; 15 were lost"
            ]
        );
        assert_eq!(told.lock().unwrap().len(), 4);
    }

    #[test]
    fn after_a_minute_it_is_told_again() {
        let mut state = State::default();
        let full = Notice::ConnectionsFull { connections_max: 1 };
        let begin = Instant::now();
        assert!(state.is_news(&full, begin) && !state.is_news(&full, begin + QUIET / 2));
        assert!(state.is_news(&full, begin + QUIET));
    }
}
