//! Samples of agents beside what a run measures itself.

use std::sync::Arc;

use ::agents::Notice;

use super::event::Event;
use super::guard::Guard;
use super::keeping::Kept;
use super::settings::Settings;
use super::web;
use crate::hearing::{Hearing, IntakeError, Opened, Terms};

/// Listens to agents, if the settings say so.
///
/// # Errors
///
/// The file of `--intake` is wrong, or an address cannot be had.
pub(super) fn start(
    settings: &Settings,
    kept: &Kept,
    guard: &Guard,
    connections_max: usize,
) -> Result<Option<Hearing>, IntakeError> {
    let Some(file) = &settings.intake else { return Ok(None) };
    let terms = Terms {
        store: web::store(kept, guard),
        has_pages: settings.listen.is_some(),
        is_insecure: guard.is_insecure(),
        connections_max,
        tell: Arc::new(tell),
    };
    let hearing = Opened::read(file)?.hear(terms)?;
    for (protocol, address) in hearing.addresses() {
        let event = Event::info("agents", format_args!("{protocol} of agents at {address}"));
        event.with("protocol", protocol.name()).with("address", address.to_string()).tell();
    }
    Ok(Some(hearing))
}

/// Reads the file again.
pub(super) fn reload(hearing: &Hearing) {
    match hearing.reload() {
        Ok(count) => {
            let words = format_args!("the rules for agents are read anew: {count}");
            Event::info("agents", words).with("count", count).tell();
        }
        Err(error) => {
            let words = format!("the rules for agents stay as they were: {error}");
            Event::error("agents refused", words).with("reason", error.to_string()).tell();
        }
    }
}

fn tell(notice: &Notice) {
    let words = format_args!("agents: {notice}");
    let event = match notice {
        Notice::StoreTakesAgain { .. } => Event::info("agents", words),
        _ => Event::warning("agents", words),
    };
    event.tell();
}
