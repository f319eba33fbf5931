//! What of a stretch of time is not covered yet.

/// What of a stretch of time is not covered yet.
#[derive(Debug)]
pub(super) struct Gaps(Vec<(i64, i64)>);

impl Gaps {
    /// Nothing is covered from the first second to the last.
    pub(super) fn new(first: i64, last: i64) -> Self {
        Self(vec![(first, last)])
    }

    /// Covers what lies between two seconds, both included, and tells how many seconds of that were
    /// not covered before.
    pub(super) fn cover(&mut self, first: i64, last: i64) -> i64 {
        let mut covered_seconds = 0;
        let mut remaining = Vec::with_capacity(self.0.len() + 1);
        for &(start, end) in &self.0 {
            let (from, to) = (start.max(first), end.min(last));
            if from > to {
                remaining.push((start, end));
                continue;
            }
            covered_seconds += to - from + 1;
            remaining
                .extend([(start, from - 1), (to + 1, end)].into_iter().filter(|(a, b)| a <= b));
        }
        self.0 = remaining;
        covered_seconds
    }
}

#[cfg(test)]
mod tests {
    use super::Gaps;

    #[test]
    fn counts_each_second_once() {
        let mut gaps = Gaps::new(10, 29);
        assert_eq!(gaps.cover(0, 9), 0);
        assert_eq!(gaps.cover(15, 19), 5);
        assert_eq!(gaps.cover(14, 20), 2);
        assert_eq!(gaps.cover(5, 11), 2);
        assert_eq!(gaps.cover(0, 99), 11);
        assert_eq!(gaps.cover(0, 99), 0);
    }
}
