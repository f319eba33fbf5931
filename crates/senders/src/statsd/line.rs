//! One line.

use crate::lines::{Wrong, place};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Counter,
    Gauge,
    Timer,
    Set,
}

/// A line in its parts, all of them right.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    /// One value, or several between colons.
    pub(super) values: &'a str,
    pub(super) measure: Measure,
    /// Which part of all values is sent: greater than 0, at most 1.
    pub(super) rate: f64,
    /// Graphite's `k=v;k=v` behind the name, or empty.
    name_tags: &'a str,
    /// `k:v,k:v`, or empty.
    tags: &'a str,
}

impl<'a> Line<'a> {
    pub(super) fn of(text: &'a str) -> Result<Self, Wrong> {
        let end = text.len();
        let (name, rest) =
            text.split_once(':').ok_or(Wrong { at: end, expected: "a colon behind the name" })?;
        if name.is_empty() {
            return Err(Wrong { at: 0, expected: "a name" });
        }
        let mut parts = rest.split('|');
        let values = parts.next().unwrap_or_default();
        let kind =
            parts.next().ok_or(Wrong { at: end, expected: "| and a kind behind the value" })?;
        let measure = measure(kind)
            .ok_or(Wrong { at: place(text, kind), expected: "c, g, ms, h, d or s as kind" })?;
        let (name, name_tags) = name.split_once(';').unwrap_or((name, ""));
        let mut line = Line { name, values, measure, rate: 1.0, name_tags, tags: "" };
        for part in parts {
            line.section(part).map_err(|expected| Wrong { at: place(text, part), expected })?;
        }
        line.check(text)?;
        Ok(line)
    }

    /// What may stand behind the kind. Sections of other letters are Datadog's own.
    fn section(&mut self, part: &'a str) -> Result<(), &'static str> {
        if let Some(rate) = part.strip_prefix('@') {
            let rate = number(rate).filter(|rate| *rate > 0.0 && *rate <= 1.0);
            self.rate = rate.ok_or("@ and a rate above 0, at most 1")?;
        } else if let Some(tags) = part.strip_prefix('#') {
            self.tags = tags;
        } else if !part.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            return Err("@ and a rate, or # and tags");
        }
        Ok(())
    }

    fn check(&self, text: &str) -> Result<(), Wrong> {
        let wrong = |part, expected| Err(Wrong { at: place(text, part), expected });
        if self.measure == Measure::Set {
            return if self.values.is_empty() { wrong(self.values, "a value") } else { Ok(()) };
        }
        match self.values.split(':').find(|value| number(value).is_none()) {
            Some(value) => wrong(value, "a number as value"),
            None => Ok(()),
        }
    }

    /// Names and values of all tags.
    pub(super) fn tags(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let parted = |tag: &'a str, at| tag.split_once(at).unwrap_or((tag, ""));
        let in_name = self.name_tags.split(';').map(move |tag| parted(tag, '='));
        in_name.chain(self.tags.split(',').map(move |tag| parted(tag, ':')))
    }

    /// The numbers of all measures but a set.
    pub(super) fn numbers(&self) -> impl Iterator<Item = Number> {
        let one =
            |text| Some(Number { number: number(text)?, is_signed: text.starts_with(['+', '-']) });
        self.values.split(':').filter_map(one)
    }
}

/// A value that is a number.
pub(super) struct Number {
    pub(super) number: f64,
    /// Whether a plus or minus stands before it: it changes a gauge then.
    pub(super) is_signed: bool,
}

