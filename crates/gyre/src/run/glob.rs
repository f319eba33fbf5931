//! File names by pattern, for `Include`: `*`, `?`, `[...]` and `{a,b}` as a shell expands them.

use std::path::{Component, Path, PathBuf};

/// The files that match, sorted by name.
pub(super) fn glob(pattern: &Path) -> Vec<PathBuf> {
    let text = pattern.to_string_lossy();
    let mut found: Vec<PathBuf> = Vec::new();
    for alternative in braces(&text) {
        found.extend(matching(Path::new(&alternative)));
    }
    found.sort();
    found.dedup();
    found
}

/// Walks down component by component, as far as anything matches.
fn matching(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let text = component.as_os_str().to_string_lossy();
        let is_pattern =
            matches!(component, Component::Normal(_)) && text.contains(['*', '?', '[']);
        found = found
            .into_iter()
            .flat_map(|parent| match is_pattern {
                true => entries(&parent, &text),
                false => vec![parent.join(component)],
            })
            .collect();
    }
    found.retain(|path| path.exists());
    found
}

fn entries(parent: &Path, pattern: &str) -> Vec<PathBuf> {
    let pattern: Vec<char> = pattern.chars().collect();
    let directory = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let matches = |name: &std::ffi::OsString| {
        let name: Vec<char> = name.to_string_lossy().chars().collect();
        // As in a shell, a leading point is matched by a point alone.
        (name.first() != Some(&'.') || pattern.first() == Some(&'.')) && fits(&pattern, &name)
    };
    names.filter(matches).map(|name| parent.join(name)).collect()
}

fn fits(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], _) => name.is_empty(),
        (['*', rest @ ..], _) => (0..=name.len()).any(|skipped| fits(rest, &name[skipped..])),
        (['[', rest @ ..], [letter, name @ ..]) => match class(rest, *letter) {
            Some((is_in, rest)) => is_in && fits(rest, name),
            // A bracket that is not closed means itself.
            None => *letter == '[' && fits(rest, name),
        },
        (['?', rest @ ..], [_, name @ ..]) => fits(rest, name),
        ([wanted, rest @ ..], [letter, name @ ..]) => wanted == letter && fits(rest, name),
        (_, []) => false,
    }
}

/// Whether a letter is in the class that begins here, and what follows the class.
fn class(pattern: &[char], letter: char) -> Option<(bool, &[char])> {
    let (negated, body) = match pattern {
        ['!' | '^', body @ ..] => (true, body),
        body => (false, body),
    };
    // A closing bracket right at the start is a member.
    let end = body.iter().skip(1).position(|each| *each == ']')? + 1;
    let (mut members, rest) = (&body[..end], &body[end + 1..]);
    let mut is_in = false;
    while let [first, after @ ..] = members {
        (is_in, members) = match after {
            ['-', last, after @ ..] => (is_in || (*first..=*last).contains(&letter), after),
            _ => (is_in || *first == letter, after),
        };
    }
    Some((is_in != negated, rest))
}

/// Every text that the braces stand for.
fn braces(text: &str) -> Vec<String> {
    let Some((before, inner, after)) = first_braces(text) else {
        return vec![text.to_owned()];
    };
    let alternatives = inner.into_iter().flat_map(braces);
    let afters = braces(after);
    alternatives
        .flat_map(|middle| afters.iter().map(move |after| format!("{before}{middle}{after}")))
        .collect()
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

    fn is_match(pattern: &str, name: &str) -> bool {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        fits(&letters(pattern), &letters(name))
    }

    #[test]
    fn names_match_as_in_a_shell() {
        assert!(is_match("*.cfg", "a.cfg") && !is_match("*.cfg", "a.cfg~"));
        assert!(is_match("r?[0-9]-[!ab]*", "rx7-core"));
        assert!(!is_match("r?[0-9]-[!ab]*", "rx7-access"));
        assert!(is_match("[]x]", "]") && is_match("a[b", "a[b"));
    }

    #[test]
    fn braces_are_expanded() {
        assert_eq!(braces("a{b,c{d,e}}f"), ["abf", "acdf", "acef"]);
        assert_eq!(braces("a{b}c"), ["a{b}c"]);
        assert_eq!(braces("a{b,c"), ["a{b,c"]);
    }

    #[test]
    fn files_are_found_in_order() {
        let directory = std::env::temp_dir().join(format!("gyre-glob-{}", std::process::id()));
        std::fs::create_dir_all(directory.join("sub")).unwrap();
        for name in ["b.cfg", "a.cfg", ".c.cfg", "a.txt", "sub/d.cfg"] {
            std::fs::write(directory.join(name), "").unwrap();
        }
        let names = |pattern: &str| -> Vec<String> {
            let found = glob(&directory.join(pattern));
            let relative = found.iter().map(|path| path.strip_prefix(&directory).unwrap());
            relative.map(|path| path.display().to_string()).collect()
        };
        assert_eq!(names("*.cfg"), ["a.cfg", "b.cfg"]);
        assert_eq!(names("{sub/*,a}.{cfg,txt}"), ["a.cfg", "a.txt", "sub/d.cfg"]);
        assert_eq!(names("nothing*"), [] as [&str; 0]);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
