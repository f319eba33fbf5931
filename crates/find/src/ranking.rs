//! A page of the best documents, without sorting all of them.
//!
//! Documents are counted by score and length of name. The counts say which of these lie on the page,
//! and a second look at the scores picks their documents, in their own order.

use crate::scores::Scores;

/// Scores and lengths are a byte each.
const KINDS: usize = 1 << 16;

/// The page of the documents from `first` on, at most `limit`, and how many documents match.
pub(crate) fn page(
    scores: &Scores,
    name_lengths: &[u8],
    first: usize,
    limit: usize,
) -> (usize, Vec<u32>) {
    let mut counts = vec![0_u32; KINDS];
    scores.each_matching(|document, score| {
        let length = name_lengths.get(document).copied().unwrap_or_default();
        if let Some(count) = counts.get_mut(kind(score, length)) {
            *count += 1;
        }
    });
    let total = counts.iter().map(|count| *count as usize).sum();
    let Some(kinds) = Kinds::of_page(&counts, first, limit) else { return (total, Vec::new()) };
    (total, kinds.documents(scores, name_lengths, limit))
}

/// The best score and the shortest name first.
fn kind(score: u8, length: u8) -> usize {
    usize::from(u8::MAX - score) << 8 | usize::from(length)
}

/// The kinds of documents that lie on a page.
struct Kinds {
    begin: usize,
    end: usize,
    /// Where the documents of each kind begin, counted from the first one of the first kind.
    starts: Vec<usize>,
    /// The first document of the page, counted in the same way.
    first: usize,
}

impl Kinds {
    fn of_page(counts: &[u32], first: usize, limit: usize) -> Option<Self> {
        let (mut before, mut starts, mut begin) = (0_usize, Vec::new(), None);
        let mut end = counts.len();
        for (kind, count) in counts.iter().enumerate() {
            if before >= first.saturating_add(limit) {
                end = kind;
                break;
            }
            let after = before + *count as usize;
            if begin.is_none() && after > first {
                begin = Some((kind, before));
            }
            if let Some((_, base)) = begin {
                starts.push(before - base);
            }
            before = after;
        }
        let (begin, base) = begin?;
        Some(Self { begin, end, starts, first: first - base })
    }

    fn documents(mut self, scores: &Scores, name_lengths: &[u8], limit: usize) -> Vec<u32> {
        let mut placed: Vec<(usize, u32)> = Vec::new();
        scores.each_matching(|document, score| {
            let kind = kind(score, name_lengths.get(document).copied().unwrap_or_default());
            if kind < self.begin || kind >= self.end {
                return;
            }
            let Some(place) = self.starts.get_mut(kind - self.begin) else { return };
            let at = *place;
            *place += 1;
            if let Some(on_page) = at.checked_sub(self.first)
                && on_page < limit
            {
                placed.push((on_page, document as u32));
            }
        });
        placed.sort_unstable();
        placed.into_iter().map(|(_, document)| document).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::scores::Scores;

    #[test]
    fn pages_are_those_of_the_sorted_documents() {
        let score = |document: u32| (document.wrapping_mul(2_654_435_761) >> 28) as u8;
        let mut scores = Scores::none(1000);
        for document in 0..1000 {
            let mut list = crate::postings::Making::default();
            list.push(document);
            scores.raise(&list.finish(), score(document));
        }
        let lengths: Vec<u8> = (0..1000_u32).map(|document| (document % 7) as u8).collect();
        let mut sorted: Vec<u32> = (0..1000).filter(|document| score(*document) > 0).collect();
        sorted
            .sort_by_key(|&document| (255 - score(document), lengths[document as usize], document));
        for (first, limit) in [(0, 10), (0, 1000), (37, 50), (900, 200), (2000, 5), (5, 0)] {
            let (total, found) = page(&scores, &lengths, first, limit);
            assert_eq!(total, sorted.len());
            let expected: Vec<u32> = sorted.iter().copied().skip(first).take(limit).collect();
            assert_eq!(found, expected, "{first} {limit}");
        }
    }
}
