//! A run, from reading the configuration to the last write.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use collector::{Handle, Plan, Poller};
use daemon::{AtStore, AtStoreError};
use files::OPEN_FILES_MAX;
use inventory::Given;
use mrtg::Source;
use ring::RingStore;
use rrdtool::system_words;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle as SignalHandle, Signals};

use super::agents;
use super::alarms::{LinkError, Origin, Ready, Receivers};
use super::board::Board;
use super::event::Event;
use super::guard::{Guard, GuardError};
use super::itself::Itself;
use super::keeping::{KeepError, Kept};
use super::labels;
use super::learnt::LearntLimits;
use super::measurer::{Measured, Measurer, Outgoing};
use super::narrator::Narrator;
use super::part::file_beside;
use super::prepared::Prepared;
use super::programs::Programs;
use super::protocol::{Protocol, ProtocolError};
use super::queue::queue;
use super::reload::Reloading;
use super::room::Room;
use super::settings::{ReadError, Settings};
use super::sql_feed::{self, FeedThread, SqlError};
use super::web::{Web, WebError};
use super::writer::Writer;
use crate::hearing::{Hearing, IntakeError};
use crate::series_rules::{self, RulesError};

/// Why a run cannot begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The path leads to a database instead of a configuration.
    #[error("{}: expected an mrtg.cfg, found an .rrd file", .0.display())]
    Database(PathBuf),
    /// The configuration or a secret cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A number of cycles is asked for, but no device is polled.
    #[error("{}: no target can be polled", .0.display())]
    NothingToPoll(PathBuf),
    /// The databases cannot be opened.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// The store cannot be closed in good order. No acknowledged update is lost.
    #[error("cannot close the store properly, its next start takes longer: {0}")]
    Close(#[from] store::Error),
    /// Samples of agents cannot be taken.
    #[error("--intake: {0}")]
    Intake(#[from] IntakeError),
    /// The web pages cannot be served.
    #[error(transparent)]
    Web(#[from] WebError),
    /// It cannot be known who may ask.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// rrdcached's protocol cannot be served.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The tables of `--sql` cannot be fed.
    #[error("--sql: {0}")]
    Sql(#[from] SqlError),
    /// Alerts cannot be posted.
    #[error(transparent)]
    Alerts(#[from] LinkError),
    /// The rules that name series, and so their labels, cannot be used.
    #[error("--series: {0}")]
    Series(#[from] RulesError),
    /// Other processes cannot use the store through its directory, though a group for them was
    /// named.
    #[error("--store-group: {0}")]
    AtStore(#[from] AtStoreError),
    /// The system refuses a socket, a thread or a signal.
    #[error("{}", system_words(.0))]
    System(#[from] io::Error),
}

/// Runs until the cycles are over or a signal comes.
///
/// # Errors
///
/// The run cannot begin, or the system refuses to let it go on.
pub(crate) fn run(settings: &Settings, source: &dyn Source) -> Result<(), Error> {
    let mut signals = Signals::new([SIGHUP, SIGTERM, SIGINT])?;
    let limit = disk::raise_descriptor_limit();
    let room = Room::within(limit, &settings.rrdcached, settings.intake.is_some());
    if let Ok(Given::Database) = Given::at(&settings.configuration) {
        return Err(Error::Database(settings.configuration.clone()));
    }
    let ready = Ready::at(&settings.receivers)?;
    let read = settings.read(source)?;
    // What is written once is not kept open: the buffers of each open file would only take memory.
    let open_files_max = if settings.cycles == Some(1) { 0 } else { room.files };
    let kept = Kept::open(&settings.keeping, &read.configuration, open_files_max)?;
    if kept.ring().is_none() {
        let files = read.configuration.targets.len().min(OPEN_FILES_MAX);
        tell_of_few_descriptors(limit, room.files, files);
    }
    let prepared = Prepared::new(read, &kept, settings.notice.clone());
    if prepared.sources.is_empty() {
        if settings.cycles.is_some() {
            return Err(Error::NothingToPoll(settings.configuration.clone()));
        }
        let path = settings.configuration.display();
        let words = format!("{path}: no target can be polled; SIGHUP reads the file again");
        Event::warning("nothing to poll", words).tell();
    }
    let board =
        Arc::new(Board::new(prepared.catalogue, &prepared.plan.intervals, &prepared.sources));
    board.remark(prepared.remarks);
    board.set_layouts(prepared.layouts);
    if let Some(ring) = kept.ring() {
        board.watch_replay(ring.engine().replaying());
    }
    let served = Served::start(settings, &kept, &board, &room)?;
    let in_use = Outgoing::of(&prepared.measured);
    let (plan, measured) = ((*prepared.plan).clone(), prepared.measured);
    let limits = LearntLimits::open(&kept.root, &settings.configuration, settings.keeping.part);
    limits.keep_only(&plan);
    let limits = Arc::new(limits);
    let receivers = receivers(ready, settings, &kept, &board, served.web.as_ref())?;
    let begin = Begin { plan, measured, receivers };
    let at_work = AtWork::start(begin, settings.cycles, &kept, &board, &limits, &signals)?;
    // A single cycle has no course that could be shown.
    let is_measured = settings.measures_itself && settings.cycles != Some(1);
    let itself = is_measured.then(|| Itself::start(settings, &kept, &board)).flatten();
    let handle = &at_work.handle;
    let mut reloading = Reloading { settings, source, kept: &kept, board: &board, handle, in_use };
    for signal in &mut signals {
        match signal {
            SIGHUP => {
                reloading.reload();
                served.reload();
            }
            _ => break,
        }
    }
    let written = at_work.end();
    itself.into_iter().for_each(Itself::end);
    limits.write();
    served.end();
    drop(board);
    let closed = kept.close();
    written?;
    Ok(closed?)
}

fn tell_of_few_descriptors(limit: u64, room: usize, files: usize) {
    if room < files {
        let words = format!(
            "the system allows {limit} descriptors (RLIMIT_NOFILE): {room} of {files} files stay \
             open between cycles, the others are opened anew in each"
        );
        let event = Event::warning("few descriptors", words);
        event.with("limit", limit).with("files", files).with("files_open", room).tell();
    }
}

/// What others may ask meanwhile.
struct Served {
    web: Option<Web>,
    hearing: Option<Hearing>,
    guard: Guard,
    protocol: Option<Protocol>,
    at_store: Option<AtStore>,
    sql: Option<FeedThread>,
}

impl Served {
    fn start(
        settings: &Settings,
        kept: &Kept,
        board: &Arc<Board>,
        room: &Room,
    ) -> Result<Self, Error> {
        let file = settings.sql.as_deref();
        let sql = file.map(|file| sql_feed::start(file, kept)).transpose()?;
        if let Some(sql) = &sql {
            board.watch_feed(sql.watch());
        }
        let guard = Guard::at(&settings.guard)?;
        let hearing = agents::start(settings, kept, &guard, room.agents)?;
        let web = Web::start(settings, kept, board, &guard, hearing.as_ref(), room.web)?;
        let protocol = Protocol::serve(&settings.rrdcached, kept, room.protocol, &guard)?;
        let group = settings.keeping.store_group.as_deref();
        let at_store = kept.ring().map_or(Ok(None), |ring| at_store(ring, group))?;
        Ok(Self { web, hearing, guard, protocol, at_store, sql })
    }

    /// Reads again who may ask, and opens the log of requests anew.
    fn reload(&self) {
        self.guard.reload();
        self.web.iter().for_each(Web::reload);
        self.hearing.iter().for_each(agents::reload);
    }

    fn end(self) {
        if let Some(web) = self.web {
            web.end();
        }
        if let Some(hearing) = self.hearing {
            hearing.end();
        }
        if let Some(protocol) = self.protocol {
            protocol.end();
        }
        drop(self.at_store);
        drop(self.sql);
    }
}

/// Those to whom alerts are posted.
fn receivers(
    ready: Vec<Ready>,
    settings: &Settings,
    kept: &Kept,
    board: &Arc<Board>,
    web: Option<&Web>,
) -> Result<Option<Receivers>, Error> {
    if ready.is_empty() {
        return Ok(None);
    }
    let rules = series_rules::rules(settings.series.as_deref())?;
    let web_url = settings.web_url.clone().or_else(|| web.map(|web| web.url.clone()));
    let file = file_beside(&settings.configuration, settings.keeping.part, "alerts");
    let file = kept.root.join(file);
    let origin = Origin { labels: labels::of_series(board.clone(), rules), web_url };
    let receivers = Receivers::start(ready, origin, file)?;
    board.watch_alerts(receivers.watch());
    Ok(Some(receivers))
}

/// What the threads begin with.
struct Begin {
    plan: Plan,
    measured: Measured,
    receivers: Option<Receivers>,
}

/// The threads that poll and write.
struct AtWork {
    handle: Handle<Measurer>,
    polling: JoinHandle<io::Result<Measurer>>,
    writing: JoinHandle<()>,
}

impl AtWork {
    fn start(
        begin: Begin,
        cycles: Option<u64>,
        kept: &Kept,
        board: &Arc<Board>,
        limits: &Arc<LearntLimits>,
        signals: &Signals,
    ) -> Result<Self, Error> {
        let Begin { plan, measured, receivers } = begin;
        let (queue, messages) = queue(board.depth());
        let measurer = Measurer::new(measured, queue, board.clone(), limits.clone());
        let (mut poller, handle) = Poller::new(plan, measurer)?;
        poller.recall(|plan| limits.recalled(plan));
        let to_polling = handle.clone();
        let programs = Programs::new(move |finished| {
            to_polling.act(move |measurer: &mut Measurer| measurer.program(finished));
        })?;
        handle.act(move |measurer: &mut Measurer| measurer.run_programs(programs));
        let narrator = Narrator::new(board.clone(), kept, cycles, signals.handle());
        let writer = Writer::new(kept.store.clone(), board.depth(), receivers, board.broken());
        let end = EndOnDrop(signals.handle());
        let limits = limits.clone();
        let writing = thread::Builder::new().name("gyre-write".to_owned()).spawn(move || {
            let _end = end;
            writer.run(&messages, |written| {
                narrator.tell(&written);
                limits.write_if_due();
            });
        })?;
        let end = EndOnDrop(signals.handle());
        let polling = thread::Builder::new().name("gyre-poll".to_owned()).spawn(move || {
            let _end = end;
            poller.run()
        })?;
        Ok(Self { handle, polling, writing })
    }

    /// Ends them. However polling ended, what it has measured is written before the run is over.
    fn end(self) -> Result<(), io::Error> {
        self.handle.stop();
        let polled = self.polling.join().map_err(|_| io::Error::other("the polling thread died"));
        let polled = polled.flatten().map(Measurer::finish);
        let written = self.writing.join().map_err(|_| io::Error::other("the writing thread died"));
        polled.and(written)
    }
}

/// Has other processes reach the ring store in its directory. Where it cannot be, that is
/// only told, unless a group of them was asked for.
fn at_store(ring: &Arc<RingStore>, group: Option<&str>) -> Result<Option<AtStore>, Error> {
    let root = ring.root().to_path_buf();
    let say = move |words: &str| {
        let words = format!("{}: {words}", root.display());
        Event::info("store's socket", words).tell();
    };
    match AtStore::serve(ring, group, say) {
        Err(error) if group.is_some() => Err(error.into()),
        served => {
            let told = |error: &AtStoreError| Event::warning("store's socket", error).tell();
            Ok(served.inspect_err(told).ok())
        }
    }
}

/// Ends the run when its thread ends for any reason: polling must not go on without writing, nor
/// writing without polling.
struct EndOnDrop(SignalHandle);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}
