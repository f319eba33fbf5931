//! Help: options beside what they do, in lines of a width.

use crate::OptionRule;

/// Where the help on options stands.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// The column in which the words on an option begin.
    pub indent: usize,
    /// Columns of a line.
    pub width: usize,
}

/// Appends each option of a table with the words on it. An option whose name leaves no two blanks
/// before these words has them in the next line.
pub fn append_options(text: &mut String, rules: &[OptionRule], columns: Columns) {
    let Columns { indent, width } = columns;
    for rule in rules {
        let letter = rule.short.map_or("    ".to_owned(), |letter| format!("-{letter}, "));
        let value = rule.value.map(|value| format!(" {value}")).unwrap_or_default();
        let head = format!("  {letter}--{}{value}", rule.long);
        if head.chars().count() + 2 > indent {
            *text += &format!("{head}\n{:indent$}", "");
        } else {
            *text += &format!("{head:<indent$}");
        }
        wrap(text, rule.help, width, indent);
    }
}

/// Appends words in lines of at most `width` columns; the first goes on where the text ends, which is
/// column `indent`, and the others begin there.
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
    use crate::OptionRule;

    #[test]
    fn names_stand_apart_from_words() {
        let rule =
            |long, short, value| OptionRule { long, short, value, help: "one two three four" };
        let rules = [
            rule("at", Some('a'), None),
            rule("fits-yes", None, None),
            rule("fits-not", None, Some("V")),
        ];
        let mut text = String::new();
        append_options(&mut text, &rules, Columns { indent: 18, width: 31 });
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
