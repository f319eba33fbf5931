//! What the variables of an expression stand for.

/// Values on a time grid: the first belongs to the step that *ends* at `start + step`.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// The start of the stretch, seconds.
    pub start_seconds: i64,
    /// Seconds between two values.
    pub step_seconds: u64,
    /// The values; NaN is unknown.
    pub values: &'a [f64],
}

/// What a variable stands for.
#[derive(Clone, Copy, Debug)]
pub enum Variable<'a> {
    /// A series.
    Series(Column<'a>),
    /// One number at all times.
    Constant(f64),
}
