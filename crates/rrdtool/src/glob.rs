//! Patterns of file names, as a shell reads them: `*`, `?`, `[a-z]`, `[!a-z]`, and `\` before a letter
//! that stands for itself.

use std::fs;
use std::path::{Path, PathBuf};

/// Whether a text is a pattern and not just a name.
#[must_use]
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The paths that a pattern matches, in order. Dots at the start of a name must be given.
#[must_use]
pub fn matches(pattern: &str) -> Vec<PathBuf> {
    let (root, rest) = match pattern.strip_prefix('/') {
        Some(rest) => (PathBuf::from("/"), rest),
        None => (PathBuf::new(), pattern),
    };
    let mut found = vec![root];
    for part in rest.split('/').filter(|part| !part.is_empty()) {
        found = found.iter().flat_map(|directory| within(directory, part)).collect();
    }
    found
}

/// What one part of a pattern matches in a directory.
fn within(directory: &Path, part: &str) -> Vec<PathBuf> {
    if !is_pattern(part) {
        let path = directory.join(part.replace('\\', ""));
        let is_there = path.symlink_metadata().is_ok();
        return if is_there { vec![path] } else { Vec::new() };
    }
    let here = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let letters: Vec<char> = part.chars().collect();
    let names = fs::read_dir(here).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = names
        .filter_map(|name| name.into_string().ok())
        .filter(|name| !name.starts_with('.') || part.starts_with('.'))
        .filter(|name| is_match(&letters, &name.chars().collect::<Vec<_>>()))
        .collect();
    names.sort();
    names.into_iter().map(|name| directory.join(name)).collect()
}

/// Whether a name is one that a pattern means. At a mismatch only the last `*` takes one letter more:
/// what those before it could take instead would lead nowhere else, so that no pattern takes long.
fn is_match(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut letter) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while letter < name.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, letter));
            at += 1;
        } else if let Some(next) = one(pattern, at, name[letter]) {
            (at, letter) = (next, letter + 1);
        } else if let Some((back, taken)) = star {
            star = Some((back, taken + 1));
            (at, letter) = (back + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern.iter().skip(at).all(|rest| *rest == '*')
}

/// Where the pattern goes on if it takes this letter at `at`.
fn one(pattern: &[char], at: usize, letter: char) -> Option<usize> {
    match pattern.get(at)? {
        '?' => Some(at + 1),
        '\\' if at + 1 < pattern.len() => (pattern[at + 1] == letter).then_some(at + 2),
        '[' => match set(pattern, at + 1, letter) {
            Some((true, next)) => Some(next),
            Some((false, _)) => None,
            None => (letter == '[').then_some(at + 1), // nothing closes it: it stands for itself
        },
        other => (*other == letter).then_some(at + 1),
    }
}

/// Whether a letter is in a set, and where the pattern goes on behind it.
fn set(pattern: &[char], start: usize, letter: char) -> Option<(bool, usize)> {
    let negated = matches!(pattern.get(start), Some('!' | '^'));
    let first = start + usize::from(negated);
    let mut at = first;
    let mut is_in = false;
    loop {
        let low = *pattern.get(at)?;
        if low == ']' && at > first {
            return Some((is_in != negated, at + 1));
        }
        match (pattern.get(at + 1), pattern.get(at + 2)) {
            (Some('-'), Some(high)) if *high != ']' => {
                is_in |= (low..=*high).contains(&letter);
                at += 3;
            }
            _ => {
                is_in |= low == letter;
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_match;

    fn fits(pattern: &str, name: &str) -> bool {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        is_match(&letters(pattern), &letters(name))
    }

    #[test]
    fn patterns_mean_what_a_shell_means() {
        for (pattern, name) in [
            ("*", "a.rrd"),
            ("*.rrd", "a.rrd"),
            ("a?c*", "abcdef"),
            ("[a-c]x[!0-9]", "bxy"),
            ("[]x]", "]"),
            ("[a-]", "-"),
            ("*a*b*", "xxaxxbxx"),
            ("[a", "[a"),
            (r"\*", "*"),
        ] {
            assert!(fits(pattern, name), "{pattern} means {name}");
        }
        for (pattern, name) in
            [("*.rrd", "a.rr"), ("?", ""), ("[^a]", "a"), ("a*b", "acb2"), (r"\*", "a"), ("", "a")]
        {
            assert!(!fits(pattern, name), "{pattern} does not mean {name}");
        }
        assert!(!fits(&"*a".repeat(40), &"a".repeat(39)), "nor does it take long");
    }
}
