//! "Did you mean": the most similar known key.

use super::keys::{GlobalKey, TargetKey, is_own};

/// The text to add to an error about an unknown key; empty if no key is similar. For a key of
/// gyre's own it names all of these.
pub(super) fn hint(key: &[u8], targeted: bool) -> String {
    if is_own(key) {
        return own_keys();
    }
    let key = key.to_ascii_lowercase();
    let globals = GlobalKey::ALL.into_iter().map(|(name, _)| (name, false));
    let targets = TargetKey::ALL.into_iter().map(|(name, _)| (name, true));
    let nearest = globals
        .chain(targets)
        .map(|(name, has_target)| {
            let same_form = has_target == targeted;
            (distance(&key, &name.to_ascii_lowercase().into_bytes()), !same_form, name, has_target)
        })
        .min();
    match nearest {
        Some((edits, _, name, has_target)) if edits <= key.len().div_ceil(3) => {
            let brackets = if has_target { "[target]" } else { "" };
            format!(", did you mean `{name}{brackets}`?")
        }
        _ => String::new(),
    }
}

fn own_keys() -> String {
    let names = TargetKey::ALL.into_iter().map(|(name, _)| name);
    let own = names.filter(|name| is_own(name.as_bytes())).map(|name| format!("{name}[target]"));
    format!(", expected one of gyre's own: {}", own.collect::<Vec<_>>().join(", "))
}

/// The edit distance of two words (Levenshtein). Long words are not compared, because no key has
/// more than 30 letters.
fn distance(left: &[u8], right: &[u8]) -> usize {
    if left.len() > 40 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (nth, letter) in left.iter().enumerate() {
        let mut next = vec![nth + 1];
        for ((other, above_left), above) in right.iter().zip(&row).zip(row.iter().skip(1)) {
            let left_edits = next.last().copied().unwrap_or_default();
            let replaced = above_left + usize::from(letter != other);
            next.push(replaced.min(above + 1).min(left_edits + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_is_recognised() {
        assert_eq!(hint(b"MaxByte", true), ", did you mean `MaxBytes[target]`?");
        assert_eq!(hint(b"Workdirs", false), ", did you mean `WorkDir`?");
        assert_eq!(hint(b"WorkDir", true), ", did you mean `WorkDir`?");
        assert_eq!(hint(b"Frobnicate", true), "");
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(distance(b"kitten", b"sitting"), 3);
        assert_eq!(distance(b"", b"abc"), 3);
    }
}
