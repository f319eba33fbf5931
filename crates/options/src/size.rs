//! Sizes.

/// Parses bytes such as `4096`, `4K`, `12G`; the units are powers of 1024.
#[must_use]
pub fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let unit: u64 = match text.get(digits.len()..)? {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" | "m" => 1 << 20,
        "G" | "g" => 1 << 30,
        "T" | "t" => 1 << 40,
        _ => return None,
    };
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = is_number.then(|| digits.parse().ok())??;
    number.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_as_people_write_them() {
        assert_eq!(["0", "4K", "12g", "3T"].map(bytes), [0, 4096, 12 << 30, 3 << 40].map(Some));
        for wrong in ["", "K", "-1", "1.5G", "4KiB", "1 G", "99999999999999999999", "9999999999T"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
