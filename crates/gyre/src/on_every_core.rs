//! Runs the same work on every core, with a progress bar.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::progress::Progress;

/// How often the bar is redrawn.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Hands out numbers from 0 on to threads.
#[derive(Default)]
pub(crate) struct Queue {
    next: AtomicUsize,
    done: AtomicUsize,
    is_given_up: AtomicBool,
}

impl Queue {
    /// The next number, which no other thread gets; `None` after the last, or after
    /// [`Self::give_up`].
    pub(crate) fn next(&self) -> Option<usize> {
        let is_given_up = self.is_given_up.load(Ordering::Relaxed);
        (!is_given_up).then(|| self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Counts items as done.
    pub(crate) fn did(&self, count: usize) {
        self.done.fetch_add(count, Ordering::Relaxed);
    }

    /// Makes [`Self::next`] return `None` from now on.
    pub(crate) fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
    }

    /// The number of items that are done.
    pub(crate) fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }
}

/// Runs `work` on every core until it returns on each. The bar tells how many of `all` are done.
pub(crate) fn on_every_core(what: &'static str, all: usize, work: impl Fn(&Queue) + Sync) -> Queue {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    on_threads(what, cores, all, work)
}

/// The same in so many threads, but in no more than there are items.
pub(crate) fn on_threads(
    what: &'static str,
    threads: usize,
    all: usize,
    work: impl Fn(&Queue) + Sync,
) -> Queue {
    let queue = Queue::default();
    std::thread::scope(|scope| {
        let threads = threads.min(all.max(1));
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| work(&queue))).collect();
        let mut progress = Progress::new(what);
        while !threads.iter().all(|thread| thread.is_finished()) {
            progress.show(queue.done(), all);
            std::thread::sleep(LOOK_EVERY);
        }
    });
    queue
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::on_every_core;

    #[test]
    fn each_is_taken_once_until_the_rest_is_given_up() {
        let taken = Mutex::new(Vec::new());
        let take = |limit: usize| {
            on_every_core("test", 100, |queue| {
                while let Some(nth) = queue.next().filter(|nth| *nth < 100) {
                    taken.lock().unwrap().push(nth);
                    queue.did(1);
                    if nth >= limit {
                        queue.give_up();
                    }
                }
            })
            .done()
        };
        assert_eq!(take(100), 100);
        let mut all = std::mem::take(&mut *taken.lock().unwrap());
        all.sort_unstable();
        assert!(all.into_iter().eq(0..100));
        assert!(take(3) < 100);
    }
}
