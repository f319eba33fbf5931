//! Where the words of a query stand in the texts of a document.

use std::ops::Range;

use crate::field::Field;
use crate::fold::{atoms, core, lowered};
use crate::mistyped::Mistyped;
use crate::query::{Query, Word};

/// A text of a document.
#[derive(Clone, Copy, Debug)]
pub struct FieldText<'t> {
    /// Which one.
    pub field: Field,
    /// As it was given to the index.
    pub text: &'t str,
}

/// A stretch of a text that a word found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Which of the texts, by its position.
    pub text: usize,
    /// Its bytes.
    pub bytes: Range<usize>,
}

impl Query {
    /// Where the words stand in the texts of a document that was found, in the order of the texts.
    /// No two marks meet.
    #[must_use]
    pub fn marks(&self, texts: &[FieldText<'_>]) -> Vec<Mark> {
        let texts: Vec<Folded> = texts.iter().map(Folded::new).collect();
        let mut marks: Vec<Mark> = self.words().iter().flat_map(|it| marks(it, &texts)).collect();
        marks.sort_by_key(|mark| (mark.text, mark.bytes.start));
        marks.dedup_by(|later, earlier| {
            let meets = later.text == earlier.text && later.bytes.start <= earlier.bytes.end;
            if meets {
                earlier.bytes.end = earlier.bytes.end.max(later.bytes.end);
            }
            meets
        });
        marks
    }
}

/// The places of a word; if it is nowhere, those of its atoms, as they were typed or meant.
fn marks(word: &Word, texts: &[Folded]) -> Vec<Mark> {
    let written = as_written(word, texts);
    if !written.is_empty() {
        return written;
    }
    let parts = atoms(&word.text).map(core).filter(|part| !part.is_empty());
    let parts = parts.map(|part| Word { text: part.to_owned(), fields: word.fields });
    parts.flat_map(|part| as_meant(&part, texts)).collect()
}

fn as_meant(part: &Word, texts: &[Folded]) -> Vec<Mark> {
    let written = as_written(part, texts);
    match Mistyped::new(&part.text) {
        Some(mistyped) if written.is_empty() => {
            in_each(part, texts, |folded| folded.mistyped(&mistyped))
        }
        _ => written,
    }
}

fn as_written(word: &Word, texts: &[Folded]) -> Vec<Mark> {
    in_each(word, texts, |folded| {
        let places = folded.lowered.match_indices(&word.text);
        places.map(|(begin, text)| begin..begin + text.len()).collect()
    })
}

fn in_each(
    word: &Word,
    texts: &[Folded],
    places: impl Fn(&Folded) -> Vec<Range<usize>>,
) -> Vec<Mark> {
    let wanted = texts.iter().enumerate().filter(|(_, folded)| word.fields.has(folded.field));
    let marks = wanted.flat_map(|(text, folded)| {
        let places = places(folded).into_iter();
        places.map(move |place| Mark { text, bytes: folded.original(&place) })
    });
    marks.collect()
}

/// A text in lower case, whose letters know their places in the text as it is shown.
struct Folded {
    field: Field,
    lowered: String,
    /// The original place of each byte, and of the end; empty if they are the same.
    places: Vec<usize>,
}

impl Folded {
    fn new(FieldText { field, text }: &FieldText<'_>) -> Self {
        if text.is_ascii() {
            return Self { field: *field, lowered: lowered(text), places: Vec::new() };
        }
        let (mut lowered, mut places) = (String::new(), Vec::new());
        for (at, letter) in text.char_indices() {
            lowered.extend(letter.to_lowercase());
            places.resize(lowered.len(), at);
        }
        places.push(text.len());
        Self { field: *field, lowered, places }
    }

    fn original(&self, Range { start, end }: &Range<usize>) -> Range<usize> {
        let original = |at: usize| self.places.get(at).copied().unwrap_or(at);
        original(*start)..original(*end)
    }

    /// The places of what a mistyped word means.
    fn mistyped(&self, mistyped: &Mistyped) -> Vec<Range<usize>> {
        let base = self.lowered.as_ptr().addr();
        let chunks = self.lowered.split_whitespace().flat_map(atoms).map(core);
        let found = chunks.filter_map(|atom| {
            let begin = atom.as_ptr().addr() - base;
            let letters = mistyped.length_in(atom)?;
            let bytes = atom.char_indices().nth(letters).map_or(atom.len(), |(at, _)| at);
            Some(begin..begin + bytes)
        });
        found.collect()
    }
}
