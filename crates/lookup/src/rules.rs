//! What the series of a database are called: rules in TOML.
//!
//! ```toml
//! [[series]]
//! database = "{device}/{interface}.rrd"   # each name in braces becomes a label
//! metric = "{ds}"                         # Prometheus' name of the series
//! path = "net.{device}.{interface}"       # Graphite's path, before .{ds}
//! labels = { job = "mrtg", port = "{interface}" }
//! ```
//!
//! The first rule whose pattern matches is the one. Without one, a database that is named after a
//! series with labels ([`senders::database`]) has that series' name and labels. Of any other the path
//! is the database's name with dots for slashes, and the metric is the data source's name. Every
//! series has the label `database`.

use std::collections::BTreeMap;

use senders::database::identity;
use senders::{Identity, VALUE};
use serde::Deserialize;

use crate::template::{NamePattern, Template};
use crate::wrong_rule::WrongRule;

/// The label with the database's name, without `.rrd`.
pub const DATABASE_LABEL: &str = "database";
/// The name that stands for the data source in a rule.
const SOURCE_NAME: &str = "ds";

/// Rules for the names of series.
#[derive(Clone, Debug, Default)]
pub struct Rules(Vec<Rule>);

#[derive(Clone, Debug)]
struct Rule {
    pattern: NamePattern,
    metric: Template,
    path: Option<Template>,
    labels: Vec<(String, Template)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    series: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    database: String,
    metric: Option<String>,
    path: Option<String>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

/// What the series of one database are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// Labels of all its series, [`DATABASE_LABEL`] and the metric's name excepted.
    pub labels: Vec<(String, String)>,
    /// The name of its series; [`Naming::PLACE`] stands for that of the data source.
    pub metric: String,
    /// The path of its series without that of the data source.
    pub path: String,
}

impl Naming {
    /// Stands in a metric's name for that of the data source.
    pub const PLACE: char = '\0';
    /// Stands at the end of a metric's name for `_` and that of the data source, and for nothing
    /// where that is [`VALUE`].
    pub const BEHIND: char = '\u{1}';

    /// The name of its series as Prometheus takes it, with `{ds}` for the data source's; in brackets
    /// stands what a data source `value` does not have.
    #[must_use]
    pub fn metric_shown(&self) -> String {
        if let Some(sent) = self.metric.strip_suffix(Self::BEHIND) {
            return format!("{sent}[_{{ds}}]");
        }
        let parts: Vec<String> = self.metric.split(Self::PLACE).map(with_fine_letters).collect();
        with_no_digit_first(parts.join("{ds}"))
    }
}

impl Rules {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The rules of a text.
    ///
    /// # Errors
    ///
    /// [`WrongRule`], which for TOML's own errors names the line.
    pub fn of_text(text: &str) -> Result<Self, WrongRule> {
        let file: File =
            toml::from_str(text).map_err(|error| WrongRule::Form(error.to_string()))?;
        let rules = file.series.iter().zip(1..).map(|(written, nth)| {
            Rule::new(written).map_err(|why| WrongRule::Rule { nth, why: Box::new(why) })
        });
        rules.collect::<Result<_, _>>().map(Self)
    }

    /// What the series of a database are called, and by which rule, counted from 1.
    #[must_use]
    pub fn naming(&self, database: &str) -> (Naming, Option<usize>) {
        let name = without_suffix(database);
        let by_rule = self.0.iter().enumerate().find_map(|(nth, rule)| {
            Some((rule.naming(name, &rule.pattern.taken_apart(name)?), Some(nth + 1)))
        });
        by_rule.unwrap_or_else(|| (by_itself(name), None))
    }
}

/// A database's name without `.rrd`.
pub(crate) fn without_suffix(database: &str) -> &str {
    database.strip_suffix(".rrd").unwrap_or(database)
}

fn by_itself(name: &str) -> Naming {
    let path = path_of(name);
    let Some(Identity { name: metric, labels }) = identity(name) else {
        return Naming { labels: Vec::new(), metric: Naming::PLACE.into(), path };
    };
    let labels = labels.into_iter().filter(|(name, _)| !name.starts_with("__"));
    let labels = labels.map(|(name, value)| match name.as_str() {
        DATABASE_LABEL => (format!("exported_{name}"), value),
        _ => (name, value),
    });
    Naming { labels: labels.collect(), metric: metric + &Naming::BEHIND.to_string(), path }
}

impl Rule {
    fn new(written: &Written) -> Result<Self, WrongRule> {
        let pattern = NamePattern::new(&written.database)?;
        let names: Vec<&str> = pattern.names.iter().map(String::as_str).collect();
        let with_source = [&[SOURCE_NAME], names.as_slice()].concat();
        let wrong = written.labels.keys().map(String::as_str).chain(names.iter().copied());
        if let Some(name) = wrong.into_iter().find(|name| !is_label(name)) {
            return Err(WrongRule::Label { name: name.to_owned() });
        }
        let metric = written.metric.as_deref().unwrap_or("{ds}");
        let labels = written.labels.iter();
        let labels: Result<_, WrongRule> =
            labels.map(|(name, text)| Ok((name.clone(), Template::new(text, &names)?))).collect();
        Ok(Self {
            metric: Template::new(metric, &with_source)?,
            path: written.path.as_deref().map(|text| Template::new(text, &names)).transpose()?,
            labels: labels?,
            pattern,
        })
    }

