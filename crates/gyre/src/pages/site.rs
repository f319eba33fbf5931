//! What pages are written of: the configuration, and the store with its databases.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use files::RrdFiles;
use jiff::tz::TimeZone;
use mrtg::{Configuration, Target};
use ring::RingStore;
use rrdtool::{Failure, Session};
use server::Look;
use store::Store;

use super::arguments::Wanted;
use crate::look::look;
use crate::moment::moment;
use crate::run::{DatabaseNames, Disk, RING_DIRECTORY};

pub(super) struct Site {
    pub(super) configuration: Configuration,
    pub(super) store: Arc<dyn Store>,
    /// The directory of the store.
    pub(super) root: PathBuf,
    /// Of which time pages are, in seconds since 1970.
    pub(super) now_seconds: i64,
    /// The same if it was asked for; `None` for the present.
    pub(super) at_seconds: Option<i64>,
    pub(super) zone: TimeZone,
    /// When a file of the configuration last changed, in seconds since 1970.
    pub(super) configured_seconds: i64,
    names: DatabaseNames,
    /// By the address of the settings.
    looks: HashMap<usize, Look>,
}

impl Site {
    /// Reads the configuration and finds the store.
    ///
    /// # Errors
    /// The configuration is wrong, the time is none, or the store cannot be read.
    pub(super) fn open(session: &mut Session, wanted: &Wanted) -> Result<Self, Failure> {
        let read = Configuration::read(&wanted.configuration, &Disk);
        let configuration = read.map_err(Failure::of)?;
        let at_seconds = moment(session, "--at", wanted.at.as_deref())?;
        let root = root(&configuration, wanted.store.as_deref());
        let mut looks = HashMap::new();
        for Target { settings, .. } in &configuration.targets {
            looks.entry(Arc::as_ptr(settings).addr()).or_insert_with(|| look(settings));
        }
        Ok(Self {
            store: store(session, &root)?,
            root,
            now_seconds: at_seconds.unwrap_or_else(|| session.times.now().seconds),
            at_seconds,
            zone: session.times.clock().zone().clone(),
            configured_seconds: configured_seconds(&configuration),
            names: DatabaseNames::of(&configuration),
            looks,
            configuration,
        })
    }

    /// The name of a target's database in the store.
    pub(super) fn database(&self, target: &Target) -> Arc<str> {
        self.names.name(target)
    }

    /// How the pictures of a target look.
    pub(super) fn look(&self, target: &Target) -> &Look {
        &self.looks[&Arc::as_ptr(&target.settings).addr()]
    }
}

/// Where `gyre run` keeps the databases of a configuration, unless the options say where they are.
fn root(configuration: &Configuration, asked: Option<&Path>) -> PathBuf {
    let log_dir = &configuration.globals.log_dir;
    let ring = log_dir.join(RING_DIRECTORY);
    match asked {
        Some(asked) => asked.to_path_buf(),
        None if RingStore::is_at(&ring) => ring,
        None => log_dir.clone(),
    }
}

fn store(session: &mut Session, root: &Path) -> Result<Arc<dyn Store>, Failure> {
    if RingStore::is_at(root) {
        return session.databases.store_at(&root.to_string_lossy());
    }
    root.read_dir().map(drop).map_err(Failure::at(root.display()))?;
    Ok(Arc::new(RrdFiles::below(root)))
}

fn configured_seconds(configuration: &Configuration) -> i64 {
    let changed = configuration.files.iter().filter_map(|path| path.metadata().ok());
    changed.map(|facts| facts.mtime()).max().unwrap_or(i64::MAX)
}
