//! Work on every core whose results come in order, while few of them wait.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many results for each thread may wait for an earlier one.
const AHEAD_PER_THREAD: usize = 4;
/// How long at most the caller waits before it is told how far the work is.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Is told how many parts are done.
pub type Watch<'w> = dyn FnMut(usize) + 'w;

struct State<T> {
    next: usize,
    taken: usize,
    waiting: BTreeMap<usize, T>,
    is_over: bool,
}

/// Works on the numbers below `count` on every core, and hands each result to `take` in order, on
/// the thread that calls. If `take` fails, the rest is not worked on.
///
/// # Errors
/// What `take` fails with.
pub fn in_order<T: Send, E>(
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    mut take: impl FnMut(usize, T) -> Result<(), E>,
    watch: &mut Watch<'_>,
) -> Result<(), E> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(count.max(1));
    let state = State { next: 0, taken: 0, waiting: BTreeMap::new(), is_over: false };
    let (state, changed) = (Mutex::new(state), Condvar::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                // Also when the work panics, the caller does not wait for it.
                let _over = OverIfPanicking { state: &state, changed: &changed };
                while let Some(nth) = next(&state, &changed, count, threads * AHEAD_PER_THREAD) {
                    let result = work(nth);
                    lock(&state).waiting.insert(nth, result);
                    changed.notify_all();
                }
            });
        }
        for nth in 0..count {
            let Some(result) = wait_for(&state, &changed, nth, watch) else { return Ok(()) };
            if let Err(error) = take(nth, result) {
                lock(&state).is_over = true;
                changed.notify_all();
                return Err(error);
            }
            watch(nth + 1);
        }
        Ok(())
    })
}

struct OverIfPanicking<'s, T> {
    state: &'s Mutex<State<T>>,
    changed: &'s Condvar,
}

impl<T> Drop for OverIfPanicking<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(self.state).is_over = true;
            self.changed.notify_all();
        }
    }
}

fn lock<T>(state: &Mutex<State<T>>) -> MutexGuard<'_, State<T>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next number to work on, once it is not too far ahead of what was taken.
fn next<T>(
    state: &Mutex<State<T>>,
    changed: &Condvar,
    count: usize,
    ahead_max: usize,
) -> Option<usize> {
    let mut state = lock(state);
    while !state.is_over && state.next < count && state.next - state.taken >= ahead_max {
        state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    if state.is_over || state.next == count {
        return None;
    }
    state.next += 1;
    Some(state.next - 1)
}

/// The result of a number; `None` if a thread panicked.
fn wait_for<T>(
    state: &Mutex<State<T>>,
    changed: &Condvar,
    nth: usize,
    watch: &mut Watch<'_>,
) -> Option<T> {
    let mut state = lock(state);
    loop {
        if let Some(result) = state.waiting.remove(&nth) {
            state.taken = nth + 1;
            changed.notify_all();
            return Some(result);
        }
        if state.is_over {
            return None;
        }
        let waited = changed.wait_timeout(state, LOOK_EVERY);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
        watch(nth);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::in_order;

    #[test]
    fn results_come_in_order_and_few_wait() {
        let begun = AtomicUsize::new(0);
        let mut got = Vec::new();
        let done: Result<(), ()> = in_order(
            500,
            |nth| {
                begun.fetch_add(1, Ordering::Relaxed);
                nth * 2
            },
            |nth, result| {
                let cores = std::thread::available_parallelism().map_or(1, usize::from);
                assert!(begun.load(Ordering::Relaxed) <= nth + 1 + cores * super::AHEAD_PER_THREAD);
                got.push(result);
                Ok(())
            },
            &mut |_| {},
        );
        assert_eq!(done, Ok(()));
        assert!(got.into_iter().eq((0..500).map(|nth| nth * 2)));
    }

    #[test]
    fn the_rest_is_left_after_a_failure() {
        let begun = AtomicUsize::new(0);
        let done = in_order(
            1_000_000,
            |_| begun.fetch_add(1, Ordering::Relaxed),
            |nth, _| if nth == 7 { Err("full") } else { Ok(()) },
            &mut |_| {},
        );
        assert_eq!(done, Err("full"));
        assert!(begun.load(Ordering::Relaxed) < 1000);
    }
}