fn measure(kind: &str) -> Option<Measure> {
    Some(match kind {
        "c" => Measure::Counter,
        "g" => Measure::Gauge,
        "ms" | "h" | "d" => Measure::Timer,
        "s" => Measure::Set,
        _ => return None,
    })
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Appends a name as StatsD sends it to Graphite: a run of white space becomes `_`, a slash `-`, and
/// other letters than these and a-z, A-Z, 0-9, `.`, `-` and `_` are left out.
pub(super) fn write_name(name: &str, out: &mut String) {
    let mut was_white = false;
    for letter in name.chars() {
        match letter {
            '/' => out.push('-'),
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '_' => out.push(letter),
            letter if letter.is_whitespace() && !was_white => out.push('_'),
            _ => (),
        }
        was_white = letter.is_whitespace();
    }
}

/// Appends tags as Graphite has them, `;k=v` each, sorted by name. Of two with the same name the last
/// one counts; one without a value is `true`.
pub(super) fn write_tags<'a>(tags: impl Iterator<Item = (&'a str, &'a str)>, out: &mut String) {
    let mut all: Vec<(&str, &str)> = tags.filter(|(name, _)| !name.is_empty()).collect();
    all.sort_by_key(|(name, _)| *name);
    for (nth, (name, value)) in all.iter().enumerate() {
        if all.get(nth + 1).is_some_and(|(next, _)| next == name) {
            continue;
        }
        out.push(';');
        out.extend(name.chars().map(|letter| plain(letter, &[';', '=', '!', '^'])));
        out.push('=');
        match *value {
            "" => out.push_str("true"),
            value => {
                let begins_tilde = value.starts_with('~');
                out.push_str(if begins_tilde { "_" } else { "" });
                let rest = value.chars().skip(usize::from(begins_tilde));
                out.extend(rest.map(|letter| plain(letter, &[';'])));
            }
        }
    }
}

fn plain(letter: char, forbidden: &[char]) -> char {
    let is_plain = !letter.is_whitespace() && !letter.is_control() && !forbidden.contains(&letter);
    if is_plain { letter } else { '_' }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_parts() {
        let line = Line::of("a:1:-2|ms|@0.5|#k:v,x|c:id|T1700000000").unwrap();
        assert_eq!((line.name, line.measure, line.rate), ("a", Measure::Timer, 0.5));
        let numbers: Vec<_> = line.numbers().map(|it| (it.number, it.is_signed)).collect();
        assert_eq!(numbers, [(1.0, false), (-2.0, true)]);
        let tags =
            |line: &Line<'static>| line.tags().filter(|it| *it != ("", "")).collect::<Vec<_>>();
        assert_eq!(tags(&line), [("k", "v"), ("x", "")]);
        let line = Line::of("hits;host=a;dc=b=c:1|c|#k:v").unwrap();
        assert_eq!(
            (line.name, tags(&line)),
            ("hits", vec![("host", "a"), ("dc", "b=c"), ("k", "v")])
        );
        assert_eq!(Line::of("a:user:7|s").unwrap().values, "user:7");
    }

    #[test]
    fn names_and_tags_are_graphites() {
        let mut out = String::new();
        write_name("a \tb/c.d-é;e_", &mut out);
        let tags = [("z", "1"), ("k", "~v;w x"), ("", ""), ("k2", ""), ("z", "2"), ("", "x")];
        write_tags(tags.into_iter(), &mut out);
        assert_eq!(out, "a_b-c.d-e_;k=_v_w_x;k2=true;z=2");
    }

    #[test]
    fn wrong_lines_are_told_where() {
        for (text, at, expected) in [
            ("abc", 3, "a colon behind the name"),
            (":1|c", 0, "a name"),
            ("a:1", 3, "| and a kind behind the value"),
            ("a:1|x", 4, "c, g, ms, h, d or s as kind"),
            ("a:1:x|c", 4, "a number as value"),
            ("a:inf|g", 2, "a number as value"),
            ("a:|c", 2, "a number as value"),
            ("a:|s", 2, "a value"),
            ("a:1|c|@0", 6, "@ and a rate above 0, at most 1"),
            ("a:1|c|@2", 6, "@ and a rate above 0, at most 1"),
            ("a:1|c|?", 6, "@ and a rate, or # and tags"),
        ] {
            let wrong = Line::of(text).unwrap_err();
            assert_eq!((wrong.at, wrong.expected), (at, expected), "{text}");
        }
    }
}
