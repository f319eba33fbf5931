//! The language of a table.

/// The language of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// XML.
    Xml {
        /// Whether the tags of values are numbered: `v0`, `v1`.
        numbered: bool,
    },
    /// JSON.
    Json,
    /// A line a row, with this between the values.
    Separated(u8),
}
