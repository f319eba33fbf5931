//! `gyre config check --series`: rules that name series, and what they call a database's.

use std::fmt::Write as _;
use std::path::Path;

use lookup::{DATABASE_LABEL, Naming, Rules};
use serde_json::{Value, json};

use super::{Failure, answer_json};
use crate::command_line::answer;
use crate::series_rules::rules;

/// Checks a file of rules, and says what the series of a database are called if one is named.
pub(super) fn run(file: &Path, database: Option<&str>, as_json: bool) -> Result<(), Failure> {
    let shown = file.display().to_string();
    let rules = match rules(Some(file)) {
        Ok(rules) => rules,
        Err(error) if as_json => {
            let error = error.to_string();
            answer_json(&json!({ "file": shown, "valid": false, "error": error }))?;
            return Err(Failure::Told);
        }
        Err(error) => return Err(error.into()),
    };
    let called = database.map(|database| Called::of(&rules, database));
    match as_json {
        true => answer_json(&json!({
            "file": shown,
            "valid": true,
            "rules": rules.count(),
            "database": called.map(|it| it.json()),
        })),
        false => {
            let called = called.map(|it| it.text()).unwrap_or_default();
            Ok(answer(&format!("{called}{shown}: valid: {} rules\n", rules.count()))?)
        }
    }
}

/// What the series of a database are called.
struct Called<'a> {
    database: &'a str,
    naming: Naming,
    /// The rule that says so, counted from 1.
    rule: Option<usize>,
}

impl<'a> Called<'a> {
    fn of(rules: &Rules, database: &'a str) -> Self {
        let (naming, rule) = rules.naming(database);
        Self { database, naming, rule }
    }

    /// All labels; those without a value are none for Prometheus.
    fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        let name = self.database.strip_suffix(".rrd").unwrap_or(self.database);
        let of_rule = self.naming.labels.iter().map(|(label, value)| (&**label, &**value));
        of_rule.chain([(DATABASE_LABEL, name)]).filter(|(_, value)| !value.is_empty())
    }

    fn path(&self) -> String {
        format!("{}.{{ds}}", self.naming.path)
    }

    fn text(&self) -> String {
        let rule = self.rule.map_or("none matches".to_owned(), |nth| nth.to_string());
        let mut text = format!("database  {}\nrule      {rule}\n", self.database);
        let _ = writeln!(text, "metric    {}", self.naming.metric_shown());
        for (label, value) in self.labels() {
            let _ = writeln!(text, "label     {label}={value:?}");
        }
        let _ = writeln!(text, "path      {}", self.path());
        text
    }

    fn json(&self) -> Value {
        json!({
            "name": self.database,
            "rule": self.rule,
            "metric": self.naming.metric_shown(),
            "labels": self.labels().collect::<std::collections::BTreeMap<_, _>>(),
            "path": self.path(),
        })
    }
}
