//! Parts of a document.

/// The text below a heading of the second level (`## HEADING`), to the next of its kind; `None` if
/// there is no such heading.
#[must_use]
pub fn section<'a>(document: &'a str, heading: &str) -> Option<&'a str> {
    let is_it = |line: &str| line.strip_prefix("## ") == Some(heading);
    let mut place = 0;
    let mut begin = None;
    for line in document.split_inclusive('\n') {
        let bare = line.trim_end();
        match begin {
            None if is_it(bare) => begin = Some(place + line.len()),
            Some(begin) if bare.starts_with("## ") => return document.get(begin..place),
            _ => {}
        }
        place += line.len();
    }
    begin.and_then(|begin| document.get(begin..))
}

#[cfg(test)]
mod tests {
    use super::section;

    #[test]
    fn a_section_ends_before_the_next() {
        let document = "# A\n\n## one\nx\n### deeper\ny\n## two\nz\n";
        assert_eq!(section(document, "one"), Some("x\n### deeper\ny\n"));
        assert_eq!(section(document, "two"), Some("z\n"));
        assert_eq!(section(document, "on"), None);
    }
}