    fn naming(&self, name: &str, texts: &[&str]) -> Naming {
        let as_it_is = |text: &str, out: &mut String| out.push_str(text);
        let captured = self.pattern.names.iter().zip(texts);
        let captured = captured.map(|(name, text)| (name.clone(), (*text).to_owned()));
        let given = self.labels.iter();
        let given = given.map(|(name, text)| (name.clone(), text.filled(texts, as_it_is)));
        let place = Naming::PLACE.to_string();
        let with_source = [&[place.as_str()], texts].concat();
        // A name that ends in that letter is no sender's for it.
        let in_metric =
            |text: &str, out: &mut String| out.push_str(&text.replace(Naming::BEHIND, "_"));
        let in_path = |text: &str, out: &mut String| out.push_str(&path_of(text));
        Naming {
            labels: captured.chain(given).collect(),
            metric: self.metric.filled(&with_source, in_metric),
            path: match &self.path {
                Some(path) => path.filled(texts, in_path),
                None => path_of(name),
            },
        }
    }
}

/// A name as a path: a dot separates in paths what a slash separates in names.
fn path_of(name: &str) -> String {
    let letter = |letter| match letter {
        '/' => '.',
        '.' => '_',
        other => other,
    };
    name.chars().map(letter).collect()
}

/// Whether a text can be a label's name that nobody else needs.
fn is_label(name: &str) -> bool {
    let mut letters = name.bytes();
    let first = letters.next();
    first.is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
        && !name.starts_with("__")
        && name != DATABASE_LABEL
        && name != SOURCE_NAME
}

/// The name of a metric: what Prometheus does not take in names is `_`, unless a sender chose it.
pub(crate) fn metric_name(metric: &str, source: &str) -> String {
    if let Some(sent) = metric.strip_suffix(Naming::BEHIND) {
        return if source == VALUE { sent.to_owned() } else { format!("{sent}_{source}") };
    }
    let mut out = String::with_capacity(metric.len() + source.len());
    for letter in metric.chars() {
        match letter {
            Naming::PLACE => out.push_str(source),
            other => out.push(other),
        }
    }
    with_no_digit_first(with_fine_letters(&out))
}

/// A text with `_` for what Prometheus does not take in names.
fn with_fine_letters(text: &str) -> String {
    let is_fine = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == ':';
    text.chars().map(|letter| if is_fine(letter) { letter } else { '_' }).collect()
}

fn with_no_digit_first(mut name: String) -> String {
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_rule_a_path_is_the_name() {
        let (naming, rule) = Rules::default().naming("site/10.0.0.1/port.rrd");
        assert_eq!((naming.path.as_str(), rule), ("site.10_0_0_1.port", None));
        assert_eq!(metric_name(&naming.metric, "0in-x"), "_0in_x");
        assert_eq!(naming.metric_shown(), "{ds}");
    }

    #[test]
    fn without_a_rule_a_name_with_labels_says_of_which_series_it_is() {
        let (naming, rule) = Rules::default().naming("node_load1/instance=h:9100,job=node.rrd");
        let labels = [("instance", "h:9100"), ("job", "node")].map(|(a, b)| (a.into(), b.into()));
        assert_eq!((naming.labels.as_slice(), rule), (&labels[..], None));
        assert_eq!(metric_name(&naming.metric, "value"), "node_load1");
        assert_eq!(metric_name(&naming.metric, "rx"), "node_load1_rx");
        assert_eq!(naming.metric_shown(), "node_load1[_{ds}]");
        // Prometheus calls a label so whose name it needs itself.
        let (naming, _) = Rules::default().naming("a/__x=1,database=b.rrd");
        assert_eq!(naming.labels, [("exported_database".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn the_first_rule_that_matches_is_the_one() {
        let rules = Rules::of_text(
            r#"
            [[series]]
            database = "{host}/{plugin}-{instance}/{type}.rrd"
            metric = "collectd_{type}_{ds}"
            path = "collectd.{host}.{plugin}.{type}"
            labels = { job = "collectd", what = "{plugin} {instance}" }

            [[series]]
            database = "{host}/{rest**}"
            "#,
        )
        .unwrap();
        let (naming, rule) = rules.naming("a.b/if-eth0/octets.rrd");
        assert_eq!(rule, Some(1));
        assert_eq!(naming.path, "collectd.a_b.if.octets");
        assert_eq!(metric_name(&naming.metric, "rx"), "collectd_octets_rx");
        assert_eq!(naming.metric_shown(), "collectd_octets_{ds}");
        assert_eq!(rules.count(), 2);
        let labels: Vec<_> = naming.labels.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert!(labels.contains(&("what", "if eth0")) && labels.contains(&("host", "a.b")));
        let (naming, rule) = rules.naming("a/b/c/d");
        assert_eq!((naming.path.as_str(), rule), ("a.b.c.d", Some(2)));
    }

    #[test]
    fn a_wrong_rule_is_told_with_what_was_expected() {
        let wrong = |text: &str| Rules::of_text(text).unwrap_err().to_string();
        let line = wrong("[[series]]\ndatabase = \"x\"\npaht = \"y\"\n");
        assert!(line.contains("line 3") && line.contains("paht"), "{line}");
        assert_eq!(
            wrong("[[series]]\ndatabase = \"{a}/{a}\"\n"),
            "rule 1: expected each name once in a pattern of databases, found a twice"
        );
        assert_eq!(
            wrong("[[series]]\ndatabase = \"{database}\"\n"),
            "rule 1: expected a label's name of letters, digits and `_`, found database"
        );
        assert_eq!(
            wrong("[[series]]\ndatabase = \"{a}\"\npath = \"{ds}\"\n"),
            "rule 1: {ds}: expected one of a in braces, found ds"
        );
    }
}
