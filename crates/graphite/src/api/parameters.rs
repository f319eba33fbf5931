//! Parameters of a request.

use crate::Error;

/// Parameters of a request, decoded: those of its URL, then those of the form that is its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters(Vec<Parameter>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parameter {
    name: String,
    value: String,
}

impl Parameters {
    /// Parameters by their names and values, in their order.
    #[must_use]
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(pairs.into_iter().map(|(name, value)| Parameter { name, value }).collect())
    }

    /// A parameter; of several, the last one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|it| it.name == name).map(|it| it.value.as_str())
    }

    /// A parameter that must be given.
    pub(crate) fn required(&self, name: &'static str) -> Result<&str, Error> {
        self.get(name).filter(|it| !it.is_empty()).ok_or(Error::NoParameter { name })
    }

    /// A parameter that may be given several times, perhaps with `[]` behind its name.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let of = |name: &str| -> Vec<&str> {
            self.0.iter().filter(|it| it.name == name).map(|it| it.value.as_str()).collect()
        };
        let all = of(name);
        if all.is_empty() { of(&format!("{name}[]")) } else { all }
    }

    /// Whether something is wished for: `1` or `true`.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some_and(|it| it.eq_ignore_ascii_case("true") || it == "1")
    }

    /// A number.
    pub(crate) fn number<T: std::str::FromStr>(
        &self,
        name: &'static str,
        expected: &'static str,
    ) -> Result<Option<T>, Error> {
        let wrong = |found: &str| Error::Parameter { name, expected, found: found.to_owned() };
        let given = self.get(name).filter(|it| !it.is_empty());
        given.map(|it| it.parse().map_err(|_| wrong(it))).transpose()
    }

    /// Values of `template[name]`.
    pub(crate) fn template(&self) -> std::collections::BTreeMap<String, String> {
        let named = self.0.iter().filter_map(|it| {
            let name = it.name.strip_prefix("template[")?.strip_suffix(']')?;
            Some((name.to_owned(), it.value.clone()))
        });
        named.collect()
    }

    /// An answer is never wrapped in a call: it would be a script.
    pub(crate) fn check_no_script(&self) -> Result<(), Error> {
        let refused = |found: &str| {
            let expected = "none: answers are not scripts";
            Err(Error::Parameter { name: "jsonp", expected, found: found.to_owned() })
        };
        self.get("jsonp").map_or(Ok(()), refused)
    }
}
