//! What is searched for.

use crate::field::{Field, Fields};
use crate::fold::lowered;

/// So many words count; the others do not.
const WORDS_MAX: usize = 16;
/// So many bytes of a text count. The work of a search grows with the signs in its words.
const TEXT_BYTES_MAX: usize = 200;

/// What is searched for: documents that have all words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    words: Vec<Word>,
}

/// A word, in any place of a document or in the fields of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// In lower case, without white space.
    pub(crate) text: String,
    pub(crate) fields: Fields,
}

impl Query {
    /// The words of a text. `key:word` and `key=word` mean a field or a label, if one is called so;
    /// else they are words as others are.
    pub(crate) fn parse(text: &str, labels: &[String]) -> Self {
        let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
        let words = text.split_whitespace().take(WORDS_MAX);
        Self { words: words.map(|word| Word::parse(word, labels)).collect() }
    }

    /// The words of a text, where it is not known which labels there are.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self::parse(text, &[])
    }

    /// Every word of a text as it is written, wherever it stands in these fields; `None` if they are
    /// more, or longer, than a query has.
    #[must_use]
    pub fn of_words(text: &str, fields: &[Field]) -> Option<Self> {
        let fields = fields.iter().copied().fold(Fields::NONE, Fields::with);
        let words = text.split_whitespace().map(|word| Word { text: lowered(word), fields });
        let words: Vec<Word> = words.collect();
        let is_short = text.len() <= TEXT_BYTES_MAX && words.len() <= WORDS_MAX;
        is_short.then_some(Self { words })
    }

    /// Whether nothing is searched for: everything is found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The words.
    #[must_use]
    pub fn words(&self) -> &[Word] {
        &self.words
    }
}

impl Word {
    fn parse(word: &str, labels: &[String]) -> Self {
        let keyed = word.split_once([':', '=']).filter(|(_, value)| !value.is_empty());
        let keyed = keyed.map(|(key, value)| (fields(key, labels), value));
        match keyed.filter(|(fields, _)| *fields != Fields::NONE) {
            Some((fields, value)) => Self { text: lowered(value), fields },
            None => Self { text: lowered(word), fields: Fields::ALL },
        }
    }
}

/// The fields of a name.
fn fields(key: &str, labels: &[String]) -> Fields {
    let is_it = |name: &str| name.eq_ignore_ascii_case(key);
    let built_in = Field::built_in().filter(|(_, word, other)| is_it(word) || is_it(other));
    let labels = labels.iter().enumerate().filter(|(_, label)| is_it(label));
    let all = built_in.map(|(field, ..)| field).chain(labels.map(|(nth, _)| Field::of_label(nth)));
    all.fold(Fields::NONE, Fields::with)
}

#[cfg(test)]
mod tests {
    use super::Query;
    use crate::field::{Field, Fields};

    #[test]
    fn keys_mean_fields_if_there_are_such() {
        let labels = ["site".to_owned(), "device".to_owned()];
        let query = Query::parse(" Core site:FRA host=r1 2001:db8 name: ", &labels);
        let words: Vec<_> = query.words().iter().map(|word| (&*word.text, word.fields)).collect();
        let only = |field| Fields::NONE.with(field);
        let expected = [
            ("core", Fields::ALL),
            ("fra", only(Field::of_label(0))),
            ("r1", only(Field::DEVICE)),
            ("2001:db8", Fields::ALL),
            ("name:", Fields::ALL),
        ];
        assert_eq!(words, expected);
        let both = Query::parse("device:r1", &labels);
        assert_eq!(both.words()[0].fields, only(Field::DEVICE).with(Field::of_label(1)));
        assert!(Query::parse(" \t", &labels).is_empty());
    }

    #[test]
    fn words_alone_have_no_keys_and_are_never_cut() {
        let query = Query::of_words("Core site:FRA", &[Field::TITLE]).expect("it is short");
        let only = Fields::NONE.with(Field::TITLE);
        let words: Vec<_> = query.words().iter().map(|word| (&*word.text, word.fields)).collect();
        assert_eq!(words, [("core", only), ("site:fra", only)]);
        assert_eq!(Query::of_words(&"a".repeat(201), &[Field::TITLE]), None);
        assert_eq!(Query::of_words(&"a ".repeat(17), &[Field::TITLE]), None);
    }

    #[test]
    fn a_long_text_is_cut_between_letters() {
        let query = Query::plain(&format!("{}ü{}", "-a".repeat(99), "-a".repeat(9999)));
        assert_eq!(query.words()[0].text, format!("{}ü", "-a".repeat(99)));
        let query = Query::plain(&format!("x{}ü", "-a".repeat(99)));
        assert_eq!(query.words()[0].text, format!("x{}", "-a".repeat(99)));
    }
}
