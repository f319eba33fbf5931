//! Formats help: options and their descriptions, wrapped to a width.

use crate::Naming;

/// The columns of a help text.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// The column in which descriptions begin.
    pub indent: usize,
    /// The width of a line.
    pub width: usize,
}

/// Appends each option with its description. If the name leaves less than two blanks before the
/// description, the description begins in the next line.
pub fn append_options<'a>(
    text: &mut String,
    options: impl IntoIterator<Item = &'a Naming>,
    columns: Columns,
) {
    let Columns { indent, width } = columns;
    for Naming { long, short, value, help } in options {
        let letter = short.map_or("    ".to_owned(), |letter| format!("-{letter}, "));
        let value = value.map(|value| format!(" {value}")).unwrap_or_default();
        let head = format!("  {letter}--{long}{value}");
        if head.chars().count() + 2 > indent {
            *text += &format!("{head}\n{:indent$}", "");
        } else {
            *text += &format!("{head:<indent$}");
        }
        wrap(text, help, width, indent);
    }
}

/// Appends words in lines of at most `width` columns. The first line continues the text, which ends
/// at column `indent`; the others begin there.
pub fn wrap(text: &mut String, words: &str, width: usize, indent: usize) {
    let mut column = indent;
    for (nth, word) in words.split_whitespace().enumerate() {
        let length = word.chars().count();
        if nth > 0 && column + 1 + length > width {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if nth > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::{Columns, append_options};
    use crate::Naming;

    #[test]
    fn names_stand_apart_from_words() {
        let naming = |long, short, value| Naming { long, short, value, help: "one two three four" };
        let options = [
            naming("at", Some('a'), None),
            naming("fits-yes", None, None),
            naming("fits-not", None, Some("V")),
        ];
        let mut text = String::new();
        append_options(&mut text, &options, Columns { indent: 18, width: 31 });
        let expected = "  -a, --at        one two three
                  four
      --fits-yes  one two three
                  four
      --fits-not V
                  one two three
                  four
";
        assert_eq!(text, expected);
    }
}
