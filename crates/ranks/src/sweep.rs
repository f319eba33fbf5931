//! Work on all subjects on every core.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Subjects that one thread works on at once: databases side by side share pages.
const AT_ONCE: usize = 4096;

/// How far some work is, and whether it goes on. Other threads look at it and may end it.
#[derive(Debug)]
pub struct Progress {
    done: AtomicUsize,
    of: AtomicUsize,
    begun: Instant,
    /// How long after its begin the work is wanted.
    wanted_milliseconds: AtomicU64,
}

/// Of work that is wanted until it is ended.
impl Default for Progress {
    fn default() -> Self {
        Self {
            done: AtomicUsize::new(0),
            of: AtomicUsize::new(0),
            begun: Instant::now(),
            wanted_milliseconds: AtomicU64::new(u64::MAX),
        }
    }
}

impl Progress {
    /// How many subjects are done.
    #[must_use]
    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// How many there are.
    #[must_use]
    pub fn of(&self) -> usize {
        self.of.load(Ordering::Relaxed)
    }

    /// Has the work end before it is done.
    pub fn end(&self) {
        self.wanted_milliseconds.store(0, Ordering::Relaxed);
    }

    /// Has the work end if it is not done within this time from now.
    pub fn end_after(&self, time: Duration) {
        let end_milliseconds = (self.begun.elapsed() + time).as_millis() as u64;
        self.wanted_milliseconds.store(end_milliseconds, Ordering::Relaxed);
    }

    /// Whether it was ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        match self.wanted_milliseconds.load(Ordering::Relaxed) {
            u64::MAX => false,
            end_milliseconds => self.begun.elapsed().as_millis() as u64 >= end_milliseconds,
        }
    }
}

/// Works on all positions below `count` on every core. Each thread has a state of its own, which
/// `begin` makes; they are returned, in any order. If the work is ended, some positions are left
/// out.
pub(crate) fn sweep<A: Send>(
    count: usize,
    progress: &Progress,
    begin: impl Fn() -> A + Sync,
    work: impl Fn(&mut A, Range<usize>) + Sync,
) -> Vec<A> {
    progress.done.store(0, Ordering::Relaxed);
    progress.of.store(count, Ordering::Relaxed);
    let next = AtomicUsize::new(0);
    // A small number is divided, too, so that no core is idle.
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let at_once = count.div_ceil(threads).clamp(1, AT_ONCE);
    let work_on = || {
        let mut state = begin();
        while !progress.is_over() {
            let first = next.fetch_add(at_once, Ordering::Relaxed);
            if first >= count {
                break;
            }
            let positions = first..count.min(first + at_once);
            let length = positions.len();
            work(&mut state, positions);
            progress.done.fetch_add(length, Ordering::Relaxed);
        }
        state
    };
    thread::scope(|scope| {
        let others: Vec<_> =
            (1..threads.min(count.div_ceil(at_once))).map(|_| scope.spawn(work_on)).collect();
        let mut states = vec![work_on()];
        for other in others {
            states.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        states
    })
}

#[cfg(test)]
mod tests {
    use super::{Progress, sweep};

    #[test]
    fn every_position_is_worked_on_once() {
        for count in [0, 1, 3, 4096, 20_000] {
            let progress = Progress::default();
            let states = sweep(count, &progress, Vec::new, |own: &mut Vec<usize>, positions| {
                own.extend(positions);
            });
            let mut all: Vec<usize> = states.into_iter().flatten().collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count));
            assert_eq!((progress.done(), progress.of()), (count, count));
        }
    }

    #[test]
    fn work_that_is_ended_leaves_the_rest() {
        let progress = Progress::default();
        let states = sweep(
            1_000_000,
            &progress,
            || 0,
            |own, positions| {
                *own += positions.len();
                progress.end();
            },
        );
        assert!(states.into_iter().sum::<usize>() < 100_000);
    }
}
