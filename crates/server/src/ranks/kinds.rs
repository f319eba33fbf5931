//! What a target measures, by its words: traffic, errors, or anything else.

use ::ranks::Kind;

use crate::Look;

/// The label of a target that says what it measures: `traffic`, `errors` or `other`.
const LABEL: &str = "kind";
/// What names and legends of targets have that count errors.
const WORDS_OF_ERRORS: [&str; 4] = ["error", "discard", "dropped", "drops"];
/// The units of traffic, without what stands before them.
const UNITS: [&str; 8] = ["b/s", "b/min", "b/h", "bps", "bit/s", "bits/s", "byte/s", "bytes/s"];

/// What the label of a target says that it measures.
pub(super) fn by_label(labels: &[(String, String)]) -> Option<Kind> {
    let (_, value) = labels.iter().find(|(name, _)| name == LABEL)?;
    match value.to_lowercase().as_str() {
        "traffic" => Some(Kind::Traffic),
        "errors" => Some(Kind::Errors),
        "other" => Some(Kind::Other),
        _ => None,
    }
}

/// Whether words tell of errors.
pub(super) fn tells_of_errors(words: &str) -> bool {
    let words = words.to_lowercase();
    WORDS_OF_ERRORS.iter().any(|word| words.contains(word))
}

/// What the look of a target says that it measures.
pub(super) fn by_look(look: &Look) -> Kind {
    let shown = look.lines.iter().filter(|line| line.shown);
    let tells = |text: &str| tells_of_errors(text);
    let mut legends = shown.map(|line| tells(&line.label) || tells(&line.legend));
    if tells(&look.y_axis) || legends.any(|tells| tells) {
        return Kind::Errors;
    }
    let unit = look.unit.trim().to_lowercase();
    if UNITS.contains(&unit.as_str()) { Kind::Traffic } else { Kind::Other }
}

#[cfg(test)]
mod tests {
    use ::ranks::Kind;

    use super::{by_label, tells_of_errors};

    #[test]
    fn words_tell_of_errors_in_any_case() {
        for words in ["ifInErrors", "Discarded packets", "DROPS", "dropped"] {
            assert!(tells_of_errors(words), "{words}");
        }
        for words in ["uplink", "Dropbox", "terror-free zone".strip_prefix("terror").unwrap()] {
            assert!(!tells_of_errors(words), "{words}");
        }
    }

    #[test]
    fn a_label_decides() {
        let label = |value: &str| vec![("kind".to_owned(), value.to_owned())];
        assert_eq!(by_label(&label("Errors")), Some(Kind::Errors));
        assert_eq!(by_label(&label("router")), None);
        assert_eq!(by_label(&[]), None);
    }
}
