//! The index: finds documents by words.

use crate::field::{Field, Fields};
use crate::fold::{atoms, core};
use crate::lexicon::{Hit, Lexicon};
use crate::mistyped::Mistyped;
use crate::place::Place;
use crate::query::{Query, Word};
use crate::ranking;
use crate::scores::Scores;

/// The score of a word that was mistyped.
const MISTYPED_SCORE: u8 = 3;

/// All documents, by what they contain.
#[derive(Debug)]
pub struct Index {
    atoms: Lexicon,
    compounds: Lexicon,
    labels: Vec<String>,
    name_lengths: Vec<u8>,
}

/// Which of the documents that were found are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many are left out before.
    pub first: usize,
    /// The most that are wanted.
    pub limit: usize,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// How many documents match.
    pub total: usize,
    /// The numbers of those of the page, the best first.
    pub documents: Vec<u32>,
    /// Whether a word was found only as if it were mistyped.
    pub is_mistyped: bool,
}

impl Index {
    pub(crate) fn new(
        atoms: Lexicon,
        compounds: Lexicon,
        labels: Vec<String>,
        mut name_lengths: Vec<u8>,
    ) -> Self {
        name_lengths.shrink_to_fit();
        Self { atoms, compounds, labels, name_lengths }
    }

    /// How many documents there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.name_lengths.len()
    }

    /// The memory that it takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.atoms.memory_bytes() + self.compounds.memory_bytes() + self.name_lengths.capacity()
    }

    /// The field of a label.
    #[must_use]
    pub fn label(&self, name: &str) -> Field {
        let nth = self.labels.iter().position(|label| label == name);
        nth.map_or(Field::MORE_LABELS, Field::of_label)
    }

    /// The query of a text that somebody typed.
    #[must_use]
    pub fn query(&self, text: &str) -> Query {
        Query::parse(text, &self.labels)
    }

    /// The documents that have all words, of those that are accepted. Without words that is each of
    /// them, in their order; else those come first whose name begins with a word, then by how well
    /// the words match, then those with shorter names.
    pub fn search(&self, query: &Query, accepts: impl Fn(u32) -> bool, page: Page) -> Found {
        let accepted = Scores::of(self.count(), accepts);
        let Some((scores, is_mistyped)) = self.scores(query, &accepted) else {
            return Found::default();
        };
        let alike;
        let lengths = match query.is_empty() {
            true => {
                alike = vec![0; self.count()];
                &alike
            }
            false => &self.name_lengths,
        };
        let (total, documents) = ranking::page(&scores, lengths, page.first, page.limit);
        Found { total, documents, is_mistyped: is_mistyped && total > 0 }
    }

    /// The documents that have all words as they are written, of those that are accepted, in their
    /// own order.
    pub fn written(&self, query: &Query, accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        let accepted = Scores::of(self.count(), accepts);
        let scores = all_words(query, &accepted, |word| Some(self.as_written(word)));
        let mut documents = Vec::new();
        if let Some(scores) = scores {
            scores.each_matching(|document, _| documents.push(document as u32));
        }
        documents
    }

    /// The scores of all documents, and whether words count as mistyped; `None` if nothing matches.
    fn scores(&self, query: &Query, accepted: &Scores) -> Option<(Scores, bool)> {
        let written = |word: &Word| Some(self.as_written(word));
        if let Some(scores) = all_words(query, accepted, written) {
            return Some((scores, false));
        }
        let in_parts = |word: &Word| self.in_parts(word, |part| self.as_written(part));
        let meant = |word: &Word| self.in_parts(word, |part| self.as_meant(part));
        let scores = all_words(query, accepted, in_parts);
        let scores = scores.or_else(|| all_words(query, accepted, meant));
        scores.map(|scores| (scores, true))
    }

    /// The documents that contain a word.
    fn as_written(&self, word: &Word) -> Scores {
        let mut scores = Scores::none(self.count());
        let has_one_atom = atoms(&word.text).nth(1).is_none();
        let lexicon = if has_one_atom { &self.atoms } else { &self.compounds };
        let mut best = Best { lexicon, fields: word.fields, last: None };
        lexicon.each_hit(&word.text, |hit| best.take(&hit, &word.text, &mut scores));
        best.finish(&mut scores);
        scores
    }

    /// The documents that contain each part of a word, somewhere; `None` if it has no part.
    fn in_parts(&self, word: &Word, find: impl Fn(&Word) -> Scores) -> Option<Scores> {
        let parts = atoms(&word.text).map(core).filter(|part| !part.is_empty());
        let parts = parts.map(|part| find(&Word { text: part.to_owned(), fields: word.fields }));
        parts.reduce(|mut sum, scores| {
            sum.add(&scores);
            sum
        })
    }

    /// The documents that contain a word, or one that is the same but for one mistake.
    fn as_meant(&self, part: &Word) -> Scores {
        let mut scores = self.as_written(part);
        self.raise_mistyped(part, &mut scores);
        scores
    }

    fn raise_mistyped(&self, word: &Word, scores: &mut Scores) {
        let Some(mistyped) = Mistyped::new(&word.text) else { return };
        for nth in 0..self.atoms.count() {
            let Ok(atom) = std::str::from_utf8(self.atoms.text(nth)) else { continue };
            if mistyped.length_in(core(atom)).is_some() {
                for list in self.atoms.lists(nth).filter(|list| word.fields.has(list.field)) {
                    scores.raise(list.documents, MISTYPED_SCORE);
                }
            }
        }
    }
}

/// The scores of the accepted documents that match all words; `None` if none does.
fn all_words(
    query: &Query,
    accepted: &Scores,
    find: impl Fn(&Word) -> Option<Scores>,
) -> Option<Scores> {
    let Some((first, others)) = query.words().split_first() else { return Some(accepted.clone()) };
    let mut sum = find(first)?;
    sum.add(accepted);
    for word in others {
        if sum.are_none() {
            return None;
        }
        sum.add(&find(word)?);
    }
    (!sum.are_none()).then_some(sum)
}

/// The best place of a word in the last text that has it.
struct Best<'l> {
    lexicon: &'l Lexicon,
    fields: Fields,
    last: Option<At>,
}

#[derive(Clone, Copy)]
struct At {
    nth: usize,
    place: Place,
    /// Whether the text is the word and signs before it.
    is_whole_text: bool,
}

impl Best<'_> {
    fn take(&mut self, hit: &Hit<'_>, word: &str, scores: &mut Scores) {
        let place = Place::of(hit, word);
        let is_whole_text = hit.begin + word.len() == hit.text.len();
        match &mut self.last {
            Some(last) if last.nth == hit.nth => last.place = last.place.max(place),
            _ => {
                self.finish(scores);
                self.last = Some(At { nth: hit.nth, place, is_whole_text });
            }
        }
    }

    /// Tells the documents of the last text.
    fn finish(&mut self, scores: &mut Scores) {
        let Some(At { nth, place, is_whole_text }) = self.last.take() else { return };
        for list in self.lexicon.lists(nth).filter(|list| self.fields.has(list.field)) {
            let score = place.score(list.field, is_whole_text);
            if score > 0 {
                scores.raise(list.documents, score);
            }
        }
    }
}
