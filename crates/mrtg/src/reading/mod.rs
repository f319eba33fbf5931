//! From files to a [`Configuration`].

mod cut;
mod lines;
mod line;
mod keys;
mod suggest;
mod value;
mod entries;
mod defaults;
mod global_values;
mod globals;
mod mibs;
mod target_keys;
mod target_values;
mod thresholds;
mod forecasts;
mod own_keys;
mod page_keys;
mod option_words;
mod built;
mod targets;
mod building;

use std::path::Path;

use crate::{Configuration, Error, Source};

impl Configuration {
    /// Reads a configuration and all files that it includes.
    ///
    /// # Errors
    ///
    /// The first error, with its file and line.
    pub fn read(path: &Path, source: &dyn Source) -> Result<Self, Error> {
        let mut lines = lines::Lines::open(path, source)?;
        let mut entries = entries::Entries::default();
        while let Some((position, line)) = lines.next_line()? {
            entries.take(position, &line)?;
        }
        entries.finish();
        let mut notes = std::mem::take(&mut entries.notes);
        let globals = globals::build(path, &entries.globals, &mut notes)?;
        let names = mibs::load(&entries.globals, source, &mut notes);
        let built = building::build(path, entries.targets, &globals, &names)?;
        notes.extend(built.notes);
        Ok(Self {
            agents: built.agents.into_members(),
            polls: built.polls.into_members(),
            targets: built.targets,
            globals,
            notes,
            files: lines.into_files(),
        })
    }
}
