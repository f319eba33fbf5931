//! What can be wrong about rules.

use rrd::spec::SpecError;

/// Why rules cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WrongRule {
    /// A rule, counted from 1.
    #[error("[[layout]] {nth}: {why}")]
    Rule {
        /// Which one.
        nth: usize,
        /// What is wrong about it.
        why: Box<Self>,
    },
    /// It is too long, or empty.
    #[error("{text:?}: expected a name, in which * stands for a part and ** for anything")]
    Pattern {
        /// The pattern.
        text: String,
    },
    /// The layout makes no database.
    #[error("{0}")]
    Layout(#[from] SpecError),
    /// A rule that drops has a layout, too.
    #[error("expected either `drop = true` or a layout, found both")]
    Both,
}
