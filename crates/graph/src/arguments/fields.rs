//! The fields of an element: text between colons, some of them `key=value`.

use crate::Error;

/// Splits at colons; `\:` is a colon within a field.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        let field = fields.last_mut().expect("there is always one field");
        match next {
            '\\' if rest.peek() == Some(&':') => {
                rest.next();
                field.push(':');
            }
            ':' => fields.push(String::new()),
            _ => field.push(next),
        }
    }
    fields
}

/// The fields that nobody has asked for yet.
pub(super) struct Fields<'a> {
    whole: &'a str,
    rest: Vec<String>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(whole: &'a str, rest: Vec<String>) -> Self {
        Self { whole, rest }
    }

    /// The next field.
    pub(super) fn next(&mut self) -> Option<String> {
        if self.rest.is_empty() { None } else { Some(self.rest.remove(0)) }
    }

    /// The next field, or what rrdtool says when it is missing.
    pub(super) fn need(&mut self, what: &str) -> Result<String, Error> {
        self.next().ok_or_else(|| Error::Element(format!("No positional {what}")))
    }

    /// Takes the value of `key=value`, wherever it stands.
    pub(super) fn value_of(&mut self, key: &str) -> Option<String> {
        let at = self
            .rest
            .iter()
            .position(|field| field.strip_prefix(key).is_some_and(|tail| tail.starts_with('=')))?;
        Some(self.rest.remove(at)[key.len() + 1..].to_owned())
    }

    /// Takes the word `flag`, or `flag=1`, wherever it stands.
    pub(super) fn flag(&mut self, flag: &str) -> bool {
        if let Some(at) = self.rest.iter().position(|field| field == flag) {
            self.rest.remove(at);
            return true;
        }
        let value = self.value_of(flag);
        value.is_some_and(|value| value != "0")
    }

    /// Takes the last field that is one of these words.
    pub(super) fn last_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let is_one = |field: &String| words.iter().copied().find(|word| field == word);
        let at = self.rest.iter().rposition(|field| is_one(field).is_some())?;
        is_one(&self.rest.remove(at))
    }

    /// Complains of what is left over.
    pub(super) fn finish(self) -> Result<(), Error> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let (unused, whole) = (self.rest.join(":"), self.whole);
        Err(Error::Element(format!("Unused Arguments \"{unused}\" in command : {whole}")))
    }
}
