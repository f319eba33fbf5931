//! What the web pages show of a run.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use collector::{DevicePoll, Missing, Outcome};
use inventory::Layouts;
use ring::ReplayWatch;
use server::{BrokenLimit, Catalogue, Cycle, Device, Health, LastError, Own, Round, Site, Status};
use store::Replaying;

use super::alarms::{AlertWatch, BrokenLimits};
use super::own_watch::OwnWatch;
use super::programs::ProgramPoll;
use super::queue::Depth;
use super::sql_feed::{self, FeedWatch};
use super::tally;
use super::writer::Written;

/// The most remarks on the configuration that pages show: a remark for each of many thousand
/// targets would make every page slow. Standard error has them all.
const REMARKS_MAX: usize = 50;

/// A smoothed latency moves by this part of each new one.
const SMOOTHING: f64 = 1.0 / 8.0;

/// Shared by the measuring and writing threads, which fill it, and the server, which reads it.
pub(super) struct Board {
    catalogue: RwLock<Arc<Catalogue>>,
    state: Mutex<State>,
    /// The status that pages were told last.
    told: Mutex<Option<Told>>,
    /// What waits for the writing thread.
    depth: Depth,
    /// The limits that are broken.
    broken: BrokenLimits,
}

#[derive(Default)]
struct State {
    status: Status,
    /// Remarks on the configuration.
    remarks: Vec<String>,
    /// Problems of the last cycle of each interval.
    troubles: BTreeMap<Duration, Vec<String>>,
    /// How far the ring store is replayed.
    replay: Option<ReplayWatch>,
    /// How the tables of `--sql` are fed.
    feed: Option<FeedWatch>,
    /// How alerts are posted.
    alerts: Option<AlertWatch>,
    /// What the run measures of itself.
    itself: Option<OwnWatch>,
    /// The layouts of the databases of all targets.
    layouts: Layouts,
    /// For each interval when its last cycle was over, and how late.
    ends: BTreeMap<Duration, CycleEnd>,
}

/// A status of many devices, which takes milliseconds to copy: one copy serves all who ask within
/// a short time.
struct Told {
    at: Instant,
    status: Arc<Status>,
}

/// Fewer devices are copied for each who asks.
const MANY_DEVICES: usize = 2000;
/// How long one copy serves.
const TOLD_FOR: Duration = Duration::from_millis(500);

/// When a cycle was over.
#[derive(Clone, Copy)]
struct CycleEnd {
    at: Instant,
    /// How much later than an interval after the one before.
    late: Duration,
}

impl CycleEnd {
    /// How late the cycle that follows is at least, or how late this one was.
    fn late_at(&self, now: Instant, interval: Duration) -> Duration {
        now.duration_since(self.at).saturating_sub(interval).max(self.late)
    }
}

/// The last cycles of all intervals: the longest times, and the sums of targets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastCycles {
    pub(super) poll_seconds: f64,
    pub(super) write_seconds: f64,
    pub(super) late_seconds: f64,
    pub(super) targets_polled: usize,
    pub(super) targets_missed: usize,
}

impl Board {
    /// `sources` are the names of all devices and programs.
    pub(super) fn new(catalogue: Catalogue, intervals: &[Duration], sources: &[Arc<str>]) -> Self {
        let board = Self {
            catalogue: RwLock::new(Arc::new(Catalogue::default())),
            state: Mutex::default(),
            told: Mutex::default(),
            depth: Depth::default(),
            broken: BrokenLimits::default(),
        };
        {
            let status = &mut board.state().status;
            status.program = concat!("gyre ", env!("CARGO_PKG_VERSION")).to_owned();
            status.started_seconds = now_seconds();
        }
        board.show(Arc::new(catalogue), intervals, sources);
        board
    }

    /// The counter of what waits for the writing thread.
    pub(super) fn depth(&self) -> Depth {
        self.depth.clone()
    }

