//! The thread that checks thresholds and sees to what follows from them.

use std::sync::Arc;

use store::Store;
use thresholds::{Act, Watch};

use super::bounded::Bounded;
use super::broken::BrokenLimits;
use super::calls::Calls;
use super::concern::{Concern, Sampled};
use super::marks::Marks;
use super::postman::{Letter, Postman};
use super::receivers::Herald;
use super::rows::{Checked, Completed};

/// The most samples whose rows are read at once.
const SAMPLES_AT_ONCE: usize = 4096;

/// Checks samples until the queue is closed.
pub(super) fn run(
    samples: &Bounded<Sampled>,
    store: &dyn Store,
    herald: Option<Arc<Herald>>,
    broken: BrokenLimits,
) {
    let mut checked = Checked::default();
    let (calls, postman) = (Calls::new(), Postman::new());
    let mut watcher = Watcher { marks: None, calls, postman, herald, broken };
    while let Some(samples) = samples.take(SAMPLES_AT_ONCE) {
        if let Some(sample) = samples.last() {
            watcher.look_at_marks(&sample.concern);
        }
        for completed in checked.values(samples, store) {
            watcher.check(&completed);
        }
    }
    watcher.calls.end();
    watcher.postman.end();
}

struct Watcher {
    /// Those of the ThreshDir of the last configuration.
    marks: Option<Marks>,
    calls: Calls,
    postman: Postman,
    /// Who tells Alertmanager and webhooks; `None` if there are none.
    herald: Option<Arc<Herald>>,
    /// What pages show.
    broken: BrokenLimits,
}

impl Watcher {
    fn look_at_marks(&mut self, concern: &Concern) {
        let wanted = concern.configuration().globals.thresholds.directory.as_ref();
        let wanted = wanted.map(|directory| directory.path.as_path());
        if self.marks.as_ref().map(Marks::directory) != wanted {
            self.marks = wanted.map(Marks::of);
        }
        if let Some(marks) = &mut self.marks {
            marks.refresh();
        }
    }

    fn check(&mut self, completed: &Completed) {
        let concern = &completed.sample.concern;
        let configuration = concern.configuration();
        let file = configuration.files.first().and_then(|path| path.file_name());
        let file = file.unwrap_or_default().to_string_lossy();
        let watch = Watch {
            target: concern.target(),
            max_bytes: concern.max_bytes,
            globals: &configuration.globals.thresholds,
            file_name: &file,
        };
        let verdicts = thresholds::verdicts(watch, &completed.values);
        self.broken.take(&completed.sample, &verdicts);
        if let Some(herald) = &self.herald {
            herald.take(&completed.sample, &verdicts);
        }
        for verdict in &verdicts {
            let marks = self.marks.as_ref();
            let is_marked = |name: &str| marks.is_some_and(|marks| marks.has(name));
            if let Some(act) = verdict.act(is_marked) {
                self.act(concern, act);
            }
        }
    }

    fn act(&mut self, concern: &Concern, act: Act) {
        if let (Some(mark), Some(marks)) = (&act.mark, &mut self.marks) {
            marks.change(mark);
        }
        let globals = &concern.configuration().globals;
        if let Some(call) = act.call {
            self.calls.call(concern.target(), call, globals);
        }
        if let (Some(mail), Some(settings)) = (act.mail, &globals.thresholds.mail) {
            self.postman.post(Letter::new(mail, settings.servers.clone()));
        }
    }
}
