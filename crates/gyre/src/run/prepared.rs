//! All that is derived from a configuration before it is measured.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use collector::Plan;
use inventory::{Layouts, Tally};
use mrtg::{Configuration, Settings};
use server::Catalogue;

use super::board::now_seconds;
use super::catalogue::Shown;
use super::database_names::DatabaseNames;
use super::databases;
use super::event::Event;
use super::keeping::Kept;
use super::measurer::Measured;
use super::settings::Read;
use super::wiring::Wiring;

/// All that is derived from a configuration.
pub(super) struct Prepared {
    pub(super) plan: Arc<Plan>,
    /// The names of devices and programs.
    pub(super) sources: Vec<Arc<str>>,
    pub(super) measured: Measured,
    pub(super) catalogue: Catalogue,
    pub(super) remarks: Vec<String>,
    /// The layouts of their databases.
    pub(super) layouts: Layouts,
}

impl Prepared {
    pub(super) fn new(mut read: Read, kept: &Kept, notice: Option<String>) -> Self {
        let root = &kept.root;
        let elsewhere = *root != read.configuration.globals.log_dir;
        let database_names = Arc::new(DatabaseNames::of(&read.configuration));
        let (wiring, databases) = thread::scope(|scope| {
            let (configuration, secrets) = (&read.configuration, Arc::new(read.secrets));
            let wiring = scope.spawn(move || Wiring::new(configuration, secrets));
            let store = kept.store.as_ref();
            let names = &database_names;
            let databases =
                databases::prepare(configuration, names, store, elsewhere, now_seconds());
            (wiring.join().unwrap_or_else(|panic| resume_unwind(panic)), databases)
        });
        // The wiring knows what they ask for; of a million targets they take 400 MB.
        read.configuration.polls = Vec::new();
        let configuration = Arc::new(read.configuration);
        let mut remarks: Vec<String> =
            configuration.notes.iter().map(ToString::to_string).collect();
        remarks.extend(wiring.remarks(&configuration));
        remarks.extend(databases.remarks);
        if databases.made > 0 {
            let (made, root) = (databases.made, root.display());
            Event::info("databases made", format_args!("{made} new databases in {root}"))
                .with("count", made)
                .with("directory", root.to_string())
                .tell();
        }
        for remark in &remarks {
            Event::warning("remark on the configuration", remark).tell();
        }
        let of_target = databases.of_target;
        let sources: Vec<_> = (0..wiring.sources()).map(|source| wiring.name_of(source)).collect();
        let (shown, names) = (configuration.clone(), database_names.clone());
        let layouts = layouts(&configuration);
        let shown = Shown::of(shown, &wiring, sources.clone(), names, &of_target, kept);
        Self {
            plan: wiring.plan.clone(),
            sources,
            measured: Measured::new(configuration, wiring, database_names, of_target),
            catalogue: shown.into_catalogue(notice),
            remarks,
            layouts,
        }
    }
}

/// The layouts of the databases of a configuration. Most targets share one of few settings.
fn layouts(configuration: &Configuration) -> Layouts {
    let mut counts: HashMap<*const Settings, (&Settings, u64)> = HashMap::new();
    for target in &configuration.targets {
        let settings = &target.settings;
        counts.entry(Arc::as_ptr(settings)).or_insert((settings, 0)).1 += 1;
    }
    let mut tally = Tally::default();
    counts.values().for_each(|(settings, count)| tally.add(&settings.definition(), *count));
    tally.layouts()
}
