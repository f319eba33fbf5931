//! collectd's types: the names of the values that a type has.

use std::collections::HashMap;

/// How many values a type may have.
pub(super) const VALUES_MAX: usize = 256;

/// The types of a `types.db`.
#[derive(Clone, Debug)]
pub struct Types {
    sources: HashMap<Box<str>, Box<[Box<str>]>>,
    /// `value0`, `value1` and so on, for types that have no entry.
    numbered: Box<[Box<str>]>,
}

/// A line of a `types.db` that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}")]
pub struct WrongTypes {
    /// Counted from 1.
    pub line: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl Types {
    /// Reads a text: `type source:KIND:MIN:MAX, source:KIND:MIN:MAX`. Of two entries of a type the
    /// last one counts, as when collectd reads several files.
    pub fn of_text(text: &str) -> Result<Self, WrongTypes> {
        let mut types = Self::default();
        types.add_text(text)?;
        Ok(types)
    }

    /// Adds those of another text, as if it stood behind the others.
    pub fn add_text(&mut self, text: &str) -> Result<(), WrongTypes> {
        for (nth, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |expected| WrongTypes { line: nth + 1, expected };
            let (name, rest) = line
                .split_once(|letter: char| letter.is_ascii_whitespace())
                .ok_or_else(|| wrong("a type's name and its sources"))?;
            self.sources.insert(name.into(), sources(rest).map_err(wrong)?);
        }
        Ok(())
    }

    /// The names of a type's values. A type without an entry has `value`, or `value0`, `value1` and
    /// so on; `None` if the entry has another number of them.
    pub(super) fn names(&self, kind: &str, count: usize) -> Option<&[Box<str>]> {
        match self.sources.get(kind) {
            Some(names) => (names.len() == count).then_some(names),
            None if count == 1 => self.numbered.get(..1),
            None => self.numbered.get(1..=count),
        }
    }
}

impl Default for Types {
    /// No types at all.
    fn default() -> Self {
        let value = std::iter::once(crate::VALUE.into());
        let numbered = (0..VALUES_MAX).map(|nth| format!("value{nth}").into());
        Self { sources: HashMap::new(), numbered: value.chain(numbered).collect() }
    }
}

fn sources(text: &str) -> Result<Box<[Box<str>]>, &'static str> {
    let mut names: Vec<Box<str>> = Vec::new();
    let parts = text.split(|letter: char| letter == ',' || letter.is_ascii_whitespace());
    for part in parts.filter(|part| !part.is_empty()) {
        let name = source(part)?;
        if names.iter().any(|other| **other == *name) {
            return Err("each source's name once");
        }
        names.push(name.into());
    }
    match names.len() {
        0 => Err("at least one source"),
        1..=VALUES_MAX => Ok(names.into()),
        _ => Err("at most 256 sources"),
    }
}

fn source(text: &str) -> Result<&str, &'static str> {
    let parts: Vec<&str> = text.split(':').collect();
    let &[name, kind, min, max] = parts.as_slice() else {
        return Err("a source as NAME:KIND:MIN:MAX");
    };
    if name.is_empty() {
        return Err("a source's name");
    }
    if !["GAUGE", "COUNTER", "DERIVE", "ABSOLUTE"].iter().any(|it| it.eq_ignore_ascii_case(kind)) {
        return Err("GAUGE, COUNTER, DERIVE or ABSOLUTE as a source's kind");
    }
    if [min, max].iter().any(|bound| *bound != "U" && bound.parse::<f64>().is_err()) {
        return Err("numbers or U as a source's bounds");
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_named_by_the_file_or_numbered() {
        let text =
            "# all\nif_octets\trx:DERIVE:0:U, tx:DERIVE:0:U\nload s:GAUGE:0:5e3,m:GAUGE:0:1\n";
        let types = Types::of_text(text).unwrap();
        let names = |kind, count| types.names(kind, count).map(|names| names.join(" "));
        assert_eq!(names("if_octets", 2).as_deref(), Some("rx tx"));
        assert_eq!(names("load", 2).as_deref(), Some("s m"));
        assert_eq!(names("load", 3), None);
        assert_eq!(names("new", 1).as_deref(), Some("value"));
        assert_eq!(names("new", 2).as_deref(), Some("value0 value1"));
        assert_eq!(names("new", VALUES_MAX).map(|all| all.ends_with("255")), Some(true));
        assert_eq!(names("new", VALUES_MAX + 1), None);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let why = |text: &str| Types::of_text(text).unwrap_err().to_string();
        assert_eq!(why("\nalone"), "line 2: expected a type's name and its sources");
        assert_eq!(why("a ,"), "line 1: expected at least one source");
        assert_eq!(why("a b:GAUGE:0"), "line 1: expected a source as NAME:KIND:MIN:MAX");
        assert_eq!(why("a b:GAUGE:0:x"), "line 1: expected numbers or U as a source's bounds");
        assert_eq!(why("a b:SET:0:1"), {
            "line 1: expected GAUGE, COUNTER, DERIVE or ABSOLUTE as a source's kind"
        });
        assert_eq!(why("a b:GAUGE:0:1,b:GAUGE:0:1"), "line 1: expected each source's name once");
    }
}
