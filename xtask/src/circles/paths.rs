//! The paths that a source names: those of its `use` items, and those that begin with `crate`,
//! `super` or `self` anywhere else.

use crate::tokens::Token;

/// A path as its words, `super` and `crate` included.
pub(super) type Path<'t> = Vec<&'t str>;

/// The paths of a source's `use` items, and then the others.
pub(super) fn paths<'t>(tokens: &[Token<'t>]) -> (Vec<Path<'t>>, Vec<Path<'t>>) {
    let words: Vec<&'t str> = tokens.iter().map(|token| token.text).collect();
    let (mut used, mut inline) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < words.len() {
        let rest = &words[at..];
        at += match rest[0] {
            "use" => {
                let end = rest.iter().position(|word| *word == ";").unwrap_or(rest.len());
                used.extend(tree(&rest[1..end]));
                end.max(1)
            }
            "crate" | "super" | "self" if rest.get(1) == Some(&":") => {
                let path = plain(rest);
                let length = path.len() * 3 - 2;
                inline.push(path);
                length
            }
            _ => 1,
        };
    }
    (used, inline)
}

/// The words of a path that `::` joins.
fn plain<'t>(words: &[&'t str]) -> Path<'t> {
    let mut path = vec![words[0]];
    let mut rest = &words[1..];
    while let [":", ":", word, behind @ ..] = rest {
        if !word.starts_with(|first: char| first.is_alphanumeric() || first == '_') {
            break;
        }
        path.push(word);
        rest = behind;
    }
    path
}

/// The paths of a `use` item's tree.
fn tree<'t>(words: &[&'t str]) -> Vec<Path<'t>> {
    let Some(open) = words.iter().position(|word| *word == "{") else {
        let end = words.iter().position(|word| *word == "as").unwrap_or(words.len());
        return vec![words[..end].iter().copied().filter(|word| *word != ":").collect()];
    };
    let prefix: Path<'t> = words[..open].iter().copied().filter(|word| *word != ":").collect();
    let close = words.iter().rposition(|word| *word == "}").unwrap_or(words.len());
    let branches = branches(&words[open + 1..close]).into_iter().flat_map(tree);
    branches.map(|branch| prefix.iter().copied().chain(branch).collect()).collect()
}

/// The branches between two braces, split at commas outside of inner braces.
fn branches<'w, 't>(words: &'w [&'t str]) -> Vec<&'w [&'t str]> {
    let mut depth = 0_usize;
    let at_comma = |word: &&'t str| {
        match *word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *word == ","
    };
    words.split(at_comma).filter(|branch| !branch.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::paths;
    use crate::tokens::tokens;

    #[test]
    fn trees_and_inline_paths_are_found() {
        let source =
            "use super::{a::{self, B}, C as D};\nuse std::io;\nfn f() { crate::g::h(1); self.x }";
        let tokens = tokens(source);
        let (used, inline) = paths(&tokens);
        let joined =
            |paths: Vec<Vec<&str>>| paths.iter().map(|path| path.join("::")).collect::<Vec<_>>();
        assert_eq!(joined(used), ["super::a::self", "super::a::B", "super::C", "std::io"]);
        assert_eq!(joined(inline), ["crate::g::h"]);
    }
}
