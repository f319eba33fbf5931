//! Series as query languages see them: labels, rows at even steps, and a source that has them.
//!
//! A round robin database has a series for each of its data sources and consolidation functions. A
//! query language (`promql`, `graphite`) asks a [`Source`] for series whose labels match, and
//! calculates with their rows. It knows neither stores nor databases; the source knows no language.

mod labels;
mod literals;
mod matcher;
mod rows;
mod source;
mod path;

pub use labels::{Label, Labels, METRIC_NAME};
pub use matcher::{Comparison, Matcher, WrongPattern};
pub use path::{Node, PathPart, PathPattern, Paths, SelectedPath};
pub use rows::{Rows, Span};
pub use source::{Described, Kind, Preferred, Selected, Source, Unanswered, Window};
