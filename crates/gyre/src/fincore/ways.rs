//! The ways to show what was found.

use super::arguments::{Arguments, Shown};
use super::distribution::ShowDistribution;
use super::json::ShowJson;
use super::map::ShowMap;
use super::pages::ShowPages;
use super::show::{Face, Show};
use super::table::ShowTable;
use super::top::ShowTop;

/// The way that the arguments ask for.
pub(super) fn way(arguments: &Arguments) -> Box<dyn Show> {
    let face = Face::of_stdout();
    let as_json = arguments.as_json;
    match arguments.shown {
        Shown::Top(files) => Box::new(ShowTop::new(files, as_json, face)),
        Shown::Distribution => {
            Box::new(ShowDistribution::new(arguments.plot.clone(), as_json, face))
        }
        _ if as_json => Box::new(ShowJson { files: arguments.shown != Shown::Total }),
        Shown::Pages { .. } => Box::new(ShowPages { face }),
        Shown::Map => Box::new(ShowMap { face }),
        Shown::Total => Box::new(ShowTable { files: false, face }),
        Shown::Files | Shown::Watch(_) => Box::new(ShowTable { files: true, face }),
    }
}
