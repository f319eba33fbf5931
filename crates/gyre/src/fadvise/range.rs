//! `--range A-B`: a range of a file's bytes.

use pagecache::advise::Stretch;

/// The expected form.
pub(super) const EXPECTED: &str = "A-B, A- or -B, each a number of bytes or one with K, M, G, T or p \
                                   (pages), A before B";

/// Parses `A-B`, `A-` or `-B`: from byte A on, up to byte B, which is not included.
pub(super) fn parse(text: &str) -> Option<Stretch> {
    let (from, to) = text.split_once('-')?;
    if from.is_empty() && to.is_empty() {
        return None;
    }
    let from_bytes = if from.is_empty() { 0 } else { bytes(from)? };
    let to_bytes = if to.is_empty() { None } else { Some(bytes(to)?) };
    let is_forward = to_bytes.is_none_or(|to| from_bytes < to);
    is_forward.then_some(Stretch { from_bytes, to_bytes })
}

fn bytes(text: &str) -> Option<u64> {
    match text.strip_suffix(['p', 'P']) {
        Some(pages) => options::bytes(pages)?.checked_mul(disk::page_bytes() as u64),
        None => options::bytes(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(from_bytes: u64, to_bytes: Option<u64>) -> Option<Stretch> {
        Some(Stretch { from_bytes, to_bytes })
    }

    #[test]
    fn ranges_as_one_writes_them() {
        let page = disk::page_bytes() as u64;
        assert_eq!(parse("0-4096"), stretch(0, Some(4096)));
        assert_eq!(parse("4K-1M"), stretch(4096, Some(1 << 20)));
        assert_eq!(parse("2G-"), stretch(2 << 30, None));
        assert_eq!(parse("-3p"), stretch(0, Some(3 * page)));
        assert_eq!(parse("1p-2p"), stretch(page, Some(2 * page)));
    }

    #[test]
    fn what_is_none() {
        for text in [
            "",
            "-",
            "4096",
            "4096-4096",
            "2M-1M",
            "a-b",
            "1X-",
            "99999999T-",
            "-1-2",
            "1KK-",
            "K-",
            "é-1",
            "+1-2",
            "99999999999999999999-",
            "18446744073709551615G-",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
