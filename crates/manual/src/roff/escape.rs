//! Text as roff has it: no letter of it is a request, and every letter is ASCII.

use std::fmt::Write as _;

/// Text within a line. Where it begins a line, see [`put_lines`].
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\e"),
            '-' => out.push_str("\\-"),
            '\'' => out.push_str("\\(aq"),
            '`' => out.push_str("\\(ga"),
            '^' => out.push_str("\\(ha"),
            '~' => out.push_str("\\(ti"),
            '"' => out.push_str("\\(dq"),
            ' '..='~' => out.push(letter),
            '\n' | '\t' => out.push(' '),
            // A String takes everything.
            other => _ = write!(out, "\\[u{:04X}]", u32::from(other)),
        }
    }
    out
}

/// A full stop at the beginning of a line would be a request.
pub(crate) fn guarded(line: &str) -> String {
    if line.starts_with('.') { format!("\\&{line}") } else { line.to_owned() }
}

/// The widest line of text; mandoc asks for less than 80.
const COLUMNS: usize = 76;
/// The longest word that is never broken.
const WORD: usize = 30;

/// Appends escaped text in lines: at blanks, and at no others than those of the text.
pub(crate) fn put_lines(out: &mut String, text: &str) {
    let mut line = String::new();
    for word in text.split_whitespace().map(breakable) {
        if !line.is_empty() && line.len() + 1 + word.len() > COLUMNS {
            *out += &guarded(&line);
            out.push('\n');
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += &word;
    }
    if !line.is_empty() {
        *out += &guarded(&line);
        out.push('\n');
    }
}

/// A long word that may end a line behind `_` and `/`; no escape of roff has these.
fn breakable(word: &str) -> String {
    match word.len() > WORD {
        true => word.replace('_', "_\\:").replace('/', "/\\:"),
        false => word.to_owned(),
    }
}

/// Appends lines as they are, between the requests that keep them so.
pub(crate) fn put_verbatim(out: &mut String, text: &str) {
    out.push_str(".RS 4\n.nf\n");
    for line in text.trim_end().lines() {
        // An empty line in roff is a request of its own; this is one without.
        let line = if line.trim().is_empty() { "\\&".to_owned() } else { escaped(line.trim_end()) };
        *out += &guarded(&line);
        out.push('\n');
    }
    out.push_str(".fi\n.RE\n");
}

#[cfg(test)]
mod tests {
    use super::{escaped, put_lines, put_verbatim};

    #[test]
    fn no_text_is_a_request() {
        assert_eq!(escaped("a-b \\n 'x' µ"), "a\\-b \\en \\(aqx\\(aq \\[u00B5]");
        let mut out = String::new();
        put_lines(&mut out, &escaped(".so /etc/passwd 'x"));
        put_verbatim(&mut out, "\n.bd\n\n'y\n");
        assert!(out.lines().all(|line| {
            !line.starts_with('\'') && !line.starts_with(".so") && !line.starts_with(".bd")
        }));
        assert!(out.contains("\\&.so"), "{out}");
    }

    #[test]
    fn lines_are_short() {
        let mut out = String::new();
        put_lines(&mut out, &"word ".repeat(60));
        assert!(out.lines().all(|line| line.len() <= 76));
        assert_eq!(out.split_whitespace().count(), 60);
    }
}
