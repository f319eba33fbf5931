//! What the web pages say about each target, from the configuration.

use std::collections::HashMap;
use std::sync::Arc;

use mrtg::{Configuration, Target};
use server::{Catalogue, Look, Maxima, StorePlace, Targets};

use super::database_names::DatabaseNames;
use super::databases::Database;
use super::keeping::Kept;
use super::wiring::{Sources, Wiring};
use crate::look::look;

/// What targets are made of when a page asks for them.
pub(super) struct Shown {
    configuration: Arc<Configuration>,
    sources: Arc<[Result<Sources, Arc<str>>]>,
    /// Of each source.
    source_names: Vec<Arc<str>>,
    store: Arc<StorePlace>,
    database_names: Arc<DatabaseNames>,
    /// Why a target has no database.
    failures: HashMap<usize, Arc<str>>,
    /// By the address of the settings.
    looks: HashMap<usize, Arc<Look>>,
    /// Of each target whether a counter of 32 bits measures it.
    has_narrow: Box<[bool]>,
    /// Of the targets whose maxima follow the speed of their interfaces.
    maxima: HashMap<usize, Arc<Maxima>>,
}

impl Shown {
    /// The targets of a configuration; `source_names` are those of their sources.
    pub(super) fn of(
        configuration: Arc<Configuration>,
        wiring: &Wiring,
        source_names: Vec<Arc<str>>,
        database_names: Arc<DatabaseNames>,
        databases: &[Result<Database, Arc<str>>],
        kept: &Kept,
    ) -> Self {
        let store = StorePlace {
            path: kept.root.to_string_lossy().into_owned(),
            is_ring: kept.ring().is_some(),
        };
        let failures = databases.iter().enumerate();
        let failures =
            failures.filter_map(|(nth, found)| Some((nth, found.as_ref().err()?.clone())));
        let mut looks = HashMap::new();
        for Target { settings, .. } in &configuration.targets {
            looks.entry(Arc::as_ptr(settings).addr()).or_insert_with(|| look(settings).into());
        }
        Self {
            sources: wiring.sources_of_target.clone(),
            source_names,
            store: store.into(),
            database_names,
            failures: failures.collect(),
            looks,
            has_narrow: wiring.has_narrow.clone(),
            maxima: wiring.speeds.iter().map(|(nth, it)| (*nth, it.maxima.clone())).collect(),
            configuration,
        }
    }

    /// The catalogue of them.
    pub(super) fn into_catalogue(self, notice: Option<String>) -> Catalogue {
        Catalogue::new(title(&self.configuration), notice, Box::new(self))
    }

    fn joined(&self, sources: &[u32]) -> Arc<str> {
        let names = sources.iter().map(|at| &*self.source_names[*at as usize]);
        names.collect::<Vec<&str>>().join(", ").into()
    }
}

impl Targets for Shown {
    fn count(&self) -> usize {
        self.configuration.targets.len()
    }

    fn name(&self, position: usize) -> &str {
        &self.configuration.targets[position].name
    }

    fn labels(&self, position: usize) -> Vec<(String, String)> {
        self.configuration.targets[position].labels()
    }

    fn has_narrow_counter(&self, position: usize) -> bool {
        self.has_narrow[position]
    }

    fn target(&self, position: usize) -> server::Target {
        let target = &self.configuration.targets[position];
        let sources = &self.sources[position];
        let failure = self.failures.get(&position);
        let problem = sources.as_ref().err().or(failure).cloned();
        let sources: &[u32] = sources.as_ref().map_or(&[], |sources| sources);
        server::Target {
            name: target.name.clone(),
            head: target.head.clone(),
            page: target.page.clone(),
            device: match sources {
                [only] => self.source_names[*only as usize].clone(),
                several => self.joined(several),
            },
            device_index: match sources {
                [only] => Some(*only as usize),
                _ => None,
            },
            store: self.store.clone(),
            database: match failure {
                Some(_) => "".into(),
                None => self.database_names.name(target),
            },
            problem,
            look: self.looks[&Arc::as_ptr(&target.settings).addr()].clone(),
            maxima: self.maxima.get(&position).cloned(),
        }
    }
}

/// The title: the configuration's name, so that several runs of gyre can be told apart.
fn title(configuration: &Configuration) -> String {
    let main = configuration.files.first().and_then(|path| path.file_stem());
    main.map_or_else(|| "gyre".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
