//! What a series is called.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap as _, Serializer};

/// The label that holds a series' name in Prometheus' data model.
pub const METRIC_NAME: &str = "__name__";

/// A label: its name and its value. Both are shared, for the same texts stand in many series.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// The name.
    pub name: Arc<str>,
    /// The value; never empty, for an empty value means that there is no such label.
    pub value: Arc<str>,
}

/// The labels of a series, sorted by name; each name stands there once.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Labels(Vec<Label>);

impl Labels {
    /// The labels of a list in any order. Of two with the same name the last one counts; those
    /// with an empty value are left out.
    #[must_use]
    pub fn new(labels: impl IntoIterator<Item = Label>) -> Self {
        let mut all = Self(Vec::new());
        labels.into_iter().for_each(|label| all.set(label));
        all
    }

    /// The labels of a list that is sorted by name and has each name once; those with an empty
    /// value are left out.
    ///
    /// # Panics
    ///
    /// Where tests run, if the list is not sorted.
    #[must_use]
    pub fn of_sorted(labels: impl ExactSizeIterator<Item = Label>) -> Self {
        let mut all = Vec::with_capacity(labels.len());
        all.extend(labels.filter(|label| !label.value.is_empty()));
        debug_assert!(all.is_sorted_by(|one: &Label, other| one.name < other.name));
        Self(all)
    }

    /// The value of a label; an empty text if there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> &str {
        self.place(name).map_or("", |at| &self.0[at].value)
    }

    /// The series' name.
    #[must_use]
    pub fn metric_name(&self) -> &str {
        self.get(METRIC_NAME)
    }

    /// Sets a label; an empty value removes it.
    pub fn set(&mut self, label: Label) {
        match (self.place(&label.name), label.value.is_empty()) {
            (Ok(at), true) => drop(self.0.remove(at)),
            (Ok(at), false) => self.0[at] = label,
            (Err(_), true) => (),
            (Err(at), false) => self.0.insert(at, label),
        }
    }

    /// Removes a label.
    pub fn remove(&mut self, name: &str) {
        if let Ok(at) = self.place(name) {
            self.0.remove(at);
        }
    }

    /// Keeps the labels for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.0.retain(|label| keep(&label.name));
    }

    /// All labels, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Label> {
        self.0.iter()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|label| (*label.name).cmp(name))
    }
}

impl Label {
    /// A label.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, value: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

/// As an object of JSON whose keys are the names.
impl Serialize for Labels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for Label { name, value } in &self.0 {
            map.serialize_entry(&**name, &**value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(texts: &[(&str, &str)]) -> Labels {
        Labels::new(texts.iter().map(|(name, value)| Label::new(*name, *value)))
    }

    #[test]
    fn names_are_sorted_and_unique_and_values_are_not_empty() {
        let labels = labels(&[("b", "1"), ("a", "2"), ("b", "3"), ("c", "")]);
        let texts: Vec<_> = labels.iter().map(|label| (&*label.name, &*label.value)).collect();
        assert_eq!(texts, [("a", "2"), ("b", "3")]);
        assert_eq!((labels.get("b"), labels.get("c")), ("3", ""));
    }

    #[test]
    fn an_empty_value_removes_a_label() {
        let mut labels = labels(&[("a", "1"), ("b", "2")]);
        labels.set(Label::new("a", ""));
        labels.set(Label::new("z", ""));
        labels.remove("b");
        assert!(labels.is_empty());
    }
}
