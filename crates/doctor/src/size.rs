//! Bytes and numbers as one reads them.

/// Bytes with a binary unit.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1 << 10 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut nth = 0;
    while value >= 1023.95 && nth + 1 < UNITS.len() {
        value /= 1024.0;
        nth += 1;
    }
    let text = format!("{value:.1}");
    format!("{} {}", text.strip_suffix(".0").unwrap_or(&text), UNITS[nth])
}

/// A whole number with commas between thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things.
pub(crate) fn many(number: u64, one: &str, more: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{} {more}", count(number)) }
}

#[cfg(test)]
mod tests {
    use super::{count, many, size};

    #[test]
    fn figures_are_readable() {
        assert_eq!(size(999), "999 B");
        assert_eq!(size(128 << 10), "128 KiB");
        assert_eq!(size((1 << 30) - 1), "1 GiB");
        assert_eq!(size(1_500_000_000), "1.4 GiB");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(
            (many(1, "file", "files"), many(2, "file", "files")),
            ("1 file".into(), "2 files".into())
        );
    }
}
