//! One line of a grid of values.

/// One line of a grid.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GridLine {
    /// Where it is, as a share of the axis' length.
    pub(crate) share: f64,
    /// The label of a major line; minor lines have none.
    pub(crate) label: Option<String>,
    /// Its label on the right, if there is a right axis.
    pub(crate) right: Option<String>,
}
