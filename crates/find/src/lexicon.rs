//! Different texts, each with the documents that have it, by field.

use std::hash::BuildHasher as _;
use std::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use memchr::memmem::Finder;
use varint::{Cursor, put_varint};

use crate::field::Field;
use crate::postings::Making;
use crate::too_large::TooLarge;

/// Stands behind each text: no chunk has white space in it.
const END: u8 = b'\n';

/// Texts one behind the other, and lists of documents in the same order.
#[derive(Debug)]
pub(crate) struct Lexicon {
    text: Vec<u8>,
    /// Where each text ends.
    ends: Vec<u32>,
    lists: Vec<u8>,
    /// Where the lists of each text end.
    list_ends: Vec<u32>,
}

/// A lexicon in the making.
#[derive(Debug, Default)]
pub(crate) struct LexiconBuilder {
    text: Vec<u8>,
    ends: Vec<u32>,
    numbers: HashTable<Numbered>,
    hasher: RandomState,
    lists: Vec<List>,
    /// The first list of each text.
    first: Vec<u32>,
}

/// A text that has a number. With its hash beside it, a growing table looks at no text again.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    hash: u32,
    nth: u32,
}

/// The position of a list among those of a lexicon in the making.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListId(u32);

/// The documents that have a text in one field.
#[derive(Debug)]
struct List {
    field: Field,
    /// Of the same text in another field.
    next: Option<u32>,
    documents: Making,
}

fn stretch(ends: &[u32], nth: usize) -> Range<usize> {
    let begin = nth.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |end| *end);
    let end = ends.get(nth).map_or(begin, |end| *end);
    begin as usize..end as usize
}

/// The text with this number, without what stands behind it.
fn text_of<'t>(text: &'t [u8], ends: &[u32], nth: usize) -> &'t [u8] {
    let whole = text.get(stretch(ends, nth)).unwrap_or_default();
    whole.strip_suffix(&[END]).unwrap_or(whole)
}

impl LexiconBuilder {
    /// The list of the documents that have this text in a field.
    ///
    /// # Errors
    /// There are more texts than 32 bits can count.
    pub(crate) fn list(&mut self, text: &str, field: Field) -> Result<ListId, TooLarge> {
        let nth = self.number(text)?;
        let mut at = self.first.get(nth as usize).copied().filter(|first| *first != u32::MAX);
        while let Some((id, list)) = at.and_then(|at| Some((at, self.lists.get(at as usize)?))) {
            if list.field == field {
                return Ok(ListId(id));
            }
            at = list.next;
        }
        let new = u32::try_from(self.lists.len()).map_err(|_| TooLarge)?;
        if let Some(first) = self.first.get_mut(nth as usize) {
            let next = (*first != u32::MAX).then_some(*first);
            self.lists.push(List { field, next, documents: Making::default() });
            *first = new;
        }
        Ok(ListId(new))
    }

    /// Adds a document to a list. Documents come in rising order.
    pub(crate) fn push(&mut self, list: ListId, document: u32) {
        if let Some(list) = self.lists.get_mut(list.0 as usize) {
            list.documents.push(document);
        }
    }

    fn number(&mut self, text: &str) -> Result<u32, TooLarge> {
        // The half of a hash that is kept is all that the table is given.
        let hash = self.hasher.hash_one(text.as_bytes()) as u32;
        let is_it = |it: &Numbered| {
            it.hash == hash && text_of(&self.text, &self.ends, it.nth as usize) == text.as_bytes()
        };
        if let Some(known) = self.numbers.find(spread(hash), is_it) {
            return Ok(known.nth);
        }
        let nth = u32::try_from(self.ends.len()).map_err(|_| TooLarge)?;
        self.text.extend_from_slice(text.as_bytes());
        self.text.push(END);
        self.ends.push(u32::try_from(self.text.len()).map_err(|_| TooLarge)?);
        self.first.push(u32::MAX);
        self.numbers.insert_unique(spread(hash), Numbered { hash, nth }, |it| spread(it.hash));
        Ok(nth)
    }

    /// The whole lexicon.
    ///
    /// # Errors
    /// Its lists take more than 4 GiB.
    pub(crate) fn finish(self) -> Result<Lexicon, TooLarge> {
        let Self { mut text, mut ends, first, lists, numbers, .. } = self;
        drop(numbers);
        let mut lists: Vec<Option<List>> = lists.into_iter().map(Some).collect();
        let (mut bytes, mut list_ends) = (Vec::new(), Vec::with_capacity(first.len()));
        for first in first {
            let mut at = Some(first);
            while let Some(list) = at.and_then(|at| lists.get_mut(at as usize)?.take()) {
                let documents = list.documents.finish();
                bytes.push(list.field.number());
                put_varint(documents.len() as u64, &mut bytes);
                bytes.extend_from_slice(&documents);
                at = list.next;
            }
            list_ends.push(u32::try_from(bytes.len()).map_err(|_| TooLarge)?);
        }
        text.shrink_to_fit();
        ends.shrink_to_fit();
        bytes.shrink_to_fit();
        Ok(Lexicon { text, ends, lists: bytes, list_ends })
    }
}

