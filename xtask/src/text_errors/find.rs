//! Finds places in a source where an error is text.

use crate::tokens::Token;

/// The text that Rust puts between an error's message and its number: code that searches for it
/// parses a message.
const OS_ERROR: &str = "(os error";

/// A place where an error is text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) line: usize,
    pub(super) what: &'static str,
}

/// The aliases of `String` in a source.
pub(super) fn names_of_string<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let is_alias = |five: &&[Token<'t>]| {
        let [word, _, equals, string, end] = five else { return false };
        [word.text, equals.text, string.text, end.text] == ["type", "=", "String", ";"]
    };
    tokens.windows(5).filter(is_alias).map(|five| five[1].text).collect()
}

/// All places in a source where an error is text. `names` are the crate's aliases of `String`.
pub(super) fn find(tokens: &[Token<'_>], names: &[&str]) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let rest = &tokens[at..];
        let what = match token.text {
            "Result" if fails_with_text(rest, names) => "a Result whose error is a String",
            "type" if is_error_of_impl(rest) => "an Error that is a String",
            text if text.contains('"') && text.contains(OS_ERROR) => "a message is taken apart",
            _ => continue,
        };
        found.push(Found { line: token.line, what });
    }
    found
}

/// `type Error = String;` and `type Err = String;`, as in implementations of `TryFrom` and
/// `FromStr`.
fn is_error_of_impl(tokens: &[Token<'_>]) -> bool {
    let text = |nth: usize| tokens.get(nth).map_or("", |token| token.text);
    matches!(text(1), "Error" | "Err") && text(2) == "=" && is_string(&tokens[3..], &[])
}

/// Whether a `Result<…>` begins here whose last argument is String, or an alias of it.
fn fails_with_text(tokens: &[Token<'_>], names: &[&str]) -> bool {
    let behind = &tokens[1..];
    let is_path = behind.iter().take(2).all(|token| token.text == ":");
    let behind = if is_path { behind.get(2..).unwrap_or_default() } else { behind };
    if behind.first().is_none_or(|token| token.text != "<") {
        return false;
    }
    error_argument(&behind[1..]).is_some_and(|argument| is_string(argument, names))
}

/// The tokens from the second type argument on, if there are two or more; `tokens` begin after the
/// `<`.
fn error_argument<'a, 't>(tokens: &'a [Token<'t>]) -> Option<&'a [Token<'t>]> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "<" | "(" | "[" => depth += 1,
            ">" | ")" | "]" if depth > 0 => depth -= 1,
            ">" | ")" | "]" | ";" | "{" if depth == 0 => return None,
            "," if depth == 0 => return Some(&tokens[at + 1..]),
            _ => {}
        }
    }
    None
}

/// Whether a type is `String`, with any path; it ends with `>`, a comma or a semicolon.
fn is_string(tokens: &[Token<'_>], names: &[&str]) -> bool {
    let is_part = |token: &&Token<'_>| !matches!(token.text, ">" | "," | ";");
    let last = tokens.iter().take_while(is_part).last();
    let is_path = |text: &str| text == ":" || text.chars().all(|c| c.is_alphanumeric() || c == '_');
    tokens.iter().take_while(is_part).all(|token| is_path(token.text))
        && last.is_some_and(|last| last.text == "String" || names.contains(&last.text))
}

#[cfg(test)]
mod tests {
    use super::{find, names_of_string};
    use crate::tokens::{tokens, without_tests};

    /// The lines at which something is found.
    fn lines(source: &str) -> Vec<usize> {
        let tokens = without_tests(&tokens(source));
        let names = names_of_string(&tokens);
        find(&tokens, &names).iter().map(|found| found.line).collect()
    }

    #[test]
    fn every_form_of_a_result_is_found() {
        for source in [
            "fn f() -> Result<(), String> {}",
            "fn f() -> Result<(u64, Vec<u8>), String> {}",
            "fn f() -> std::result::Result<[u8; 4], std::string::String>;",
            "type Outcome<T> = Result<T, String>;",
            "let a = b.collect::<Result<Vec<_>, String>>();",
            "let a = Result::<_, String>::Ok(1);",
            "fn f(done: &mut dyn FnMut(&A) -> Result<B<'_, dyn Fn() -> C>, String>);",
            "struct A(Result<Result<B, String>, Error>);",
            "fn f() -> Result<A, /* in words */ String>;",
            "type Failure = String; fn f() -> Result<A, Failure>;",
            "type Failure = String; fn f() -> Result<A, crate::Failure>;",
            "impl FromStr for A { type Err = String; }",
            "impl TryFrom<B> for A { type Error = std::string::String; }",
            "error.to_string().split(\" (os error\")",
            "const MARK: &str = r\"(os error \";",
        ] {
            assert_eq!(lines(source), [1], "{source}");
        }
        assert_eq!(lines("\nfn f() -> Result<\n    Vec<String>,\n    String,\n> {}"), [2]);
        assert_eq!(lines("fn f() -> Result<Result<A, String>, String>;"), [1, 1]);
    }

    #[test]
    fn other_uses_of_text_are_left_alone() {
        for source in [
            "fn f() -> Result<String, Error>;",
            "fn f() -> io::Result<String>;",
            "fn f() -> Result<(A, String), Error>;",
            "fn f() -> Result<A<B, String>, Error>;",
            "fn f() -> Result<A, Vec<String>>;",
            "fn f() -> Result<A, Failed<String>>;",
            "fn f() -> Result<(A, String)> { g::<B, String>() }",
            "struct Result { a: A, b: String }",
            "type Name = String; fn f() -> Result<Name, Error>;",
            "// fn f() -> Result<(), String>\n/* \"(os error\" */",
            "let a = \"fn f() -> Result<(), String>\";",
            "#[cfg(test)]\nmod tests { fn f() -> Result<(), String> { \"(os error\" } }",
            "use std::result::Result",
        ] {
            assert_eq!(lines(source), Vec::<usize>::new(), "{source}");
        }
    }
}
