//! The parts of an engine, and which of them each of its workers gets: what a worker does not get
//! it cannot touch.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use disk::Medium;
use store::DamagedGroup;
use tracing_mutex::stdsync::Mutex;

use super::RingOptions;
use super::adopt::Adopter;
use super::append::Intake;
use super::committer::Committer;
use super::copy_lock::CopyLock;
use super::create::Maker;
use super::departures::Departures;
use super::due::Due;
use super::edits::Editor;
use super::flush::Flusher;
use super::found::Found;
use super::group_files::GroupFiles;
use super::health::Health;
use super::log::Log;
use super::log_bound::LogBound;
use super::new_groups::NewGroups;
use super::notes::Notes;
use super::prepare::Zeros;
use super::read::Reader;
use super::registry::Registry;
use super::regroup::{Regrouper, Regrouping};
use super::replay::Replayer;
use super::salvage::Salvager;
use super::vanish::Vanisher;
use super::verify::Verifier;
use super::world::World;
use crate::file::Stay;

/// The parts of an engine.
pub(super) struct Parts<M: Medium> {
    pub(super) options: RingOptions,
    pub(super) files: GroupFiles<M>,
    pub(super) log: Log<M>,
    pub(super) registry: Registry<M>,
    pub(super) due: Arc<Due>,
    pub(super) health: Arc<Health>,
    pub(super) notes: Arc<Notes>,
    pub(super) found: Found,
    pub(super) replayer: Arc<Replayer<M>>,
    pub(super) copy_lock: CopyLock<M::File>,
    pub(super) zeros: Zeros,
    /// Databases were made since it was asked last.
    pub(super) made_some: AtomicBool,
    /// A group came or lost a member since small and empty groups were looked for.
    pub(super) groups_changed: AtomicBool,
    pub(super) regrouping: Mutex<Regrouping>,
    /// Databases are asked to stay where they are.
    pub(super) stay: Stay,
}

impl<M: Medium<File: 'static>> Parts<M> {
    pub(super) fn intake(&self) -> Intake<'_, M> {
        Intake {
            log: &self.log,
            registry: &self.registry,
            health: &self.health,
            due: &self.due,
            late_rows_max: self.options.late_rows_max,
        }
    }

    pub(super) fn reader(&self) -> Reader<'_, M> {
        Reader { files: &self.files, registry: &self.registry }
    }

    pub(super) fn committer(&self) -> Committer<'_, M> {
        Committer {
            registry: &self.registry,
            log: &self.log,
            health: &self.health,
            due: &self.due,
            copy_lock: &self.copy_lock,
            copy_pause: self.options.copy_pause,
        }
    }

    pub(super) fn log_bound(&self) -> LogBound<'_, M> {
        LogBound {
            log: &self.log,
            registry: &self.registry,
            due: &self.due,
            copy_lock: &self.copy_lock,
            options: &self.options,
        }
    }

    pub(super) fn flusher(&self) -> Flusher<'_, M> {
        Flusher {
            files: &self.files,
            log: &self.log,
            registry: &self.registry,
            committer: self.committer(),
            bound: self.log_bound(),
            due: &self.due,
            health: &self.health,
            notes: &self.notes,
            late_rows_max: self.options.late_rows_max,
        }
    }

    pub(super) fn new_groups(&self) -> NewGroups<'_, M> {
        NewGroups {
            files: &self.files,
            log: &self.log,
            registry: &self.registry,
            pace: self.options.pace,
        }
    }

    pub(super) fn maker(&self) -> Maker<'_, M> {
        Maker {
            log: &self.log,
            registry: &self.registry,
            committer: self.committer(),
            editor: self.editor(),
            new_groups: self.new_groups(),
            health: &self.health,
            due: &self.due,
            zeros: &self.zeros,
            made_some: &self.made_some,
        }
    }

    pub(super) fn editor(&self) -> Editor<'_, M> {
        Editor {
            log: &self.log,
            registry: &self.registry,
            committer: self.committer(),
            health: &self.health,
            due: &self.due,
            groups_changed: &self.groups_changed,
        }
    }

    pub(super) fn adopter(&self) -> Adopter<'_, M> {
        Adopter {
            log: &self.log,
            registry: &self.registry,
            committer: self.committer(),
            new_groups: self.new_groups(),
            reader: self.reader(),
            health: &self.health,
            stay: &self.stay,
            groups_changed: &self.groups_changed,
        }
    }

    pub(super) fn departures(&self) -> Departures<'_, M> {
        Departures {
            files: &self.files,
            registry: &self.registry,
            committer: self.committer(),
            stay: &self.stay,
        }
    }

    fn vanisher(&self) -> Vanisher<'_, M> {
        Vanisher {
            files: &self.files,
            log: &self.log,
            registry: &self.registry,
            committer: self.committer(),
            flusher: self.flusher(),
        }
    }

    pub(super) fn regrouper(&self) -> Regrouper<'_, M> {
        Regrouper {
            registry: &self.registry,
            vanisher: self.vanisher(),
            departures: self.departures(),
            adopter: self.adopter(),
            health: &self.health,
            copy_lock: &self.copy_lock,
            stay: &self.stay,
            groups_changed: &self.groups_changed,
            regrouping: &self.regrouping,
            regroup_from: self.options.regroup_from.max(2),
        }
    }

    pub(super) fn verifier(&self) -> Verifier<'_, M> {
        Verifier {
            files: &self.files,
            log: &self.log,
            registry: &self.registry,
            found: &self.found,
            replayer: &self.replayer,
        }
    }

    /// Groups that could not be opened, as far as is known.
    pub(super) fn damaged_groups(&self, world: &World) -> Vec<DamagedGroup> {
        let found = self.found.damaged.iter().cloned();
        found.chain(self.replayer.lost(world)).collect()
    }

    pub(super) fn salvager(&self) -> Salvager<'_, M> {
        Salvager {
            files: &self.files,
            registry: &self.registry,
            committer: self.committer(),
            found: &self.found,
        }
    }
}
