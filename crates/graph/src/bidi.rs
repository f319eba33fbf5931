//! The order in which the parts of a text are seen, where some of it runs from right to left.

use std::ops::Range;

use unicode_bidi::BidiInfo;

/// The first character that may run from right to left.
const FIRST: char = '\u{590}';

/// A part of a text that runs one way, in bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) range: Range<usize>,
    pub(crate) right_to_left: bool,
}

/// Whether the order of a text may be another than that of its characters.
pub(crate) fn matters(text: &str) -> bool {
    text.chars().any(|character| character >= FIRST)
}

/// The parts of a text from left to right. Its first letter says which way the whole runs, as in
/// Pango.
pub(crate) fn as_seen(text: &str) -> Vec<Stretch> {
    let order = BidiInfo::new(text, None);
    let mut stretches = Vec::new();
    for paragraph in &order.paragraphs {
        let (levels, ranges) = order.visual_runs(paragraph, paragraph.range.clone());
        stretches.extend(ranges.into_iter().map(|range| {
            let right_to_left = levels.get(range.start).is_some_and(|level| level.is_rtl());
            Stretch { range, right_to_left }
        }));
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_within_hebrew_keep_their_order() {
        let text = "in \u{5d0}\u{5d1} 12 \u{5d2} out";
        assert!(matters(text) && !matters("caf\u{e9} \u{3b1}"));
        let seen: Vec<(&str, bool)> =
            as_seen(text).iter().map(|it| (&text[it.range.clone()], it.right_to_left)).collect();
        let expected = [
            ("in ", false),
            (" \u{5d2}", true),
            ("12", false),
            ("\u{5d0}\u{5d1} ", true),
            (" out", false),
        ];
        assert_eq!(seen, expected);
    }
}