    /// The last cycles; `None` before the first one is over.
    pub(super) fn last_cycles(&self) -> Option<LastCycles> {
        let (state, now) = (self.state(), Instant::now());
        let mut last = LastCycles::default();
        let cycles = state.status.rounds.iter().filter_map(|round| round.cycle.as_ref());
        let mut is_any = false;
        for cycle in cycles {
            is_any = true;
            last.poll_seconds = last.poll_seconds.max(cycle.poll_seconds);
            last.write_seconds = last.write_seconds.max(cycle.write_seconds);
            last.targets_polled += cycle.targets_polled;
            last.targets_missed += cycle.targets_missed;
        }
        let late = state.ends.iter().map(|(interval, end)| end.late_at(now, *interval)).max();
        last.late_seconds = late.unwrap_or_default().as_secs_f64();
        is_any.then_some(last)
    }

    /// Messages that wait for the writing thread.
    pub(super) fn messages_queued(&self) -> u64 {
        self.depth.messages()
    }

    /// The layouts of the databases of all targets.
    pub(super) fn layouts(&self) -> Layouts {
        self.state().layouts.clone()
    }

    /// Replaces them.
    pub(super) fn set_layouts(&self, layouts: Layouts) {
        self.state().layouts = layouts;
    }

    /// Has pages tell what the run measures of itself.
    pub(super) fn watch_itself(&self, watch: OwnWatch) {
        self.state().itself = Some(watch);
    }

    /// Where the watching thread tells of broken limits.
    pub(super) fn broken(&self) -> BrokenLimits {
        self.broken.clone()
    }

    /// Switches to another configuration. Devices that remain keep their status. Returns the old
    /// catalogue, whose memory takes long to free.
    pub(super) fn show(
        &self,
        catalogue: Arc<Catalogue>,
        intervals: &[Duration],
        sources: &[Arc<str>],
    ) -> Arc<Catalogue> {
        let mut shown = self.catalogue.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *shown, catalogue);
        drop(shown);
        self.show_sources(intervals, sources);
        *self.told() = None;
        old
    }

    fn show_sources(&self, intervals: &[Duration], sources: &[Arc<str>]) {
        let state = &mut *self.state();
        state.troubles.retain(|interval, _| intervals.contains(interval));
        state.ends.retain(|interval, _| intervals.contains(interval));
        let status = &mut state.status;
        status.interval_seconds = intervals.iter().min().map_or(0, Duration::as_secs);
        follow(&mut status.rounds, intervals);
        // A device has a place for each interval that it is polled at, in this order.
        let mut known: HashMap<Arc<str>, VecDeque<Device>> = HashMap::new();
        for device in status.devices.drain(..) {
            known.entry(device.name.clone()).or_default().push_back(device);
        }
        let devices = sources.iter().map(|name| {
            let fresh = || Device::unknown(name.clone());
            known.get_mut(name).and_then(VecDeque::pop_front).unwrap_or_else(fresh)
        });
        status.devices = devices.collect();
    }

    /// Records a device's poll.
    pub(super) fn device(&self, poll: &DevicePoll) {
        let status = &mut self.state().status;
        // A poll may arrive while a reload is half done.
        let Some(device) = status.devices.get_mut(poll.device) else {
            return;
        };
        take(device, poll, now_seconds());
    }

    /// Records what a program said; it has the place behind the devices.
    pub(super) fn program(&self, place: usize, poll: &ProgramPoll) {
        let status = &mut self.state().status;
        let Some(program) = status.devices.get_mut(place) else {
            return;
        };
        take_program(program, poll);
    }

    /// Records a cycle that is polled and written.
    pub(super) fn cycle(&self, written: &Written) {
        let targets = &written.cycle.targets;
        let report = &written.cycle.report;
        let interval = report.cycle.interval;
        let state = &mut *self.state();
        let now = Instant::now();
        let late = state.ends.get(&interval).map_or(Duration::ZERO, |before| {
            now.duration_since(before.at).saturating_sub(interval)
        });
        state.ends.insert(interval, CycleEnd { at: now, late });
        let status = &mut state.status;
        tally::add(&mut status.totals, written);
        let (poll_seconds, write_seconds) = (report.took.as_secs_f64(), written.took.as_secs_f64());
        status.durations.poll.add(poll_seconds);
        status.durations.write.add(write_seconds);
        let cycle = Cycle {
            number: report.cycle.number,
            ended_seconds: now_seconds(),
            targets_polled: targets.polled,
            targets_missed: targets.missed,
            poll_seconds,
            write_seconds,
        };
        let interval_seconds = interval.as_secs();
        let mut rounds = status.rounds.iter_mut();
        if let Some(round) = rounds.find(|round| round.interval_seconds == interval_seconds) {
            round.cycle = Some(cycle.clone());
        }
        status.cycle = Some(cycle);
    }

    /// The intervals at which targets are polled.
    pub(super) fn intervals(&self) -> Vec<Duration> {
        let rounds = &self.state().status.rounds;
        rounds.iter().map(|round| Duration::from_secs(round.interval_seconds)).collect()
    }

    /// Records how the ring store is.
    pub(super) fn store(&self, databases: usize, is_troubled: bool) {
        let writing = &mut self.state().status.writing;
        writing.databases = Some(databases as u64);
        writing.is_troubled = is_troubled;
    }

    /// Has the page tell how far the store's groups are replayed.
    pub(super) fn watch_replay(&self, watch: ReplayWatch) {
        self.state().replay = Some(watch);
    }

    /// Has the page tell how the tables of `--sql` are fed.
    pub(super) fn watch_feed(&self, watch: FeedWatch) {
        self.state().feed = Some(watch);
    }

    /// Has the page tell how alerts are posted.
    pub(super) fn watch_alerts(&self, watch: AlertWatch) {
        self.state().alerts = Some(watch);
    }

    /// Counts a reload.
    pub(super) fn reloaded(&self, is_done: bool) {
        let totals = &mut self.state().status.totals;
        match is_done {
            true => totals.reloads += 1,
            false => totals.reloads_refused += 1,
        }
    }

    /// Replaces the remarks on the configuration.
    pub(super) fn remark(&self, mut remarks: Vec<String>) {
        let more = remarks.len().saturating_sub(REMARKS_MAX);
        if more > 0 {
            remarks.truncate(REMARKS_MAX);
            remarks.push(format!("and {more} more remarks, which are told on standard error"));
        }
        self.state().remarks = remarks;
    }

    /// Replaces the problems of the last cycle of an interval.
    pub(super) fn trouble(&self, interval: Duration, troubles: Vec<String>) {
        self.state().troubles.insert(interval, troubles);
    }

    fn told(&self) -> MutexGuard<'_, Option<Told>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Site for Board {
    fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn own(&self) -> Option<Own> {
        let watch = self.state().itself.clone();
        watch.as_ref().map(OwnWatch::now)
    }

    fn broken_limits(&self) -> Vec<BrokenLimit> {
        self.broken.now()
    }

    fn status(&self) -> Arc<Status> {
        let mut told = self.told();
        if let Some(Told { at, status }) = &*told
            && at.elapsed() < TOLD_FOR
        {
            return Arc::clone(status);
        }
        let status = Arc::new(self.copied_status());
        let is_kept = status.devices.len() >= MANY_DEVICES;
        *told = is_kept.then(|| Told { at: Instant::now(), status: Arc::clone(&status) });
        status
    }
}

