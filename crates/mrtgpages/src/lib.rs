//! The HTML pages that MRTG and its indexmaker write, for sites that publish them. This crate is
//! pure: it makes texts, and knows no store and no file.
//!
//! ```text
//!  mrtg::Target ──▶ Places: the names of its files, and the links among them
//!  rows of a database ──▶ Summary: maximum, average, current
//!                                 both ──▶ page: HTML      PageTop ──▶ heading ──▶ index: HTML
//! ```
//!
//! What other programs read is as MRTG 2.17.10 has it, which is known from running it: names of
//! files, the comments with numbers, classes, links. The rest of the markup is our own.

mod period;
mod places;
mod summary;
mod amount;
mod html;
mod style;
mod comments;
mod times;
mod page;
mod heading;
mod index;

pub use index::{Entry, Index};
pub use page::{Page, Picture, update_mark};
pub use period::PERIODS;
pub use places::{Places, PlacesError};
pub use summary::{Ratios, Reading, Summary, Window};
pub use times::expires;
