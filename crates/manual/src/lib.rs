//! What a machine has of a program besides the program: man pages, and completions of shells. Both
//! are made from the tables that the options are read by.
//!
//! ```text
//!   options::Described ──┬─▶ Page ──▶ roff       man pages
//!   docs/*.md ───────────┘       └──▶ Markdown   the same, for a site
//!   options::Described ─────────────▶ completions::{bash, zsh, fish}
//! ```

mod page;
mod links;
mod roff;
mod sections;
mod text;
pub mod completions;

pub use links::{Links, Target, linked};
pub use page::{Edition, Page};
pub use sections::section;