impl Board {
    fn copied_status(&self) -> Status {
        let state = self.state();
        let mut remarks: Vec<String> = Vec::new();
        for trouble in state.troubles.values().flatten().chain(&state.remarks) {
            // The store's troubles are those of every interval.
            if !remarks.contains(trouble) {
                remarks.push(trouble.clone());
            }
        }
        remarks.extend(state.replay.as_ref().and_then(of_replay));
        let feed = state.feed.as_ref().map(FeedWatch::health);
        remarks.extend(feed.as_ref().and_then(sql_feed::trouble));
        let alerts = state.alerts.clone();
        let mut status = Status { remarks, ..state.status.clone() };
        drop(state);
        status.remarks.extend(alerts.iter().flat_map(AlertWatch::troubles));
        status.alerts = alerts.as_ref().map(AlertWatch::now);
        status.writing.sql = feed.as_ref().map(sql_feed::shown);
        status.writing.queued = self.depth.messages();
        status.writing.queued_max = Depth::MESSAGES_MAX;
        status
    }
}

/// How far a store is replayed, as long as it is not done.
fn of_replay(watch: &ReplayWatch) -> Option<String> {
    let Replaying { groups, groups_left, bytes, bytes_left } = watch.now();
    (bytes_left > 0).then(|| {
        let (left, all) = (figures::size(bytes_left), figures::size(bytes));
        format!("the store replays its log: {groups_left} of {groups} groups, {left} of {all} wait")
    })
}

