//! Rows of one source of one archive.

const MICROS_PER_SECOND: u64 = 1_000_000;

/// Consecutive rows of one source.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The name of the database.
    pub name: &'a str,
    /// The name of the source, or of what was calculated.
    pub source: &'a str,
    /// The consolidation function.
    pub function: &'a str,
    /// The length of a row.
    pub row_micros: u64,
    /// When the first row ends, microseconds since 1970.
    pub first_end_micros: i64,
    /// The values; NaN is unknown.
    pub values: &'a [f64],
}

impl Rows<'_> {
    /// When each row ends, microseconds since 1970, and its value; `None` where it is unknown.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (i64, Option<f64>)> {
        let (first, step) = (self.first_end_micros, self.row_micros as i64);
        let times = (0..).map(move |nth: i64| first.saturating_add(nth.saturating_mul(step)));
        times.zip(self.values.iter().map(|value| (!value.is_nan()).then_some(*value)))
    }

    /// The length of a row as text: `300` or `0.1`.
    pub(crate) fn row_seconds_text(&self) -> String {
        match self.row_micros % MICROS_PER_SECOND {
            0 => (self.row_micros / MICROS_PER_SECOND).to_string(),
            _ => format!("{}", self.row_seconds()),
        }
    }

    /// The length of a row.
    pub(crate) fn row_seconds(&self) -> f64 {
        self.row_micros as f64 / MICROS_PER_SECOND as f64
    }
}

/// A time as text: `2024-01-01T00:05:00Z`, with a fraction where it has one.
pub(crate) fn time_text(micros: i64) -> String {
    match jiff::Timestamp::from_microsecond(micros) {
        Ok(time) => time.to_string(),
        Err(_) => micros.to_string(), // years that no calendar has
    }
}

#[cfg(test)]
mod tests {
    use super::time_text;

    #[test]
    fn times_are_utc() {
        assert_eq!(time_text(1_704_067_500_000_000), "2024-01-01T00:05:00Z");
        assert_eq!(time_text(1_704_067_500_100_000), "2024-01-01T00:05:00.1Z");
        assert_eq!(time_text(1_704_067_500_000_010), "2024-01-01T00:05:00.00001Z");
        assert_eq!(time_text(-1_000_000), "1969-12-31T23:59:59Z");
    }
}