/// Half a hash as a whole one: a table looks at both ends of it.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A place where a word stands in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit<'l> {
    /// The number of the text.
    pub(crate) nth: usize,
    pub(crate) text: &'l [u8],
    /// Where the word begins in it.
    pub(crate) begin: usize,
}

impl Lexicon {
    /// How many texts there are.
    pub(crate) fn count(&self) -> usize {
        self.ends.len()
    }

    /// The text with this number.
    pub(crate) fn text(&self, nth: usize) -> &[u8] {
        text_of(&self.text, &self.ends, nth)
    }

    /// Every place where a word stands, in the order of the texts.
    pub(crate) fn each_hit(&self, word: &str, mut take: impl FnMut(Hit<'_>)) {
        let (mut nth, mut range) = (0, stretch(&self.ends, 0));
        for at in Finder::new(word).find_iter(&self.text) {
            if at >= range.end {
                nth = self.text_at(at, nth);
                range = stretch(&self.ends, nth);
            }
            let text = self.text.get(range.start..range.end - 1).unwrap_or_default();
            take(Hit { nth, text, begin: at - range.start });
        }
    }

    /// The number of the text at a position, which is behind the text `from`. It is mostly near.
    fn text_at(&self, at: usize, from: usize) -> usize {
        let is_before = |end: &u32| *end as usize <= at;
        let (mut low, mut step) = (from + 1, 1);
        while self.ends.get(low + step).is_some_and(is_before) {
            low += step;
            step *= 2;
        }
        let near = self.ends.get(low..(low + step + 1).min(self.ends.len())).unwrap_or_default();
        low + near.partition_point(is_before)
    }

    /// The lists of a text: the field of each, and its bytes.
    pub(crate) fn lists(&self, nth: usize) -> impl Iterator<Item = FieldList<'_>> {
        let bytes = self.lists.get(stretch(&self.list_ends, nth)).unwrap_or_default();
        let mut cursor = Cursor::new(bytes);
        std::iter::from_fn(move || {
            let field = Field::numbered(cursor.byte("a field").ok()?)?;
            let length = usize::try_from(cursor.varint("a length").ok()?).ok()?;
            Some(FieldList { field, documents: cursor.take(length, "a list").ok()? })
        })
    }

    /// The memory that it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let ends = self.ends.capacity() + self.list_ends.capacity();
        self.text.capacity() + self.lists.capacity() + ends * size_of::<u32>()
    }
}

/// The documents that have a text in a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldList<'l> {
    pub(crate) field: Field,
    /// See [`crate::postings::runs`].
    pub(crate) documents: &'l [u8],
}

#[cfg(test)]
mod tests {
    use super::LexiconBuilder;
    use crate::field::Field;
    use crate::postings::runs;

    #[test]
    fn words_are_found_at_every_place_and_lead_to_documents() {
        let mut builder = LexiconBuilder::default();
        for (text, document) in [("core", 0), ("score", 1), ("other", 2), ("core", 3)] {
            let list = builder.list(text, Field::NAME).expect("it is small");
            builder.push(list, document);
        }
        let list = builder.list("core", Field::TITLE).expect("it is small");
        builder.push(list, 3);
        let lexicon = builder.finish().expect("it is small");
        let mut hits = Vec::new();
        lexicon.each_hit("ore", |hit| hits.push((hit.nth, hit.text.to_vec(), hit.begin)));
        assert_eq!(hits, [(0, b"core".to_vec(), 1), (1, b"score".to_vec(), 2)]);
        let mut hits = 0;
        lexicon.each_hit("the", |hit| hits += usize::from(hit.nth == 2 && hit.text == b"other"));
        assert_eq!(hits, 1);
        let lists: Vec<_> = lexicon.lists(0).collect();
        let of = |field| lists.iter().find(|list| list.field == field).expect("a list").documents;
        assert_eq!(runs(of(Field::NAME)).collect::<Vec<_>>(), [0..1, 3..4]);
        assert_eq!(runs(of(Field::TITLE)).flatten().collect::<Vec<_>>(), [3]);
    }
}
