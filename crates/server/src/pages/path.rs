//! URLs within the site.

use crate::period::Period;

/// A target's page.
#[must_use]
pub fn target(name: &str) -> String {
    format!("/t/{}", percent_encode(name))
}

/// A device's page.
pub(super) fn device(name: &str) -> String {
    format!("/device/{}", percent_encode(name))
}

/// A graph of a target; `query` begins with `?` or is empty.
pub(super) fn graph(name: &str, period: Period, query: &str) -> String {
    format!("/graph/{}/{}.svg{query}", percent_encode(name), period.name())
}

/// A graph of a target as PNG, for use outside the site.
pub(super) fn graph_png(name: &str, period: Period) -> String {
    format!("/graph/{}/{}.png", percent_encode(name), period.name())
}

/// Text as one segment of a path or one value of a query.
pub(crate) fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            // `.` and `..` alone would mean directories.
            b'.' if text.len() > 2 => encoded.push('.'),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::percent_encode;

    #[test]
    fn names_stay_one_segment() {
        assert_eq!(percent_encode("router_1.example"), "router_1.example");
        assert_eq!(percent_encode("a/b c?d#e%"), "a%2Fb%20c%3Fd%23e%25");
        assert_eq!(percent_encode(".."), "%2E%2E");
        assert_eq!(percent_encode("ü"), "%C3%BC");
    }
}
