//! Work on many things at once, on all processors.

use std::thread::{ScopedJoinHandle, available_parallelism, scope};

/// The most threads of one question.
const THREADS_MAX: usize = 8;

/// The pieces of some work, one behind the other, each about as large; `at_least` is so little that
/// a thread of its own is not worth it.
pub(crate) fn pieces(count: usize, at_least: usize) -> Vec<std::ops::Range<usize>> {
    let threads = available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    let pieces = threads.min(count / at_least.max(1)).max(1);
    let bound = |nth: usize| count * nth / pieces;
    (0..pieces).map(|nth| bound(nth)..bound(nth + 1)).collect()
}

/// Does each piece of work in a thread; the first in that of the caller. The results are in the
/// order of the pieces.
pub(crate) fn on_each<P: Send, R: Send>(pieces: Vec<P>, work: impl Fn(P) -> R + Sync) -> Vec<R> {
    let mut pieces = pieces.into_iter();
    let Some(first) = pieces.next() else { return Vec::new() };
    scope(|scope| {
        let work = &work;
        let others: Vec<ScopedJoinHandle<'_, R>> =
            pieces.map(|piece| scope.spawn(move || work(piece))).collect();
        let first = work(first);
        let others = others.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(first).chain(others).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_everything_once() {
        for count in [0, 1, 9, 1000] {
            let all: Vec<usize> = pieces(count, 3).into_iter().flatten().collect();
            assert!(all.iter().copied().eq(0..count), "{all:?}");
        }
        assert_eq!(pieces(9, 10).len(), 1);
    }

    #[test]
    fn results_are_in_order() {
        assert_eq!(on_each(vec![3, 1, 2], |piece| piece * 10), [30, 10, 20]);
        assert!(on_each(Vec::<u8>::new(), |piece| piece).is_empty());
    }
}
