//! Why there is no plan.

use std::io;
use std::path::PathBuf;

use doctor::Unseen;
use planner::PlanError;
use rrd::spec::SpecError;
use rrdtool::system_words;

use crate::command_line::Unprinted;

/// Why there is no plan, or why it cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("expected one place, or DS and RRA")]
    Operands,
    #[error("{}: expected at least one database, found none", .0.display())]
    Empty(PathBuf),
    #[error(
        "{}: expected a directory of .rrd files, a ring store, an mrtg.cfg, or an .rrd file",
        .0.display()
    )]
    Kind(PathBuf),
    #[error("{}: {}", path.display(), system_words(error))]
    Io { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Layout(#[from] SpecError),
    #[error("--step: MRTG has 1 to 3600 seconds; for more give DS and RRA")]
    MrtgStep,
    #[error(transparent)]
    Database(#[from] store::Error),
    #[error(transparent)]
    Configuration(#[from] mrtg::Error),
    #[error("--place: {}: expected a directory", .0.display())]
    Place(PathBuf),
    /// This machine does not tell a property that an option could set.
    #[error("{option} is needed: {unseen}")]
    Unknown { option: &'static str, unseen: Unseen },
    #[error("--measure-disk: {0}")]
    Measure(Unseen),
    /// The planner refuses the fleet.
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error("nothing was asked")]
    NothingAsked,
    #[error("{0}")]
    Plot(io::Error),
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}