/// Follows a configuration's intervals. Those that stay keep their last cycle.
fn follow(rounds: &mut Vec<Round>, intervals: &[Duration]) {
    let before = std::mem::take(rounds);
    *rounds = intervals
        .iter()
        .map(|interval| {
            let interval_seconds = interval.as_secs();
            let same = before.iter().find(|round| round.interval_seconds == interval_seconds);
            Round { interval_seconds, cycle: same.and_then(|round| round.cycle.clone()) }
        })
        .collect();
}

/// Records a poll of a device.
fn take(device: &mut Device, poll: &DevicePoll, now_seconds: i64) {
    let effort = &poll.effort;
    let counts = &mut device.counts;
    counts.polls += 1;
    counts.sent += effort.sent;
    counts.retried += effort.retried;
    counts.given_up += effort.given_up;
    counts.readings_missing +=
        poll.readings.iter().chain(&poll.walked).filter(|it| it.is_err()).count() as u64;
    device.bindings_max = effort.bindings_max;
    device.problem = problem(poll).map(Arc::from);
    if let Some(words) = &device.problem {
        device.last_error = Some(LastError { at_seconds: now_seconds, words: words.clone() });
    }
    device.health = match poll.outcome {
        Outcome::Answered if poll.restarted => Health::Restarted,
        Outcome::Answered => Health::Answering,
        Outcome::Silent { .. } | Outcome::NoConnection(_) => Health::Silent,
        Outcome::Denied(_) => Health::Denied,
        Outcome::NoAddress(_) => Health::NoAddress,
    };
    if device.health.is_silent() {
        device.counts.polls_failed += 1;
        device.took_seconds = None;
        return;
    }
    take_latency(device, poll.took.as_secs_f64());
    device.answered_seconds = Some(now_seconds);
}

/// Records what a program said.
fn take_program(program: &mut Device, poll: &ProgramPoll) {
    program.counts.polls += 1;
    program.problem.clone_from(&poll.problem);
    program.about.clone_from(&poll.about);
    if let Some(words) = &poll.problem {
        let words = words.clone();
        program.last_error = Some(LastError { at_seconds: poll.time.seconds, words });
    }
    if poll.problem.is_some() && !poll.has_value() {
        program.health = Health::Silent;
        program.counts.polls_failed += 1;
        program.took_seconds = None;
        return;
    }
    program.health = Health::Answering;
    take_latency(program, poll.took.as_secs_f64());
    program.answered_seconds = Some(poll.time.seconds);
}

fn take_latency(device: &mut Device, took_seconds: f64) {
    let smoothed = device.took_smoothed_seconds;
    let moved = |before: f64| before + (took_seconds - before) * SMOOTHING;
    device.took_smoothed_seconds = Some(smoothed.map_or(took_seconds, moved));
    device.took_seconds = Some(took_seconds);
}

/// The problem of a device, in words.
fn problem(poll: &DevicePoll) -> Option<String> {
    if poll.outcome != Outcome::Answered {
        return Some(poll.outcome.to_string());
    }
    let readings = || poll.readings.iter().chain(&poll.walked);
    let missing = || readings().filter_map(|reading| reading.as_ref().err());
    let first = missing().find(|why| **why != Missing::NotAsked)?;
    let (count, all) = (missing().count(), readings().count());
    Some(format!("{count} of {all} values are missing, the first because {first}"))
}

/// The wall clock.
pub(super) fn now_seconds() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    since_1970.map_or(0, |since| since.as_secs() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_remarks_are_counted() {
        let board = Board::new(Catalogue::default(), &[Duration::from_secs(300)], &[]);
        board.remark(vec!["one".to_owned()]);
        assert_eq!(board.status().remarks, ["one"]);
        board.remark((0..REMARKS_MAX + 7).map(|nth| nth.to_string()).collect());
        let remarks = &board.status().remarks;
        assert_eq!(remarks.len(), REMARKS_MAX + 1);
        assert!(remarks[REMARKS_MAX].starts_with("and 7 more"));
    }
}
