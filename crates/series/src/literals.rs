//! What a pattern's literals say about whole values, before the pattern itself is asked.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;
use regex_syntax::hir::literal::{ExtractKind, Extractor, Literal, Seq};

/// The most texts with which a value may begin or end: each is compared by itself.
const COMPARED_MAX: usize = 16;

/// The texts of a pattern.
#[derive(Clone, Debug, Default)]
pub(crate) struct Literals {
    /// The pattern matches these values and no others; sorted.
    pub(crate) all: Option<Vec<Vec<u8>>>,
    /// Every value that matches begins with one of these; none if that is not known.
    beginnings: Vec<Vec<u8>>,
    /// Every value that matches ends with one of these; none if that is not known.
    endings: Vec<Vec<u8>>,
}

impl Literals {
    /// Those of a pattern for whole values, without the signs for a value's begin and end.
    pub(crate) fn of(pattern: &str) -> Self {
        let parsed = ParserBuilder::new().dot_matches_new_line(true).build().parse(pattern);
        // A pattern that cannot be read is refused elsewhere.
        let Ok(pattern) = parsed else { return Self::default() };
        let beginnings = extracted(&pattern, ExtractKind::Prefix);
        // What a value must not be beside, such as `\b`, is in no literal.
        let is_plain = pattern.properties().look_set().is_empty();
        let all = match beginnings.literals() {
            Some(all) if is_plain && beginnings.is_exact() => Some(sorted(all)),
            _ => None,
        };
        let endings = extracted(&pattern, ExtractKind::Suffix);
        Self { all, beginnings: compared(&beginnings), endings: compared(&endings) }
    }

    /// Whether a value may match.
    pub(crate) fn may_match(&self, value: &str) -> bool {
        let value = value.as_bytes();
        let (begins, ends) = (&self.beginnings, &self.endings);
        (begins.is_empty() || begins.iter().any(|it| value.starts_with(it)))
            && (ends.is_empty() || ends.iter().any(|it| value.ends_with(it)))
    }
}

fn extracted(pattern: &Hir, kind: ExtractKind) -> Seq {
    Extractor::new().kind(kind).extract(pattern)
}

fn sorted(all: &[Literal]) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = all.iter().map(|it| it.as_bytes().to_vec()).collect();
    all.sort();
    all.dedup();
    all
}

/// The texts to compare with; none if one of them is empty, for every value begins with that.
fn compared(texts: &Seq) -> Vec<Vec<u8>> {
    match texts.literals().map(sorted) {
        Some(all) if all.len() <= COMPARED_MAX && all.iter().all(|it| !it.is_empty()) => all,
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pattern: &str) -> Option<Vec<String>> {
        let texts = Literals::of(pattern).all?;
        Some(texts.into_iter().map(|it| String::from_utf8(it).unwrap()).collect())
    }

    #[test]
    fn alternatives_are_all_there_is() {
        assert_eq!(all("r2|r1|r1"), Some(vec!["r1".into(), "r2".into()]));
        assert_eq!(all("eth[01]"), Some(vec!["eth0".into(), "eth1".into()]));
        assert_eq!(all("a|"), Some(vec![String::new(), "a".into()]));
        assert_eq!(all("eth.*"), None);
        assert_eq!(all("a\\b"), None);
        assert_eq!(all("^a$"), None);
    }

    #[test]
    fn begin_and_end_are_compared_first() {
        let literals = Literals::of("r1/.*port7");
        assert!(literals.may_match("r1/x/port7") && literals.may_match("r1/port7"));
        assert!(!literals.may_match("r1/port8") && !literals.may_match("r2/port7"));
        assert!(Literals::of(".*").may_match(""));
    }
}
