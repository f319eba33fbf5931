//! Spans of time as boards write them: `30s`, `5m`, `6h`, `7d`.

const UNITS: [(char, u64); 5] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86400), ('w', 604_800)];

/// A span that is asked for, and its bounds.
pub(super) struct LongSpan {
    pub(super) key: &'static str,
    pub(super) least: &'static str,
    pub(super) most: &'static str,
    pub(super) default: &'static str,
}

impl LongSpan {
    /// The seconds of a span within the bounds.
    pub(super) fn read(&self, text: &str) -> Option<u64> {
        let bounds = seconds_of(self.least)?..=seconds_of(self.most)?;
        seconds_of(text).filter(|seconds| bounds.contains(seconds))
    }
}

/// The seconds of a span.
pub(super) fn seconds_of(text: &str) -> Option<u64> {
    let letter = text.chars().next_back()?;
    let (_, unit_seconds) = UNITS.into_iter().find(|(unit, _)| *unit == letter)?;
    let digits = text.strip_suffix(letter)?;
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = is_plain.then(|| digits.parse().ok())??;
    number.checked_mul(unit_seconds)
}

#[cfg(test)]
mod tests {
    use super::seconds_of;

    #[test]
    fn a_span_is_a_number_and_a_unit() {
        assert_eq!(seconds_of("30s"), Some(30));
        assert_eq!(seconds_of("2w"), Some(1_209_600));
        for wrong in ["", "s", "5", "-5s", "+5s", "5 s", "5ü", "1.5h", "99999999999999999999d"] {
            assert_eq!(seconds_of(wrong), None, "{wrong}");
        }
    }
}
