//! Many texts in one.

/// Texts one behind the other; a million of them are one allocation.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    all: String,
    ends: Vec<usize>,
}

impl Texts {
    pub(crate) fn push(&mut self, text: &str) {
        self.all.push_str(text);
        self.ends.push(self.all.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, nth: usize) -> &str {
        let begin = nth.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[begin..self.ends[nth]]
    }

    /// How many texts from `begin` on come before one; the texts must be sorted.
    pub(crate) fn partition_point(
        &self,
        range: std::ops::Range<usize>,
        is_before: impl Fn(&str) -> bool,
    ) -> usize {
        let (mut low, mut high) = (range.start, range.end);
        while low < high {
            let middle = low.midpoint(high);
            match is_before(self.get(middle)) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}
