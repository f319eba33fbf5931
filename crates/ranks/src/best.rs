//! The greatest of many values, while the others are forgotten.

use std::cmp::Ordering;

/// The things with the greatest scores so far, at most so many. Of equal scores, the things that are
/// less by their own order come first.
#[derive(Clone, Debug)]
pub struct Best<T> {
    most: usize,
    /// The greatest first.
    ranked: Vec<Scored<T>>,
}

/// A thing and its score.
#[derive(Clone, Debug)]
struct Scored<T> {
    score: f64,
    thing: T,
}

impl<T: Ord> Best<T> {
    /// None yet, and at most that many.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, ranked: Vec::new() }
    }

    /// Whether a thing with this score may still be among the greatest. It spares the making of
    /// things that would be forgotten at once.
    #[must_use]
    pub fn may_take(&self, score: f64) -> bool {
        let is_behind = |last: &Scored<T>| last.score.total_cmp(&score) == Ordering::Greater;
        !score.is_nan()
            && self.most > 0
            && (self.ranked.len() < self.most || !self.ranked.last().is_some_and(is_behind))
    }

    /// A score below which nothing is taken any more; `None` while everything is.
    #[must_use]
    pub fn bar(&self) -> Option<f64> {
        let last = self.ranked.last().filter(|_| self.ranked.len() >= self.most);
        last.map(|last| last.score)
    }

    /// Takes a thing; one whose score is NaN is forgotten.
    pub fn put(&mut self, score: f64, thing: T) {
        if !self.may_take(score) {
            return;
        }
        let new = Scored { score, thing };
        let place = self.ranked.partition_point(|ranked| ranked.order(&new) == Ordering::Less);
        if place < self.most {
            self.ranked.insert(place, new);
            self.ranked.truncate(self.most);
        }
    }

    /// Takes all things of another.
    pub fn merge(&mut self, other: Self) {
        other.ranked.into_iter().for_each(|Scored { score, thing }| self.put(score, thing));
    }

    /// The things, the greatest first.
    pub fn into_things(self) -> impl Iterator<Item = T> {
        self.ranked.into_iter().map(|ranked| ranked.thing)
    }
}

impl<T: Ord> Scored<T> {
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then_with(|| self.thing.cmp(&other.thing))
    }
}

#[cfg(test)]
mod tests {
    use super::Best;

    #[test]
    fn the_greatest_stay_and_equals_are_in_their_own_order() {
        let mut best = Best::new(3);
        assert_eq!(best.bar(), None);
        for (score, thing) in [(1.0, 9), (3.0, 7), (f64::NAN, 1), (3.0, 2), (0.5, 3), (2.0, 4)] {
            best.put(score, thing);
        }
        assert_eq!(best.bar(), Some(2.0));
        let mut others = Best::new(3);
        others.put(3.0, 1);
        best.merge(others);
        assert_eq!(best.into_things().collect::<Vec<_>>(), [1, 2, 7]);
        let mut none = Best::new(0);
        none.put(1.0, 1);
        assert_eq!(none.into_things().count(), 0);
    }
}
