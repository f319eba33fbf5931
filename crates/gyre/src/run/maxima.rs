//! Changes the highest rates that databases believe.

use std::path::Path;

use store::{Edit, Error, SourceTuning, Store};

use super::event::Event;
use super::queue::NewMaxima;

/// Makes databases have new maxima, where these differ from those that they have.
pub(super) fn change(store: &dyn Store, all: &[NewMaxima]) {
    let (mut changed, mut failed) = (0_usize, Vec::new());
    for new in all {
        match change_one(store, new) {
            Ok(is_changed) => changed += usize::from(is_changed),
            Err(error) => failed.push((&new.database, error)),
        }
    }
    if changed > 0 {
        let databases = if changed == 1 { "a database follow" } else { "databases follow" };
        let words = match changed {
            1 => format!("the maxima of {databases} the speed of its interface"),
            _ => format!("the maxima of {changed} {databases} the speed of their interfaces"),
        };
        Event::info("maxima changed", words).with("count", changed).tell();
    }
    if let Some((database, error)) = failed.first() {
        let count = failed.len();
        let words = format!("{count} databases keep their maxima, the first {database}: {error}");
        Event::warning("maxima kept", words).with("count", count).tell();
    }
}

/// Returns whether there was something to change.
fn change_one(store: &dyn Store, new: &NewMaxima) -> Result<bool, Error> {
    let name = Path::new(&*new.database);
    let definition = store.outline(name)?.definition;
    let mut is_changed = false;
    for ((source, limit), nth) in definition.sources.iter().zip(new.limits).zip(0..) {
        let Some(maximum) = limit.filter(|limit| *limit != source.maximum) else { continue };
        let tuning = SourceTuning {
            source: nth,
            heartbeat_seconds: source.heartbeat_seconds,
            minimum: source.minimum,
            maximum,
        };
        store.edit(name, &Edit::Source(&tuning), &|| true)?;
        is_changed = true;
    }
    Ok(is_changed)
}
