//! What polls learn of devices' limits, kept in a file beside the databases, so that the next run
//! need not find it out again by timeouts.

mod file;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use collector::{DevicePlan, Learnt, Plan};
use disk::Durability;
use rrdtool::system_words;

use super::event::Event;
use super::part::{Part, file_beside};
use file::{Key, Records};

/// The file is written at most so often.
const WRITTEN_EVERY: Duration = Duration::from_secs(180);
/// The most bytes of the file: enough for a million devices.
const BYTES_MAX: u64 = 128 << 20;

/// The limits of a run's devices, and the file that keeps them.
pub(super) struct LearntLimits {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    known: Records,
    /// Whether the file lacks something.
    is_changed: bool,
    written_at: Instant,
    is_trouble_told: bool,
}

impl LearntLimits {
    /// The limits that an earlier run has kept. A file that cannot be read is told of, and is
    /// replaced when there is something to keep.
    pub(super) fn open(root: &Path, configuration: &Path, part: Option<Part>) -> Self {
        let path = root.join(file_beside(configuration, part, "limits"));
        let known = match disk::read_whole(&path, BYTES_MAX) {
            Ok(bytes) => file::read(&bytes).map_err(|damage| damage.to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(system_words(&error)),
        };
        let known = known.unwrap_or_else(|why| {
            let path = path.display();
            let words = format!("{path}: {why}; the limits of devices are learnt anew");
            Event::warning("limits unreadable", words).with("path", path.to_string()).tell();
            BTreeMap::new()
        });
        let state =
            State { known, is_changed: false, written_at: Instant::now(), is_trouble_told: false };
        Self { path, state: Mutex::new(state) }
    }

    /// Forgets devices that a plan does not have.
    pub(super) fn keep_only(&self, plan: &Plan) {
        let planned: BTreeSet<Key> = plan.devices.iter().map(|plan| Key::of(plan)).collect();
        self.state().known.retain(|key, _| planned.contains(key));
    }

    /// What is known of a device.
    pub(super) fn recalled(&self, plan: &DevicePlan) -> Option<Learnt> {
        self.state().known.get(&Key::of(plan)).copied()
    }

    /// Takes what a poll has learnt.
    pub(super) fn note(&self, plan: &DevicePlan, learnt: &Learnt) {
        let key = Key::of(plan);
        let mut state = self.state();
        let before = match learnt.is_empty() {
            true => state.known.remove(&key),
            false => state.known.insert(key, *learnt),
        };
        state.is_changed |= before.is_some() || !learnt.is_empty();
    }

    /// Writes the file if something is new and it was not written just before.
    pub(super) fn write_if_due(&self) {
        if self.state().written_at.elapsed() >= WRITTEN_EVERY {
            self.write();
        }
    }

    /// Writes the file if something is new. Failing is told once: a run can do without.
    pub(super) fn write(&self) {
        let text = {
            let mut state = self.state();
            if !std::mem::take(&mut state.is_changed) {
                return;
            }
            state.written_at = Instant::now();
            // Polling does not wait for the disk.
            file::text(&state.known)
        };
        let written = disk::replace(&self.path, [text.as_bytes()], Durability::Synced);
        let mut state = self.state();
        match written {
            Ok(_) => state.is_trouble_told = false,
            Err(error) => {
                state.is_changed = true;
                if !std::mem::replace(&mut state.is_trouble_told, true) {
                    let (path, why) = (self.path.display(), system_words(&error));
                    let words = format!("{path}: {why}; a later run learns the limits anew");
                    let event = Event::warning("limits not kept", words);
                    event.with("path", path.to_string()).tell();
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collector::{AnswersFrom, Family, Transport};
    use rrd::Timestamp;
    use snmp::{Community, Limits, Version};
    use std::sync::Arc;

    fn device(host: &str) -> DevicePlan {
        DevicePlan {
            interval: Duration::from_secs(60),
            name: host.into(),
            host: host.into(),
            family: Family::Any,
            transport: Transport::Udp,
            port: 161,
            snmp: snmp::Config::new(Version::V2c, Community::new("public")),
            answers_from: AnswersFrom::Asked,
            variables: Vec::new(),
            walks: Vec::new(),
        }
    }

    fn learnt(bindings_max: u32) -> Learnt {
        Learnt {
            limits: Limits { bindings_max: Some(bindings_max), ..Limits::default() },
            has_only_narrow: false,
            at: Timestamp::from_seconds(1_800_000_000),
            uptime_ticks: Some(7),
            engine_boots: None,
        }
    }

    #[test]
    fn limits_outlive_the_run_and_devices_that_are_gone_do_not() {
        let directory = tempfile::tempdir().unwrap();
        let open = || LearntLimits::open(directory.path(), Path::new("etc/site.cfg"), None);
        let first = open();
        first.write();
        assert!(!directory.path().join("site.limits").exists(), "nothing to keep, no file");
        first.note(&device("a"), &learnt(5));
        first.note(&device("b"), &learnt(6));
        first.note(&device("b"), &Learnt { limits: Limits::default(), ..learnt(0) });
        first.note(&device("c"), &learnt(7));
        // It is new, but the file may wait.
        first.write_if_due();
        assert!(!directory.path().join("site.limits").exists());
        first.write();
        let second = open();
        assert_eq!(second.recalled(&device("a")), Some(learnt(5)));
        assert_eq!(second.recalled(&device("b")), None);
        let devices = vec![Arc::new(device("a"))];
        second.keep_only(&Plan { intervals: Vec::new(), devices });
        assert_eq!(second.recalled(&device("c")), None);
    }

    #[test]
    fn a_damaged_file_is_passed_over_and_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("site-2-of-3.limits");
        std::fs::write(&path, "something else\n").unwrap();
        let part = "2/3".parse().unwrap();
        let open = || LearntLimits::open(directory.path(), Path::new("site.cfg"), Some(part));
        let limits = open();
        assert_eq!(limits.recalled(&device("a")), None);
        limits.note(&device("a"), &learnt(5));
        limits.write();
        assert_eq!(open().recalled(&device("a")), Some(learnt(5)));
    }
}
