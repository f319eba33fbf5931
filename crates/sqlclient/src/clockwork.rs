//! The runtime of one connection's driver, and the deadline of each wait.

use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::Error;

/// A runtime that runs within [`Clockwork::wait`] alone.
pub(crate) struct Clockwork {
    runtime: Option<Runtime>,
}

impl Clockwork {
    pub(crate) fn new() -> Result<Self, Error> {
        let made = Builder::new_current_thread().enable_all().build();
        let runtime = made.map_err(|error| Error::Other(format!("no runtime: {error}")))?;
        Ok(Self { runtime: Some(runtime) })
    }

    /// Drives work until it is done or its time is over.
    pub(crate) fn wait<T>(
        &self,
        patience: Duration,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let late = || Error::TimedOut(format!("within {} s", patience.as_secs_f64()));
        let runtime = self.runtime.as_ref().ok_or_else(late)?;
        let timed = async { tokio::time::timeout(patience, work).await };
        runtime.block_on(timed).unwrap_or_else(|_| Err(late()))
    }

    /// Has a task run whenever something is waited for.
    #[cfg(feature = "postgres")]
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            runtime.spawn(task);
        }
    }
}

impl Drop for Clockwork {
    fn drop(&mut self) {
        // A resolver that hangs has a thread, which must not be waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
