//! A strict reader of the text formats of Prometheus and OpenMetrics: whatever it does not expect,
//! it panics at.

use std::collections::{BTreeMap, BTreeSet};

/// The samples of a text: each name with its labels, and the value.
pub(crate) type Samples = BTreeMap<String, f64>;

/// Reads a text; `is_open` for OpenMetrics.
pub(crate) fn read(text: &str, is_open: bool) -> Samples {
    assert!(text.ends_with('\n') && !text.contains("\n\n") && !text.contains('\r'));
    assert_eq!(text.ends_with("\n# EOF\n"), is_open);
    let mut reader = Reader { is_open, ..Reader::default() };
    for line in text.lines().filter(|line| *line != "# EOF") {
        match line.strip_prefix("# ") {
            Some(comment) => reader.comment(comment),
            None => reader.sample(line),
        }
    }
    reader.end_family();
    reader.samples
}

#[derive(Default)]
struct Reader {
    is_open: bool,
    family: String,
    kind: String,
    has_help: bool,
    done: BTreeSet<String>,
    samples: Samples,
    /// The samples of the present family, in order.
    recent: Vec<(String, f64)>,
}

impl Reader {
    fn comment(&mut self, comment: &str) {
        let mut words = comment.splitn(3, ' ');
        let mut next = || words.next().unwrap_or_else(|| panic!("a word is missing: {comment}"));
        let (word, name, rest) = (next(), next(), next());
        assert!(is_name(name), "{comment}");
        if name != self.family {
            self.end_family();
            assert!(self.done.insert(name.to_owned()), "{name} is in two places");
            (self.family, self.kind, self.has_help) = (name.to_owned(), String::new(), false);
        }
        assert!(self.recent.is_empty(), "a comment after samples: {comment}");
        match word {
            "HELP" => {
                assert!(!self.has_help && !rest.contains('\\') && rest.len() > 5, "{comment}");
                self.has_help = true;
            }
            "TYPE" => {
                assert!(["counter", "gauge", "histogram"].contains(&rest), "{comment}");
                assert!(self.kind.is_empty(), "two types: {comment}");
                self.kind = rest.to_owned();
            }
            "UNIT" => assert!(self.is_open && name.ends_with(&format!("_{rest}")), "{comment}"),
            _ => panic!("{comment}"),
        }
    }

    fn sample(&mut self, line: &str) {
        let (series, value) = line.rsplit_once(' ').unwrap();
        let name = series.split('{').next().unwrap();
        assert!(is_name(name) && self.has_help && !self.kind.is_empty(), "{line}");
        let suffix = name.strip_prefix(&*self.family).unwrap_or_else(|| panic!("{line}"));
        let expected: &[&str] = match (&*self.kind, self.is_open) {
            ("counter", true) => &["_total"],
            ("histogram", _) => &["_bucket", "_sum", "_count"],
            _ => &[""],
        };
        assert!(expected.contains(&suffix), "{line}");
        if self.kind == "counter" {
            assert!(name.ends_with("_total"), "{line}");
        }
        if let Some(labels) = series.strip_prefix(name).filter(|labels| !labels.is_empty()) {
            read_labels(labels);
        }
        let value: f64 = value.parse().unwrap();
        assert!(value.is_finite() && (value >= 0.0 || self.kind == "gauge"), "{line}");
        assert_eq!(self.samples.insert(series.to_owned(), value), None, "twice: {line}");
        self.recent.push((series.to_owned(), value));
    }

    fn end_family(&mut self) {
        let recent = std::mem::take(&mut self.recent);
        if self.family.is_empty() {
            return;
        }
        assert!(!self.kind.is_empty() && self.has_help, "{}", self.family);
        if self.kind != "histogram" {
            return;
        }
        let (buckets, rest) = recent.split_at(recent.len() - 2);
        let bound = |series: &str| {
            let text =
                series.split("le=\"").nth(1).unwrap().strip_suffix("\"}").unwrap().to_owned();
            assert!(text == "+Inf" || text.contains('.'), "a bound is a fraction: {series}");
            text.parse::<f64>().unwrap()
        };
        assert!(buckets.windows(2).all(|two| bound(&two[0].0) < bound(&two[1].0)));
        assert!(buckets.windows(2).all(|two| two[0].1 <= two[1].1), "{buckets:?}");
        let last = buckets.last().unwrap();
        assert_eq!(bound(&last.0), f64::INFINITY);
        assert!(rest[0].0.ends_with("_sum") && rest[1].0.ends_with("_count"));
        assert_eq!(last.1, rest[1].1);
    }
}

fn is_name(name: &str) -> bool {
    let is_fit = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.chars().all(is_fit)
}

/// Reads `{name="value",...}`.
fn read_labels(text: &str) {
    let mut rest = text.strip_prefix('{').unwrap();
    let mut names = BTreeSet::new();
    loop {
        let (name, after) = rest.split_once("=\"").unwrap();
        assert!(is_name(name) && names.insert(name), "{text}");
        let mut letters = after.char_indices();
        let end = loop {
            match letters.next().unwrap_or_else(|| panic!("no end: {text}")) {
                (at, '"') => break at,
                (_, '\\') => {
                    assert!(matches!(letters.next(), Some((_, '\\' | '"' | 'n'))), "{text}")
                }
                _ => {}
            }
        };
        rest = &after[end + 1..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => break,
        }
    }
    assert_eq!(rest, "}", "{text}");
}
