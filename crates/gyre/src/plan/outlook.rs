//! What a running store has left, as `gyre plan` predicts.

use planner::{PlanError, Prediction, Way, most, predict};

use super::arguments::Wanted;
use super::failure::Failure;
use super::load::Load;
use super::machine::Found;
use super::subject::Subject;
use super::words::{at_most, name, used};

/// What is left.
pub(crate) struct Outlook {
    /// How many more databases the machine carries.
    pub(crate) more: u64,
    /// The share of the scarcest resource that is used; 1 is all that there may be.
    pub(crate) strain: f64,
    /// The same in words.
    pub(crate) words: Vec<String>,
}

/// Why nothing can be said.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoOutlook {
    /// The machine does not tell what it is.
    #[error("{0}")]
    Machine(Failure),
    /// The databases have no prediction.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// What is left on this machine.
///
/// # Errors
/// The machine does not tell what it is, or the databases have no prediction.
pub(crate) fn outlook(load: &Load<'_>) -> Result<Outlook, NoOutlook> {
    let subject = Subject::running(load);
    let found = Found::look(&Wanted::default(), &subject).map_err(NoOutlook::Machine)?;
    let way = match load.pace {
        Some(pace) => Way::Ring { pace: Some(pace) },
        None => Way::FILES,
    };
    let (fleet, machine) = (subject.fleet(), &found.machine);
    let prediction = predict(&fleet, machine, way)?;
    let carried = most(&fleet, machine, way)?;
    let more = carried.saturating_sub(fleet.databases());
    let words = vec![
        room(fleet.databases(), more, &prediction),
        format!("Scarcest: {}.", used(prediction.bound(), &prediction, machine)),
    ];
    Ok(Outlook { more, strain: prediction.bound().strain(), words })
}

fn room(databases: u64, more: u64, prediction: &Prediction) -> String {
    let databases = figures::some(databases, "database", "databases");
    let databases = format!("{databases} of targets");
    let scarcest = name(prediction.bound().resource);
    match (prediction.fits(), more) {
        (true, 0) => format!("{databases} fit, and no more."),
        (true, more) => {
            format!("{databases} fit; there is room for {} more like them.", at_most(more))
        }
        (false, _) => format!("{databases} do not fit: {scarcest} is short."),
    }
}
