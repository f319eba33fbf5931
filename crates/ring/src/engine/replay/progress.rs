//! How far groups are replayed, for those that want to tell.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use store::Replaying;
use tracing_mutex::stdsync::Mutex;

/// How far groups are replayed, as long as the store is open and beyond.
#[derive(Clone)]
pub struct ReplayWatch(Arc<Counted>);

struct Counted {
    all: Replaying,
    groups_left: AtomicU64,
    bytes_left: AtomicU64,
    /// To be told once no group waits.
    told: Mutex<Option<Tell>>,
    /// Somebody asked once no group waited.
    has_ended: AtomicBool,
}

type Tell = Box<dyn FnOnce(Replaying) + Send>;

impl ReplayWatch {
    /// So many groups wait, for so many bytes of records.
    pub(super) fn of(groups: u64, bytes: u64) -> Self {
        Self(Arc::new(Counted {
            all: Replaying { groups, groups_left: groups, bytes, bytes_left: bytes },
            groups_left: AtomicU64::new(groups),
            bytes_left: AtomicU64::new(bytes),
            told: Mutex::default(),
            has_ended: AtomicBool::new(false),
        }))
    }

    /// How far they are now.
    #[must_use]
    pub fn now(&self) -> Replaying {
        Replaying {
            groups_left: self.0.groups_left.load(Ordering::Acquire),
            bytes_left: self.0.bytes_left.load(Ordering::Acquire),
            ..self.0.all
        }
    }

    /// Has `tell` be called once no group waits any more: now, or by the thread that replays the
    /// last one.
    pub fn when_done(&self, tell: impl FnOnce(Replaying) + Send + 'static) {
        *self.0.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(tell));
        self.tell_if_done();
    }

    /// A group waits no more, whose records took so many bytes.
    pub(super) fn count(&self, bytes: u64) {
        self.0.bytes_left.fetch_sub(bytes, Ordering::AcqRel);
        self.0.groups_left.fetch_sub(1, Ordering::AcqRel);
    }

    /// Tells if no group waits. No lock is held meanwhile.
    pub(crate) fn tell_if_done(&self) {
        let now = self.now();
        if now.groups_left == 0 {
            let told = self.0.told.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(tell) = told {
                tell(now);
            }
        }
    }

    /// Whether no group waits and nobody asked since.
    pub(crate) fn ends(&self) -> bool {
        self.now().groups_left == 0 && !self.0.has_ended.swap(true, Ordering::AcqRel)
    }
}

impl std::fmt::Debug for ReplayWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ReplayWatch").field(&self.now()).finish()
    }
}
