//! A fast parser for rows as a dump writes them, because nearly all of a dump is rows.

/// Parses rows from the start of `text` for as long as they look exactly as in a dump: comments,
/// and `<row><v>NUMBER</v>…</row>` with one value for each source. Returns the number of bytes
/// parsed. The general XML parser handles the rest, and reports errors.
pub(super) fn take(text: &str, sources: usize, rows: &mut Vec<f64>) -> usize {
    let mut taken = 0;
    while let Some(length) = text.get(taken..).and_then(|rest| row(rest, sources, rows)) {
        taken += length;
    }
    taken
}

/// Parses one row; if there is none, `rows` is unchanged.
fn row(text: &str, sources: usize, rows: &mut Vec<f64>) -> Option<usize> {
    let before = rows.len();
    let rest = values(opened(text)?, sources, rows);
    if rest.is_none() {
        rows.truncate(before);
    }
    rest.map(|rest| text.len() - rest.len())
}

/// The text after `<row>`; blanks and comments before it are skipped.
fn opened(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        match rest.strip_prefix("<!--") {
            // In XML, comments contain no `--`: others are left to the general parser.
            Some(comment) => {
                let end = comment.find("--")?;
                rest = comment.get(end + 2..)?.strip_prefix('>')?;
            }
            None => return rest.strip_prefix("<row>"),
        }
    }
}

fn values<'a>(text: &'a str, sources: usize, rows: &mut Vec<f64>) -> Option<&'a str> {
    let mut rest = text;
    for _ in 0..sources {
        let inner = rest.trim_ascii_start().strip_prefix("<v>")?;
        let end = inner.bytes().position(|byte| byte == b'<')?;
        let number = inner.get(..end)?.trim_ascii();
        if number.contains('&') {
            return None;
        }
        let rrd::number::Parsed::Whole(value) = rrd::number::parse(number) else { return None };
        rows.push(value);
        rest = inner.get(end..)?.strip_prefix("</v>")?;
    }
    rest.trim_ascii_start().strip_prefix("</row>")
}

#[cfg(test)]
mod tests {
    use super::take;

    #[test]
    fn takes_whole_rows_only() {
        let mut rows = Vec::new();
        let text = "\n <!-- 2001 / 1 --> <row><v>1.5e+00</v><v> NaN </v></row>\n<row><v>2</v> \
                    <v>-3</v></row> <row><v>4</v></row>";
        let taken = take(text, 2, &mut rows);
        assert_eq!(&text[taken..], " <row><v>4</v></row>");
        assert_eq!(rows[0], 1.5);
        assert!(rows[1].is_nan());
        assert_eq!(rows[2..], [2.0, -3.0]);
        for text in [
            "<row><v>1</v></row",
            "<row><v>1&amp;</v></row>",
            "<row><v>x</v></row>",
            "<row a='1'><v>1</v></row>",
            "<row><v>1</v><v>1</v></row>",
            "<row><!-- x --><v>1</v></row>",
            "<!-- a -- b --><row><v>1</v></row>",
            "<row><v></v></row>",
            "</database>",
            "",
        ] {
            assert_eq!(take(text, 1, &mut Vec::new()), 0, "{text}");
        }
    }
}
