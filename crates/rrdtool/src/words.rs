//! A line of the pipe mode, taken apart into words.

/// The words of a line: blanks stand between them, `'…'` and `"…"` hold blanks together; within
/// them, and outside, no character escapes another. `None` if a quote is not closed.
///
/// `text` is rewritten without quotes, so that words can point into it.
pub(crate) fn split<'a>(line: &str, text: &'a mut String) -> Option<Vec<&'a str>> {
    text.clear();
    let mut ends = Vec::new();
    let mut quote = None;
    let mut is_open = false;
    for letter in line.chars() {
        match (quote, letter) {
            (Some(closing), _) if letter == closing => quote = None,
            (Some(_), _) => text.push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                is_open = true;
            }
            (None, ' ') => {
                if is_open {
                    ends.push(text.len());
                }
                is_open = false;
            }
            (None, _) => {
                text.push(letter);
                is_open = true;
            }
        }
    }
    if is_open {
        ends.push(text.len());
    }
    if quote.is_some() {
        return None;
    }
    let mut start = 0;
    let words = ends.into_iter().map(|end| {
        let word = text.get(start..end).unwrap_or_default();
        start = end;
        word
    });
    Some(words.collect())
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn quotes_hold_together() {
        let mut text = String::new();
        let words = split(r#"  update "a b".rrd '' 'x"y' N:1"#, &mut text);
        assert_eq!(words.unwrap(), ["update", "a b.rrd", "", "x\"y", "N:1"]);
        assert_eq!(split("   ", &mut text), Some(vec![]));
        assert_eq!(split("last 'a", &mut text), None);
        assert_eq!(split("last\ta", &mut text), Some(vec!["last\ta"]));
    }
}
