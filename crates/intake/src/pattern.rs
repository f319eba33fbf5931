//! Patterns of names and of labels' values.

use regex::Regex;

use crate::wrong_rule::WrongRule;

/// A text in which `*` stands for letters other than the separator, and `**` for any.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Regex);

impl Pattern {
    /// A pattern of names: their parts are separated by slashes if it has some, as those of collectd
    /// are, which no pattern without a slash means.
    pub(crate) fn of_names(text: &str) -> Result<Self, WrongRule> {
        Self::new(text, if text.contains('/') { "[^/]*" } else { "[^./]*" })
    }

    /// A pattern of values, which have no parts.
    pub(crate) fn of_values(text: &str) -> Result<Self, WrongRule> {
        Self::new(text, ".*")
    }

    fn new(text: &str, part: &str) -> Result<Self, WrongRule> {
        let wrong = || WrongRule::Pattern { text: text.to_owned() };
        if text.is_empty() {
            return Err(wrong());
        }
        let anything = text.split("**").map(|between| {
            let parts: Vec<String> = between.split('*').map(regex::escape).collect();
            parts.join(part)
        });
        let whole = anything.collect::<Vec<_>>().join(".*");
        let regex = Regex::new(&format!("^(?s:{whole})$"));
        regex.map(Self).map_err(|_| wrong())
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stays_within_its_part() {
        let matches = |pattern: &str, text| Pattern::of_names(pattern).unwrap().matches(text);
        assert!(matches("servers.*.load", "servers.web1.load"));
        assert!(!matches("servers.*.load", "servers.a.b.load"));
        assert!(matches("servers.**", "servers.a.b.load") && matches("**", "x/y.z"));
        assert!(matches("node*", "node_load1") && !matches("node*", "node7/cpu-0/cpu-idle"));
        assert!(matches("*/cpu-*/*", "h.example.org/cpu-0/cpu-idle"));
        assert!(!matches("a.b", "axb") && Pattern::of_names("").is_err());
        assert!(Pattern::of_values("node*").unwrap().matches("node.a/b"));
    }
}
