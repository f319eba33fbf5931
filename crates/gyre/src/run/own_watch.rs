//! What a run measures of itself, where pages look and the measuring threads tell.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use server::{Outlook, Own, OwnSeries};

/// What was found out about the machine.
pub(super) struct Looked {
    /// For pages.
    pub(super) outlook: Arc<Outlook>,
    /// How many more databases the planner predicts room for.
    pub(super) more: Option<f64>,
    /// The share of the scarcest resource that is used, in percent.
    pub(super) strain_percent: Option<f64>,
}

/// What a run measures of itself.
#[derive(Clone)]
pub(super) struct OwnWatch {
    pub(super) series: Arc<[OwnSeries]>,
    looked: Arc<Mutex<Option<Arc<Looked>>>>,
}

impl OwnWatch {
    /// These series; nothing is found out about the machine yet.
    pub(super) fn new(series: Vec<OwnSeries>) -> Self {
        Self { series: series.into(), looked: Arc::default() }
    }

    /// For pages, at present.
    pub(super) fn now(&self) -> Own {
        let outlook = self.looked().map(|looked| looked.outlook.clone());
        Own { series: self.series.to_vec(), outlook }
    }

    /// What was found out last.
    pub(super) fn looked(&self) -> Option<Arc<Looked>> {
        self.place().clone()
    }

    /// Something was found out.
    pub(super) fn tell(&self, looked: Looked) {
        *self.place() = Some(Arc::new(looked));
    }

    fn place(&self) -> MutexGuard<'_, Option<Arc<Looked>>> {
        self.looked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
