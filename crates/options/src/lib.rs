//! Command lines as data: each option is a typed [`Row`] with its name, its description and its
//! setter.
//!
//! ```text
//!   rows ──▶ CommandLine::read ──▶ settings, operands   gyre's own verbs: any bytes, gyre's errors
//!        ──▶ getopt::read      ──▶ settings, operands   rrdtool, rrdgraph, rrdcached: their errors
//!        ──▶ help, Described                            the same rows
//! ```

mod row;
mod command_line;
mod described;
mod value;
mod misuse;
mod size;
pub mod getopt;
pub mod help;

pub use command_line::{CommandLine, texts};
pub use described::{Described, HELP};
pub use misuse::Misuse;
pub use row::{Naming, Row, checked, joined, namings, option, switch};
pub use size::bytes;
pub use value::Value;

/// An option of gyre's own verbs, which sets something in a `T`.
pub type OwnRow<T> = Row<T, Value, Misuse>;
