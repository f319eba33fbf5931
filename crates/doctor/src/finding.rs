//! The result of a check.

/// The state of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// There is nothing to change.
    Ok,
    /// The check could not get its facts.
    Unknown,
    /// A change would be an improvement.
    Advice,
    /// The present state costs samples, speed or safety.
    Warning,
}

impl State {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unknown => "unknown",
            Self::Advice => "advice",
            Self::Warning => "warning",
        }
    }
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The state.
    pub state: State,
    /// What was found.
    pub found: String,
    /// What to change: the exact commands and lines of files.
    pub change: Vec<String>,
    /// The gain of the change: a figure, and its source.
    pub gain: Option<String>,
}

impl Finding {
    fn new(state: State, found: impl Into<String>) -> Self {
        Self { state, found: found.into(), change: Vec::new(), gain: None }
    }

    pub(crate) fn ok(found: impl Into<String>) -> Self {
        Self::new(State::Ok, found)
    }

    pub(crate) fn unknown(found: impl Into<String>) -> Self {
        Self::new(State::Unknown, found)
    }

    pub(crate) fn advice(found: impl Into<String>) -> Self {
        Self::new(State::Advice, found)
    }

    pub(crate) fn warning(found: impl Into<String>) -> Self {
        Self::new(State::Warning, found)
    }

    pub(crate) fn change(mut self, change: impl Into<String>) -> Self {
        self.change.push(change.into());
        self
    }

    pub(crate) fn gain(mut self, gain: impl Into<String>) -> Self {
        self.gain = Some(gain.into());
        self
    }
}
