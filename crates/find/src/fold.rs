//! Texts in lower case, cut into chunks and atoms.

/// Appends a text in lower case.
pub(crate) fn lower(text: &str, out: &mut String) {
    match text.is_ascii() {
        true => {
            let begin = out.len();
            out.push_str(text);
            out[begin..].make_ascii_lowercase();
        }
        false => text.chars().for_each(|letter| out.extend(letter.to_lowercase())),
    }
}

/// A text in lower case.
pub(crate) fn lowered(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    lower(text, &mut out);
    out
}

/// The atoms of a chunk, which has no white space: letters and digits with the signs before them.
/// Signs at the end are an atom, too.
pub(crate) fn atoms(chunk: &str) -> impl Iterator<Item = &str> {
    let mut rest = chunk;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let signs = rest.find(char::is_alphanumeric).unwrap_or(rest.len());
        let letters = rest[signs..].find(|letter: char| !letter.is_alphanumeric());
        let end = letters.map_or(rest.len(), |letters| signs + letters);
        let (atom, after) = rest.split_at(end);
        rest = after;
        Some(atom)
    })
}

/// The letters of an atom, without the signs before them.
pub(crate) fn core(atom: &str) -> &str {
    atom.trim_start_matches(|letter: char| !letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::{atoms, core, lowered};

    #[test]
    fn a_chunk_is_its_atoms_one_after_the_other() {
        for (chunk, expected) in [
            ("site01-core1_7", vec!["site01", "-core1", "_7"]),
            ("10.0.0.1", vec!["10", ".0", ".0", ".1"]),
            ("<lab>", vec!["<lab", ">"]),
            ("--", vec!["--"]),
            ("ærø·b", vec!["ærø", "·b"]),
            ("", vec![]),
        ] {
            assert_eq!(atoms(chunk).collect::<Vec<_>>(), expected);
            assert_eq!(atoms(chunk).collect::<String>(), chunk);
        }
        assert_eq!((core("-core1"), core("--"), core("a")), ("core1", "", "a"));
    }

    #[test]
    fn capitals_become_small() {
        assert_eq!((&*lowered("ÆRØ"), &*lowered("GigaBit")), ("ærø", "gigabit"));
    }
}
