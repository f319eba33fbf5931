//! What a run tells the operator on standard error: a line each, as text or as JSON.
//!
//! ```text
//! 4 new databases in /var/mrtg
//! {"time":"2026-01-02T03:04:05.678Z","level":"info","event":"databases made","message":"4 new …","count":4,…}
//! ```
//!
//! No community, password or key may be in an event.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value};

/// How events are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// The words alone, for people.
    #[default]
    Text,
    /// An object on each line, for programs.
    Json,
}

/// Whether events are written as JSON: one process has one standard error.
static IS_JSON: AtomicBool = AtomicBool::new(false);

impl LogFormat {
    /// Writes all later events so.
    pub(super) fn begin(self) {
        IS_JSON.store(self == Self::Json, Ordering::Relaxed);
    }

    /// How events are written at present.
    pub(super) fn current() -> Self {
        if IS_JSON.load(Ordering::Relaxed) { Self::Json } else { Self::Text }
    }
}

/// How much an event matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Info,
    Warning,
    Error,
}

/// An event: its name, what it tells in words, and the same as fields.
#[derive(Debug)]
#[must_use = "an event is seen when it is told"]
pub(super) struct Event {
    name: &'static str,
    level: Level,
    words: String,
    fields: Map<String, Value>,
}

impl Event {
    /// Something that happens in any run.
    pub(super) fn info(name: &'static str, words: impl Display) -> Self {
        Self { name, level: Level::Info, words: words.to_string(), fields: Map::new() }
    }

    /// Something that the operator may want to change.
    pub(super) fn warning(name: &'static str, words: impl Display) -> Self {
        Self { level: Level::Warning, ..Self::info(name, words) }
    }

    /// Something that failed.
    pub(super) fn error(name: &'static str, words: impl Display) -> Self {
        Self { level: Level::Error, ..Self::info(name, words) }
    }

    /// Adds a field.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// Prints it. If standard error is closed, the run goes on.
    pub(super) fn tell(self) {
        match LogFormat::current() {
            LogFormat::Text => rrdtool::complain!("{}", self.words),
            LogFormat::Json => rrdtool::complain!("{}", self.into_json(&now())),
        }
    }

    fn into_json(self, time: &str) -> Value {
        let level = match self.level {
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        let mut object = Map::new();
        object.insert("time".to_owned(), time.into());
        object.insert("level".to_owned(), level.into());
        object.insert("event".to_owned(), self.name.into());
        object.insert("message".to_owned(), self.words.into());
        object.extend(self.fields);
        Value::Object(object)
    }
}

/// The time as RFC 3339 has it.
fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_its_words_and_its_fields() {
        let event = Event::warning("disk full", "no \"room\"").with("bytes", 7);
        let json = event.into_json("2026-01-02T03:04:05.678Z");
        let expected = r#"{"time":"2026-01-02T03:04:05.678Z","level":"warning","event":"disk full","message":"no \"room\"","bytes":7}"#;
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(json, expected);
    }

    #[test]
    fn times_have_milliseconds_and_no_zone_but_utc() {
        let now = now();
        assert!(now.len() == 24 && now.ends_with('Z') && now.as_bytes()[19] == b'.', "{now}");
    }
}
