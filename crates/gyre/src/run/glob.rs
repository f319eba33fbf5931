//! File name patterns for `Include`: `*`, `?`, `[...]` and `{a,b}` as a shell expands them.

use std::io;
use std::path::{Path, PathBuf};

/// The most patterns that the braces of one pattern may expand to.
const ALTERNATIVES_MAX: usize = 1000;

/// The files that match, sorted by name.
///
/// # Errors
///
/// The braces expand to more than [`ALTERNATIVES_MAX`] patterns.
pub(super) fn glob(pattern: &Path) -> io::Result<Vec<PathBuf>> {
    let text = pattern.to_string_lossy();
    let alternatives = braces(&text).ok_or_else(|| {
        let words = format!("its braces stand for more than {ALTERNATIVES_MAX} patterns");
        io::Error::new(io::ErrorKind::InvalidInput, words)
    })?;
    let mut found: Vec<PathBuf> =
        alternatives.iter().flat_map(|each| rrdtool::glob::matches(each)).collect();
    found.retain(|path| path.exists());
    found.sort();
    found.dedup();
    Ok(found)
}

/// Expands the braces of a pattern. `None` if there are too many alternatives: each pair of braces
/// may double their number.
fn braces(text: &str) -> Option<Vec<String>> {
    let Some((before, inner, after)) = first_braces(text) else {
        return Some(vec![text.to_owned()]);
    };
    let mut middles = Vec::new();
    for alternative in inner {
        middles.extend(braces(alternative)?);
    }
    let afters = braces(after)?;
    if middles.len().saturating_mul(afters.len()) > ALTERNATIVES_MAX {
        return None;
    }
    let middles = middles.iter();
    let whole = middles
        .flat_map(|middle| afters.iter().map(move |after| format!("{before}{middle}{after}")));
    Some(whole.collect())
}

/// The text before the first braces, the alternatives in them, and the text after them.
fn first_braces(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let open = text.find('{')?;
    let mut depth = 0;
    let mut start = open + 1;
    let mut alternatives = Vec::new();
    for (at, letter) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match letter {
            '{' => depth += 1,
            '}' if depth == 1 => {
                alternatives.push(&text[start..at]);
                let after = &text[at + 1..];
                return (alternatives.len() > 1).then_some((&text[..open], alternatives, after));
            }
            '}' => depth -= 1,
            ',' if depth == 1 => {
                alternatives.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_expanded() {
        let expanded = |text| braces(text).unwrap();
        assert_eq!(expanded("a{b,c{d,e}}f"), ["abf", "acdf", "acef"]);
        assert_eq!(expanded("a{b}c"), ["a{b}c"]);
        assert_eq!(expanded("a{b,c"), ["a{b,c"]);
        assert_eq!(braces(&"{a,b}".repeat(60)), None);
    }

    #[test]
    fn files_are_found_in_order() {
        let directory = std::env::temp_dir().join(format!("gyre-glob-{}", std::process::id()));
        std::fs::create_dir_all(directory.join("sub")).unwrap();
        let long = "a".repeat(200);
        for name in ["b.cfg", "a.cfg", ".c.cfg", "a.txt", "sub/d.cfg", &long] {
            std::fs::write(directory.join(name), "").unwrap();
        }
        let names = |pattern: &str| -> Vec<String> {
            let found = glob(&directory.join(pattern)).unwrap();
            let relative = found.iter().map(|path| path.strip_prefix(&directory).unwrap());
            relative.map(|path| path.display().to_string()).collect()
        };
        assert_eq!(names("*.cfg"), ["a.cfg", "b.cfg"]);
        assert_eq!(names("{sub/*,a}.{cfg,txt}"), ["a.cfg", "a.txt", "sub/d.cfg"]);
        assert_eq!(names("sub/../[!b].cfg"), ["sub/../a.cfg"]);
        assert_eq!(names("nothing*"), [] as [&str; 0]);
        // A matcher that tried every length for every star would take exponential time.
        assert_eq!(names(&format!("{}b", "a*".repeat(40))), [] as [&str; 0]);
        assert_eq!(names(&"a*".repeat(40)).concat(), long);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
