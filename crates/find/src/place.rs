//! How good a place is at which a word stands.

use crate::field::Field;
use crate::lexicon::Hit;

/// A place in a text, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Within letters.
    Inside,
    /// At the beginning of letters or of a number, after something else.
    Beginning,
    /// From such a beginning to such an end.
    Whole,
    /// At the beginning of all: of the name, if it is that of a name.
    Start,
}

impl Place {
    /// The place of a hit.
    pub(crate) fn of(hit: &Hit<'_>, word: &str) -> Self {
        let Some((before, after)) = hit.text.split_at_checked(hit.begin) else {
            return Self::Inside;
        };
        let signs_alone = !before.iter().copied().any(is_letter);
        if signs_alone {
            return Self::Start;
        }
        let first = word.bytes().next().unwrap_or_default();
        let last_before = before.last().copied().unwrap_or_default();
        let begins = !is_letter(first) || !is_letter(last_before) || {
            first.is_ascii_digit() && !last_before.is_ascii_digit()
        };
        let ends = after.get(word.len()).is_none_or(|next| !is_letter(*next));
        match (begins, ends) {
            (true, true) => Self::Whole,
            (true, false) => Self::Beginning,
            (false, _) => Self::Inside,
        }
    }

    /// The score of a word that stands at such a place of a field. The sums of several words
    /// compare documents, so that no word can count for more than four others.
    pub(crate) fn score(self, field: Field, is_whole_text: bool) -> u8 {
        let [inside, beginning, whole] = match field {
            Field::BEGINNING if self == Self::Start => return BEGINNING_SCORE,
            Field::BEGINNING => return 0,
            Field::NAME => [12, 34, 40],
            Field::DEVICE => [10, 30, 38],
            Field::TITLE => [8, 22, 28],
            _ => [6, 20, 26],
        };
        match self {
            Self::Inside => inside,
            Self::Start if is_whole_text => whole,
            Self::Beginning | Self::Start => beginning,
            Self::Whole => whole,
        }
    }
}

/// The score of a word with which a name begins.
const BEGINNING_SCORE: u8 = 60;

/// Bytes beyond ASCII are parts of letters, mostly.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::Place;
    use crate::lexicon::Hit;

    #[test]
    fn places_are_told_apart() {
        for (text, begin, word, expected) in [
            ("site01-core1_7", 0, "site", Place::Start),
            ("-core1", 1, "core", Place::Start),
            ("site01-core1_7", 7, "core1_7", Place::Whole),
            ("site01-core1_70", 7, "core1_7", Place::Beginning),
            ("gigabitethernet0", 15, "0", Place::Whole),
            ("site01-score1_7", 8, "core1_7", Place::Inside),
        ] {
            let hit = Hit { nth: 0, text: text.as_bytes(), begin };
            assert_eq!(Place::of(&hit, word), expected, "{word} in {text}");
        }
    }
}
