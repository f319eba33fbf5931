//! `?` as PostgreSQL's `$1`, `$2` and so on.

/// The same SQL with numbered placeholders. Those within texts, names and comments stay.
pub(crate) fn numbered(sql: &str) -> String {
    let mut numbered = String::with_capacity(sql.len() + 16);
    let mut rest = sql;
    let mut count = 0;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' => text_length(rest, ends_with_escapes(&numbered)),
            '"' => closed(rest, 1, "\""),
            '-' if rest.starts_with("--") => closed(rest, 2, "\n"),
            '/' if rest.starts_with("/*") => comment_length(rest),
            '$' if !ends_in_word(&numbered) => dollar_length(rest),
            _ => first.len_utf8(),
        };
        let (piece, behind) = rest.split_at(length);
        if piece == "?" {
            count += 1;
            numbered += &format!("${count}");
        } else {
            numbered += piece;
        }
        rest = behind;
    }
    numbered
}

/// How long a stretch is that ends with a mark after so many bytes; all, if it does not end. A
/// doubled quote begins another stretch at once, which comes to the same.
fn closed(text: &str, from: usize, mark: &str) -> usize {
    let behind = text.get(from..).and_then(|behind| behind.find(mark));
    behind.map_or(text.len(), |at| from + at + mark.len())
}

/// The length of a text in quotes; in E'...', a backslash takes the next character along.
fn text_length(text: &str, has_escapes: bool) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = has_escapes,
            '\'' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Whether a text that begins here is E'...'.
fn ends_with_escapes(before: &str) -> bool {
    let mut characters = before.chars().rev();
    let is_e = matches!(characters.next(), Some('e' | 'E'));
    is_e && !characters.next().is_some_and(is_of_word)
}

/// The length of a comment in which others may lie.
fn comment_length(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let next = rest.chars().next().map_or(1, char::len_utf8);
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth = depth.saturating_sub(1);
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += next;
        }
    }
    text.len()
}

/// The length of `$tag$ ... $tag$`; of the `$` alone, if it begins no such text.
fn dollar_length(text: &str) -> usize {
    let tag_end = text.char_indices().skip(1).find(|(_, character)| !is_of_word(*character));
    match tag_end {
        Some((end, '$')) if !text[1..].starts_with(|first: char| first.is_ascii_digit()) => {
            let tag = &text[..=end];
            closed(text, tag.len(), tag)
        }
        _ => 1,
    }
}

fn ends_in_word(before: &str) -> bool {
    before.chars().next_back().is_some_and(|last| is_of_word(last) || last == '$')
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::numbered;

    #[test]
    fn placeholders_are_numbered_from_one() {
        assert_eq!(numbered("INSERT INTO t VALUES (?, ?, ?)"), "INSERT INTO t VALUES ($1, $2, $3)");
        assert_eq!(numbered("a=? AND b<?"), "a=$1 AND b<$2");
        assert_eq!(numbered(""), "");
    }

    #[test]
    fn quoted_ones_stay() {
        for kept in [
            "'what?'",
            "'it''s ?'",
            "\"a?\"",
            "\"a\"\"?\"",
            "-- why?",
            "/* ? /* ? */ ? */",
            "$$?$$",
            "$tag$ ? $$ ? $tag$",
            "E'\\'?'",
            "'unclosed ?",
            "/* unclosed ?",
            "$a$ unclosed ?",
        ] {
            assert_eq!(numbered(kept), kept);
            let behind = numbered(&format!("? {kept}\n"));
            assert_eq!(behind, format!("$1 {kept}\n"));
        }
        assert_eq!(numbered("'\\' ?"), "'\\' $1"); // no E: the backslash is a character
        assert_eq!(numbered("a$b ? $c"), "a$b $1 $c"); // a dollar within a name
        assert_eq!(numbered("name'?' = ?"), "name'?' = $1");
        assert_eq!(numbered("-- why?\n?"), "-- why?\n$1");
        assert_eq!(numbered("$$?$$ ?"), "$$?$$ $1");
    }

    proptest! {
        #[test]
        fn any_text_is_taken(sql in "[?'\"$a1/*\\-\\\\E \n\u{e9}]{0,40}") {
            let made = numbered(&sql);
            prop_assert!(made.len() >= sql.len());
        }

        #[test]
        fn a_quoted_text_hides_all_it_holds(text in "[^']{0,20}") {
            let sql = format!("a = '{text}' AND b = ?");
            prop_assert_eq!(numbered(&sql), format!("a = '{text}' AND b = $1"));
        }
    }
}
