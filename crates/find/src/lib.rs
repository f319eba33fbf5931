//! A search index over documents that have a name, a title, a device, a remark, an address and
//! labels: every target of a configuration, or every database of a store.
//!
//! ```text
//!  documents ──▶ Builder ──▶ Index:  atoms      "site01" "-core1" "_7"  ──▶ documents by field
//!                                    compounds  "site01-core1_7"        ──▶ documents by field
//!  words     ──▶ Query   ──▶ memmem over one of both texts ──▶ a byte of score for each document
//!                        ──▶ the best documents of a page, and how many there are
//! ```
//!
//! A text is cut at white space into chunks, and a chunk into *atoms*: letters and digits, with the
//! signs before them. The same atoms come again and again, so that all of them are a text of a
//! megabyte, which is looked through in a tenth of a millisecond. A word of one atom that stands
//! somewhere in a chunk stands within one of its atoms; a word with signs between letters is looked
//! for among the chunks of several atoms, the *compounds*. So a search finds every document that
//! contains all words, at any place, and says in microseconds how good the place is.
//!
//! The index keeps no text of a document as a whole: the caller has it, by the document's number.
#![forbid(unsafe_code)]

mod too_large;
mod field;
mod fold;
mod postings;
mod lexicon;
mod recent;
mod builder;
mod query;
mod mistyped;
mod place;
mod scores;
mod ranking;
mod index;
mod marks;

pub use builder::{Builder, Document};
pub use field::Field;
pub use index::{Found, Index, Page};
pub use marks::{FieldText, Mark};
pub use query::{Query, Word};
pub use too_large::TooLarge;
