//! Names and values of a URL, each of which may stand there several times.

/// The words behind the question mark of a URL, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UrlWords(Vec<(String, String)>);

impl UrlWords {
    /// Reads them; everything can be read.
    pub(crate) fn of(query: &str) -> Self {
        let words = form_urlencoded::parse(query.as_bytes());
        Self(words.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// All values of a name, without empty ones.
    pub(crate) fn all(&self, wanted: &str) -> Vec<String> {
        let found = self.0.iter().filter(|(name, value)| name == wanted && !value.is_empty());
        found.map(|(_, value)| value.clone()).collect()
    }

    /// The last value of a name that is not empty.
    pub(crate) fn last(&self, wanted: &str) -> Option<&str> {
        let mut found = self.0.iter().rev().filter(|(name, _)| name == wanted);
        found.next().map(|(_, value)| &**value).filter(|value| !value.is_empty())
    }

    /// The last value of each name.
    pub(crate) fn single(&self) -> std::collections::HashMap<String, String> {
        self.0.iter().cloned().collect()
    }
}
