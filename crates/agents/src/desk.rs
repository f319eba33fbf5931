//! Hands what was gathered to the store.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use intake::{Batch, Intake, Outcomes, Protocol, Taking, Tallies};
use store::Error;

use crate::bell::Bell;
use crate::collectd::Collectd;
use crate::gathered::Gathered;
use crate::notice::Notice;
use crate::options::Options;
use crate::reading::{self, Misread};
use crate::teller::Teller;

/// How long to wait between two tries.
const PAUSE: Duration = Duration::from_secs(1);

/// What both threads share.
pub(crate) struct Desk {
    intake: Arc<Intake>,
    tallies: Arc<Tallies>,
    pub(crate) teller: Teller,
    patience: Duration,
    collectd: RwLock<Arc<Collectd>>,
}

/// What happens to samples that the store does not take.
#[derive(Clone, Copy)]
pub(crate) enum Fallback<'b> {
    /// They are lost.
    Lose,
    /// They are tried again until the patience ends, or the bell rings.
    TryAgain(&'b Bell),
}

impl Desk {
    pub(crate) fn new(intake: Arc<Intake>, tallies: Arc<Tallies>, options: &Options) -> Self {
        Self {
            intake,
            tallies,
            teller: Teller::new(Arc::clone(&options.tell)),
            patience: options.patience,
            collectd: RwLock::new(Arc::new(options.collectd.clone())),
        }
    }

    /// Takes packets of collectd as these say from now on.
    pub(crate) fn set_collectd(&self, collectd: Collectd) {
        *self.collectd.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(collectd);
    }

    /// Stores what was gathered of a protocol.
    pub(crate) fn store(&self, protocol: Protocol, gathered: &Gathered, fallback: Fallback<'_>) {
        let mut misread = None;
        self.store_batch(protocol, fallback, &mut |batch| {
            // Behind the batch's begin, so that nothing is remembered by what was replaced.
            let collectd = self.collectd.read().unwrap_or_else(PoisonError::into_inner).clone();
            let found = reading::read(protocol, gathered, &collectd, batch);
            misread.get_or_insert(found); // the same in each try
        });
        self.note_misread(protocol, &misread.unwrap_or_default());
    }

    /// Stores what a closure puts into a batch; it is called again for another try.
    pub(crate) fn store_batch(
        &self,
        protocol: Protocol,
        fallback: Fallback<'_>,
        fill: &mut dyn FnMut(&mut Batch<'_>),
    ) {
        let (begin, arrival_micros) = (Instant::now(), now_micros());
        let mut taking = self.attempt(arrival_micros, fill);
        while let (Fallback::TryAgain(bell), Some(error)) = (fallback, worth_waiting(&taking)) {
            self.teller.store_failed(protocol, || error.to_string(), 0);
            let is_over = bell.rings_within(PAUSE) || begin.elapsed() >= self.patience;
            let made = taking.outcomes.made;
            taking = self.attempt(arrival_micros, fill);
            taking.outcomes.made += made;
            if is_over {
                break;
            }
        }
        self.tallies.of(protocol).add(&taking.outcomes);
        let Taking { outcomes, failure, fault } = taking;
        if let Some(fault) = fault {
            self.teller.say(&Notice::DatabaseFails { protocol, error: fault.to_string() });
        }
        match failure {
            Some(error) => {
                self.teller.store_failed(protocol, || error.to_string(), outcomes.failed)
            }
            None if outcomes.taken > 0 => self.teller.store_took(),
            None => (),
        }
    }

    fn attempt(&self, arrival_micros: i64, fill: &mut dyn FnMut(&mut Batch<'_>)) -> Taking {
        let samples = Cell::new(0);
        let tried = catch_unwind(AssertUnwindSafe(|| {
            let mut batch = self.intake.batch();
            fill(&mut batch);
            samples.set(batch.len() as u64);
            match batch.is_empty() {
                true => Taking::default(),
                false => self.intake.take(batch, None, arrival_micros),
            }
        }));
        // A panic was told when it came. The batch is lost, and the thread goes on.
        tried.unwrap_or_else(|_| Taking {
            outcomes: Outcomes { failed: samples.get(), ..Outcomes::default() },
            ..Taking::default()
        })
    }

    /// Counts and tells what could not be read.
    pub(crate) fn note_misread(&self, protocol: Protocol, misread: &Misread) {
        self.tallies.of(protocol).add_wrong(misread.count);
        if let Some(first) = misread.first {
            self.teller.say(&Notice::Misread { protocol, from: first.from, wrong: first.wrong });
        }
    }
}

/// The time of arrival, microseconds since 1970.
#[must_use]
pub fn now_micros() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// Why nothing of a batch was taken, if it may be taken later: what is not taken of one series must
/// not keep others waiting.
fn worth_waiting(taking: &Taking) -> Option<&Error> {
    let Taking { outcomes, failure, .. } = taking;
    failure.as_ref().filter(|_| outcomes.taken == 0 && outcomes.failed > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_store_that_takes_nothing_is_waited_for() {
        let failing = |taken| {
            let outcomes = Outcomes { taken, failed: 3, ..Outcomes::default() };
            Taking { outcomes, failure: Some(Error::Stopped("no log".into())), fault: None }
        };
        assert!(worth_waiting(&failing(0)).is_some() && worth_waiting(&failing(1)).is_none());
        let fault = Some(Error::Locked("a".into()));
        let of_one = Taking { fault, failure: None, ..failing(0) };
        assert!(worth_waiting(&of_one).is_none());
    }

    #[test]
    fn a_panic_loses_a_batch_and_not_the_thread() {
        let directory = tempfile::tempdir().unwrap();
        let store = store::Rooted::new(Arc::new(files::RrdFiles::below(directory.path())));
        let (rules, limits) = (intake::Rules::default(), intake::Limits::default());
        let intake = Arc::new(Intake::new(store, rules, limits, [1, 2]));
        let tallies = Arc::new(Tallies::default());
        let desk = Desk::new(intake, Arc::clone(&tallies), &Options::new(Arc::new(|_| ())));
        for panics in [true, false] {
            desk.store_batch(Protocol::Graphite, Fallback::Lose, &mut |batch| {
                senders::graphite::read(b"a 1 N", &mut |sent| batch.add(sent));
                assert!(!panics, "expected by the test");
            });
        }
        let wanted = Outcomes { taken: 1, made: 1, ..Outcomes::default() };
        assert_eq!(tallies.of(Protocol::Graphite).outcomes(), wanted);
    }
}
