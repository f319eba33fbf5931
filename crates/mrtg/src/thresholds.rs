//! What is watched of a target's values, and who is told: the keys `Thresh...` and `HWThresh...`.

use std::path::PathBuf;

use crate::Position;

/// What is watched of a target. Targets with equal settings share it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Thresholds {
    /// `Thresh...`: the rates of the last step.
    pub rates: Limits,
    /// `HWThresh...`: whether the last step was aberrant, as archives of FAILURES say.
    pub failures: Limits,
}

impl Thresholds {
    /// Whether nothing is watched, whoever would be told.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        [&self.rates, &self.failures].iter().all(|limits| limits.is_idle())
    }
}

/// The limits of both directions, and who is told when a value passes one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    /// `ThreshMinI` and `ThreshMinO`, as they are written: a number, or a share of MaxBytes with
    /// `%` behind it.
    pub min: [Option<String>; 2],
    /// `ThreshMaxI` and `ThreshMaxO`.
    pub max: [Option<String>; 2],
    /// `ThreshDesc`.
    pub description: Option<String>,
    /// `ThreshProgI` and `ThreshProgO`: run when a limit of the direction is broken.
    pub programs: [Option<PathBuf>; 2],
    /// `ThreshProgOKI` and `ThreshProgOKO`: run when it holds again.
    pub programs_ok: [Option<PathBuf>; 2],
    /// `ThreshMailAddress`: addresses with commas between them.
    pub mail_to: Option<String>,
}

impl Limits {
    /// Whether there is no limit.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.min.iter().chain(&self.max).all(Option::is_none)
    }

    /// All programs.
    pub fn all_programs(&self) -> impl Iterator<Item = &PathBuf> {
        self.programs.iter().chain(&self.programs_ok).flatten()
    }
}

/// The global keys of thresholds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThresholdGlobals {
    /// `ThreshDir`: where files mark the limits that are broken; without it nothing is remembered.
    pub directory: Option<ThreshDir>,
    /// `ThreshHyst`: without ThreshDir, a value this share beyond its limit is not told any more.
    pub hysteresis: Option<f64>,
    /// `HWThreshHyst`.
    pub failure_hysteresis: Option<f64>,
    /// `ThreshMailServer` and `ThreshMailSender`.
    pub mail: Option<MailGlobals>,
}

/// `ThreshDir`.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreshDir {
    /// The directory, with one slash at its end.
    pub path: PathBuf,
    /// The line that names it.
    pub position: Position,
}

/// Who sends mail, and through whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailGlobals {
    /// `ThreshMailServer`: hosts, each with `:port` if that is not 25. The first that answers is
    /// used.
    pub servers: Vec<String>,
    /// `ThreshMailSender`.
    pub sender: String,
}

/// `SendToGraphite`: who gets a copy of every reading.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GraphiteReceiver {
    /// Its name or address.
    pub host: String,
    /// Its TCP port, usually 2003.
    pub port: u16,
}
