//! The files with the most resident pages.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use pagecache::residency::Counts;

use super::json;
use super::look::{Detail, Look};
use super::show::{Face, Show};
use super::table::{head, line, put_total};
use super::total::Total;
use crate::json_lines;

pub(super) struct ShowTop {
    files: usize,
    as_json: bool,
    face: Face,
    best: Best<Look>,
}

impl ShowTop {
    pub(super) fn new(files: usize, as_json: bool, face: Face) -> Self {
        Self { files, as_json, face, best: Best::default() }
    }
}

impl Show for ShowTop {
    fn file(&mut self, _out: &mut Vec<u8>, path: &[u8], look: Look) {
        // A file whose pages are unknown has no rank.
        if let Some(Counts { resident_pages, .. }) = look.counts {
            self.best.offer(self.files, resident_pages, path, || look);
        }
    }

    fn end(&mut self, out: &mut Vec<u8>, total: &Total) -> io::Result<()> {
        let best = std::mem::take(&mut self.best).into_sorted();
        if self.as_json {
            for (path, mut look) in best {
                look.detail = Detail::Nothing;
                json_lines::put_line(out, &json::file(&path, &look));
            }
            json_lines::put_line(out, &json::total(total));
            return Ok(());
        }
        head(out, self.face);
        for (path, look) in &best {
            line(out, path, look.counts.as_ref(), self.face);
        }
        put_total(out, total);
        Ok(())
    }
}

/// The largest of many entries; of equal ones those that came first.
pub(super) struct Best<T> {
    heap: BinaryHeap<Reverse<Candidate<T>>>,
    came: u64,
}

struct Candidate<T> {
    size: u64,
    came: Reverse<u64>,
    path: Vec<u8>,
    what: T,
}

impl<T> Default for Best<T> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), came: 0 }
    }
}

impl<T> Best<T> {
    /// Keeps the entry if it is among the `most` largest.
    pub(super) fn offer(&mut self, most: usize, size: u64, path: &[u8], what: impl FnOnce() -> T) {
        self.came += 1;
        if self.heap.len() >= most {
            if self.heap.peek().is_none_or(|least| size <= least.0.size) {
                return;
            }
            self.heap.pop();
        }
        let came = Reverse(self.came);
        self.heap.push(Reverse(Candidate { size, came, path: path.to_vec(), what: what() }));
    }

    /// The kept entries, the largest first.
    pub(super) fn into_sorted(self) -> Vec<(Vec<u8>, T)> {
        let sorted = self.heap.into_sorted_vec();
        sorted.into_iter().map(|Reverse(each)| (each.path, each.what)).collect()
    }
}

impl<T> Candidate<T> {
    fn key(&self) -> (u64, Reverse<u64>) {
        (self.size, self.came)
    }
}

impl<T> PartialEq for Candidate<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Candidate<T> {}

impl<T> PartialOrd for Candidate<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Candidate<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use super::Best;

    #[test]
    fn the_largest_are_kept_in_order() {
        let mut best = Best::default();
        for (name, size) in [("a", 1), ("b", 7), ("c", 3), ("d", 7), ("e", 0), ("f", 3)] {
            best.offer(3, size, name.as_bytes(), || size);
        }
        let kept = best.into_sorted();
        assert_eq!(kept, [(b"b".to_vec(), 7), (b"d".to_vec(), 7), (b"c".to_vec(), 3)]);
    }
}
