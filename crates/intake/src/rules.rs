//! Which series are kept, and in which layout: rules in TOML.
//!
//! ```toml
//! [[layout]]
//! series = "servers.*.**"     # * is a part between dots, ** is anything
//! labels = { job = "node*" }  # all of them have to match
//! step = "10s"
//! heartbeat = "2m"
//! type = "GAUGE"
//! min = 0
//! archives = ["RRA:AVERAGE:0.5:1:8640"]
//!
//! [[layout]]
//! series = "debug.**"
//! drop = true
//! ```
//!
//! The first rule that matches is the one. What a layout does not say is as without a rule.

use senders::database::{self, Unnamable};
use senders::{Form, Identity, Kind};

use crate::layout::Layout;
use crate::pattern::Pattern;
use crate::written::Written;
use crate::wrong_rule::WrongRule;

/// Rules, the first that matches counts.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    usual: Layout,
}

#[derive(Clone, Debug)]
struct Rule {
    name: Option<Pattern>,
    labels: Vec<(String, Pattern)>,
    /// `None` if such series are not kept.
    layout: Option<Layout>,
}

/// What becomes of a series.
#[derive(Clone, Copy, Debug)]
pub enum Fate<'r> {
    /// It is kept.
    Kept(&'r Layout),
    /// It is not.
    Dropped,
}

/// What becomes of a series, and why.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The rule, counted from 1; `None` if none matches.
    pub rule: Option<usize>,
    /// The database, or why there can be none.
    pub database: Result<String, Unnamable>,
    /// What would make that database by `rrdtool create`; `None` if the series is dropped.
    pub arguments: Option<Vec<String>>,
}

impl Rules {
    /// Rules as a file has them.
    ///
    /// # Errors
    ///
    /// A pattern or a layout is wrong; the rule is named by its number.
    pub fn new(written: &[Written]) -> Result<Self, WrongRule> {
        let rules = written.iter().zip(1..).map(|(written, nth)| {
            Rule::new(written).map_err(|why| WrongRule::Rule { nth, why: Box::new(why) })
        });
        Ok(Self { rules: rules.collect::<Result<_, _>>()?, usual: Layout::default() })
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rules.len()
    }

    /// What becomes of a series, and by which rule, counted from 1.
    #[must_use]
    pub fn fate(&self, identity: &Identity) -> (Fate<'_>, Option<usize>) {
        match self.rules.iter().position(|rule| rule.matches(identity)) {
            None => (Fate::Kept(&self.usual), None),
            Some(at) => {
                let fate = self.rules[at].layout.as_ref().map_or(Fate::Dropped, Fate::Kept);
                (fate, Some(at + 1))
            }
        }
    }

    /// What becomes of a series with these sources, and why.
    #[must_use]
    pub fn explained(
        &self,
        identity: &Identity,
        form: Form,
        sources: &[(&str, Kind)],
    ) -> Explained {
        let (fate, rule) = self.fate(identity);
        let arguments = match fate {
            Fate::Kept(layout) => Some(layout.arguments(sources)),
            Fate::Dropped => None,
        };
        Explained { rule, database: database::name(identity, form), arguments }
    }
}

impl Rule {
    fn new(written: &Written) -> Result<Self, WrongRule> {
        if written.drop && written.has_layout() {
            return Err(WrongRule::Both);
        }
        let labels = written.labels.iter();
        let labels: Result<_, WrongRule> =
            labels.map(|(name, text)| Ok((name.clone(), Pattern::of_values(text)?))).collect();
        Ok(Self {
            name: written.series.as_deref().map(Pattern::of_names).transpose()?,
            labels: labels?,
            layout: if written.drop { None } else { Some(Layout::new(written)?) },
        })
    }

    fn matches(&self, identity: &Identity) -> bool {
        let value = |wanted: &str| {
            let at = identity.labels.binary_search_by(|(name, _)| name.as_str().cmp(wanted));
            at.map_or("", |at| identity.labels[at].1.as_str())
        };
        self.name.as_ref().is_none_or(|pattern| pattern.matches(&identity.name))
            && self.labels.iter().all(|(name, pattern)| pattern.matches(value(name)))
    }
}

#[cfg(test)]
mod tests {
    use senders::Series;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct File {
        layout: Vec<Written>,
    }

    fn rules(text: &str) -> Result<Rules, WrongRule> {
        Rules::new(&toml::from_str::<File>(text).unwrap().layout)
    }

    #[test]
    fn the_first_rule_that_matches_is_the_one() {
        let text = r#"
            [[layout]]
            series = "servers.**"
            step = "10s"
            min = 0
            archives = ["RRA:AVERAGE:0.5:1:10"]
            [[layout]]
            labels = { job = "test*" }
            drop = true
            [[layout]]
            series = "node_*"
            type = "DDERIVE"
        "#;
        let rules = rules(text).unwrap();
        let explained = |series: Series<'_>| {
            let sources = [("value", Kind::Gauge)];
            rules.explained(&series.identity(), series.form(), &sources)
        };
        let found = explained(Series::Graphite("servers.a.load"));
        assert_eq!((found.rule, found.database.unwrap().as_str()), (Some(1), "servers/a/load.rrd"));
        assert_eq!(
            found.arguments.unwrap(),
            ["--step", "10s", "DS:value:GAUGE:100:0:U", "RRA:AVERAGE:0.5:1:10",]
        );
        let labels = [("__name__", "node_load1"), ("job", "test-1")];
        let found = explained(Series::Labels(&labels));
        assert_eq!((found.rule, found.arguments.is_none()), (Some(2), true));
        let found = explained(Series::Labels(&labels[..1]));
        assert_eq!(found.arguments.unwrap()[2], "DS:value:DDERIVE:600:U:U");
        assert_eq!(explained(Series::Graphite("x")).rule, None);
    }

    #[test]
    fn a_wrong_rule_is_told_by_its_number() {
        let wrong = |text: &str| rules(text).unwrap_err().to_string();
        let good = "[[layout]]\nseries = \"a\"\n";
        let told = wrong(&format!("{good}[[layout]]\narchives = [\"RRA:AVG:0.5:1:1\"]"));
        assert!(told.starts_with("[[layout]] 2: "), "{told}");
        let told = wrong("[[layout]]\nseries = \"\"");
        assert!(told.contains("expected a name"), "{told}");
        let told = wrong("[[layout]]\ndrop = true\nstep = 10");
        assert!(told.contains("found both"), "{told}");
    }
}
