//! A source whose series are in memory, and the same samples as OpenMetrics.

use std::collections::BTreeSet;

use series::{
    Described, Kind, Label, Labels, Matcher, Rows, Selected, Source, Span, Unanswered, Window,
};

/// Series in memory.
#[derive(Default)]
pub(crate) struct Memory(pub(crate) Vec<Selected>);

impl Memory {
    /// Adds a series.
    pub(crate) fn add(&mut self, labels: &[(&str, &str)], kind: Kind, rows: Rows) {
        let labels = labels.iter().map(|(name, value)| Label::new(*name, *value));
        self.0.push(Selected { labels: Labels::new(labels), kind, rows });
    }

    /// All samples as a text of OpenMetrics.
    pub(crate) fn open_metrics(&self) -> String {
        let mut out = String::new();
        for Selected { labels, rows, .. } in &self.0 {
            let others = labels.iter().filter(|it| &*it.name != series::METRIC_NAME);
            let others: Vec<String> =
                others.map(|Label { name, value }| format!("{name}={value:?}")).collect();
            for (time, value) in rows.known() {
                let (name, others) = (labels.metric_name(), others.join(","));
                let (seconds, rest) = (time / 1_000_000, time % 1_000_000 / 1_000);
                let value = match value {
                    it if it.is_infinite() && it > 0.0 => "+Inf".to_owned(),
                    it if it.is_infinite() => "-Inf".to_owned(),
                    it => it.to_string(),
                };
                out.push_str(&format!("{name}{{{others}}} {value} {seconds}.{rest:03}\n"));
            }
        }
        out + "# EOF\n"
    }

    fn matching<'a>(&'a self, matchers: &'a [Matcher]) -> impl Iterator<Item = &'a Selected> {
        self.0.iter().filter(|it| matchers.iter().all(|matcher| matcher.takes(&it.labels)))
    }
}

/// The rows whose steps end within a span.
fn within(rows: &Rows, span: &Span) -> Rows {
    let is_in = |nth: usize| {
        rows.end_micros(nth) > span.start_micros && rows.end_micros(nth) <= span.end_micros
    };
    let first = (0..rows.values.len()).find(|nth| is_in(*nth)).unwrap_or(rows.values.len());
    let count = (first..rows.values.len()).take_while(|nth| is_in(*nth)).count();
    Rows {
        start_micros: rows.start_micros + first as i64 * rows.step_micros,
        step_micros: rows.step_micros,
        values: rows.values[first..][..count].to_vec(),
    }
}

impl Source for Memory {
    fn select(&self, matchers: &[Matcher], window: &Window) -> Result<Vec<Selected>, Unanswered> {
        let cut = |it: &Selected| Selected { rows: within(&it.rows, &window.span), ..it.clone() };
        Ok(self.matching(matchers).map(cut).collect())
    }

    fn describe(&self, matchers: &[Matcher]) -> Result<Vec<Described>, Unanswered> {
        let described = |it: &Selected| Described {
            labels: it.labels.clone(),
            kind: it.kind,
            step_micros: it.rows.step_micros,
        };
        Ok(self.matching(matchers).map(described).collect())
    }

    fn label_names(&self, matchers: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        let names = self.matching(matchers).flat_map(|it| it.labels.iter());
        let names: BTreeSet<String> = names.map(|label| label.name.to_string()).collect();
        Ok(names.into_iter().collect())
    }

    fn label_values(&self, label: &str, matchers: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        let values = self.matching(matchers).map(|it| it.labels.get(label).to_owned());
        let values: BTreeSet<String> = values.filter(|it| !it.is_empty()).collect();
        Ok(values.into_iter().collect())
    }
}
