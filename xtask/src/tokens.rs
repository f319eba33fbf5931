//! Splits Rust source into tokens, as far as the search needs: comments are left out, a literal is
//! one token, and items marked `#[cfg(test)]` can be removed.

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) text: &'t str,
    /// The line on which it begins, from 1.
    pub(crate) line: usize,
}

/// The tokens of a source, in order.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let length = length_of(rest, first);
        let is_comment = rest.starts_with("//") || rest.starts_with("/*");
        if !first.is_whitespace() && !is_comment {
            found.push(Token { text: &rest[..length], line });
        }
        line += rest[..length].matches('\n').count();
        at += length;
    }
    found
}

/// The length in bytes of the token, comment or space at the start of `rest`.
fn length_of(rest: &str, first: char) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return comment_length(rest);
    }
    if let Some(length) = raw_string_length(rest) {
        return length;
    }
    let prefix = ["b\"", "c\"", "b'"].iter().any(|it| rest.starts_with(it)) as usize;
    match rest.as_bytes()[prefix] {
        b'"' => return prefix + quoted_length(&rest[prefix..], '"'),
        b'\'' if prefix == 1 || is_character(rest) => {
            return prefix + quoted_length(&rest[prefix..], '\'');
        }
        _ => {}
    }
    if rest.starts_with("->") || rest.starts_with("=>") {
        return 2; // their `>` closes nothing
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    if is_part(first) {
        return rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    }
    first.len_utf8()
}

/// The length of a block comment, which may be nested.
fn comment_length(rest: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            (at, depth) = (at + 2, depth + 1);
        } else if here.starts_with(b"*/") {
            (at, depth) = (at + 2, depth - 1);
        } else {
            at += 1;
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of `r"…"`, `br"…"`, `r#"…"#` and so on; `None` if there is no such literal.
fn raw_string_length(rest: &str) -> Option<usize> {
    let prefix = ["r", "br", "cr"].iter().find(|it| {
        rest.strip_prefix(**it).is_some_and(|after| after.trim_start_matches('#').starts_with('"'))
    })?;
    let after = &rest[prefix.len()..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    let close = format!("\"{}", "#".repeat(hashes));
    let body = prefix.len() + hashes + 1;
    let length = rest[body..].find(&close).map(|at| body + at + close.len());
    Some(length.unwrap_or(rest.len()))
}

/// Whether the quote at the start of `rest` begins a character, and not a lifetime.
fn is_character(rest: &str) -> bool {
    let mut after = rest.chars().skip(1);
    match (after.next(), after.next()) {
        (Some('\\'), _) => true,
        (_, next) => next == Some('\''),
    }
}

/// The length of a literal in quotes, including escapes.
fn quoted_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The tokens without the items of tests.
pub(crate) fn without_tests<'t>(tokens: &[Token<'t>]) -> Vec<Token<'t>> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut rest = tokens;
    while let Some((first, behind)) = rest.split_first() {
        let is_marked = rest.len() >= MARK.len()
            && rest.iter().zip(MARK).all(|(token, mark)| token.text == mark);
        if is_marked {
            rest = &rest[item_length(rest)..];
        } else {
            kept.push(*first);
            rest = behind;
        }
    }
    kept
}

/// The number of tokens of an item with its attributes: up to its semicolon, or to the end of its
/// block.
fn item_length(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && matches!(token.text, ";" | "}") {
            return at + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::{tokens, without_tests};

    fn words(source: &str) -> Vec<&str> {
        tokens(source).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_go_and_literals_are_one_word() {
        assert_eq!(words("a/* b /* c */ d */e// f\ng"), ["a", "e", "g"]);
        assert_eq!(words(r#"f("a \" // b", b"c", '"', '\'', b'\\')"#)[2], r#""a \" // b""#);
        assert_eq!(
            words(r#"f("a", '"', '\'', b'\\', x)"#),
            ["f", "(", "\"a\"", ",", "'\"'", ",", r"'\''", ",", r"b'\\'", ",", "x", ")"]
        );
        assert_eq!(words("r#\"a \" b\"# br\"c\\\" r"), ["r#\"a \" b\"#", "br\"c\\\"", "r"]);
        assert_eq!(words("&'a str -> B<C>"), ["&", "'", "a", "str", "->", "B", "<", "C", ">"]);
        assert_eq!(words("\"never closed"), ["\"never closed"]);
        assert_eq!(words("é/* never"), ["é"]);
    }

    #[test]
    fn words_know_their_lines() {
        let lines: Vec<_> = tokens("a\n\"b\nc\"\n/*\n*/ d").iter().map(|it| it.line).collect();
        assert_eq!(lines, [1, 2, 5]);
    }

    #[test]
    fn items_of_tests_go() {
        let kept = |source: &str| {
            let kept = without_tests(&tokens(source));
            kept.iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(kept("a #[cfg(test)] mod tests { fn f() {} \"}\" } b"), "a b");
        assert_eq!(kept("#[cfg(test)]\n#[allow(x)]\nuse a::{b, c}; d"), "; d");
        assert_eq!(kept("#[cfg(test)] fn f<T>(a: [u8; 2]) -> T; g"), "g");
        assert_eq!(
            kept("#[cfg(test)] mod t; #[cfg(unix)] fn f() {}"),
            "# [ cfg ( unix ) ] fn f ( ) { }"
        );
        assert_eq!(kept("#[cfg(test)] never"), "");
    }
}
