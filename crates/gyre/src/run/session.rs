//! A run, from reading the configuration to the last write.

use std::io::{self, IsTerminal as _};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use collector::{Handle, Plan, Poller};
use daemon::{AtStore, AtStoreError, Listening};
use files::OPEN_FILES_MAX;
use inventory::Given;
use jiff::tz::TimeZone;
use mrtg::{Configuration, Source};
use ring::RingStore;
use rrdtool::system_words;
use server::{Catalogue, Context, Hosts, Limits};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle as SignalHandle, Signals};

use super::alarms::{UnusableError, check_usable};
use super::board::{Board, now_seconds};
use super::keeping::{KeepError, Keeping, Kept};
use super::measurer::{Measured, Measurer};
use super::programs::Programs;
use super::protocol::{Protocol, ProtocolError};
use super::queue::queue;
use super::room::Room;
use super::status_line::{Paint, status_line, troubles};
use super::wiring::Wiring;
use super::writer::{Writer, Written};
use super::{catalogue, databases, tell};

/// What to run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The path of the configuration, as the source takes it.
    pub(crate) configuration: PathBuf,
    /// How databases are kept.
    pub(crate) keeping: Keeping,
    /// The address of the web pages; `None` for no pages.
    pub(crate) listen: Option<SocketAddr>,
    /// Host names besides its own that requests for the web pages may have.
    pub(crate) allowed_hosts: Vec<String>,
    /// Where clients of rrdcached's protocol connect.
    pub(crate) rrdcached: Vec<Listening>,
    /// The run ends after this many cycles; `None` for no end.
    pub(crate) cycles: Option<u64>,
    /// A notice on every page.
    pub(crate) notice: Option<String>,
}

/// Why a run cannot begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The path leads to a database instead of a configuration.
    #[error("{}: expected an mrtg.cfg, found an .rrd file", .0.display())]
    Database(PathBuf),
    /// The configuration is wrong.
    #[error(transparent)]
    Configuration(#[from] mrtg::Error),
    /// What it names for its thresholds is not there.
    #[error(transparent)]
    Unusable(#[from] UnusableError),
    /// A number of cycles is asked for, but no device is polled.
    #[error("{}: no target can be polled", .0.display())]
    NothingToPoll(PathBuf),
    /// The databases cannot be opened.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// The store cannot be closed in good order. No acknowledged update is lost.
    #[error("cannot close the store properly, its next start takes longer: {0}")]
    Close(#[from] store::Error),
    /// The web pages cannot be served.
    #[error("cannot listen on {address}: {} (--listen says where else)", system_words(cause))]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// The system's error.
        cause: io::Error,
    },
    /// rrdcached's protocol cannot be served.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
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
    let room = Room::within(limit, !settings.rrdcached.is_empty());
    if let Ok(Given::Database) = Given::at(&settings.configuration) {
        return Err(Error::Database(settings.configuration.clone()));
    }
    let read = Configuration::read(&settings.configuration, source)?;
    check_usable(&read)?;
    let kept = Kept::open(&settings.keeping, &read, room.files)?;
    if kept.ring().is_none() {
        tell_of_few_descriptors(limit, room.files, read.targets.len().min(OPEN_FILES_MAX));
    }
    let prepared = Prepared::new(read, &kept, settings.notice.clone());
    if prepared.sources.is_empty() {
        if settings.cycles.is_some() {
            return Err(Error::NothingToPoll(settings.configuration.clone()));
        }
        let path = settings.configuration.display();
        tell(format_args!("{path}: no target can be polled; SIGHUP reads the file again"));
    }
    let board = Arc::new(Board::new(prepared.catalogue, prepared.plan.interval, &prepared.sources));
    board.remark(prepared.remarks);
    let served = Served::start(settings, &kept, &board, &room)?;
    let (plan, measured) = (prepared.plan, prepared.measured);
    let at_work = AtWork::start(plan, measured, settings.cycles, &kept, &board, &signals)?;
    for signal in &mut signals {
        match signal {
            SIGHUP => reload(settings, source, &kept, &board, &at_work.handle),
            _ => break,
        }
    }
    let written = at_work.end();
    served.end();
    drop(board);
    let closed = kept.close();
    written?;
    Ok(closed?)
}

fn tell_of_few_descriptors(limit: u64, room: usize, files: usize) {
    if room < files {
        tell(format_args!(
            "the system allows {limit} descriptors (RLIMIT_NOFILE): {room} of {files} files stay \
             open between cycles, the others are opened anew in each"
        ));
    }
}

/// What others may ask meanwhile.
struct Served {
    web: Option<server::Running>,
    protocol: Option<Protocol>,
    at_store: Option<AtStore>,
}

impl Served {
    fn start(
        settings: &Settings,
        kept: &Kept,
        board: &Arc<Board>,
        room: &Room,
    ) -> Result<Self, Error> {
        let web = match settings.listen {
            Some(address) => {
                let context = Context::new(board.clone(), kept.store.clone(), TimeZone::system());
                Some(serve(address, context, &settings.allowed_hosts, room.web)?)
            }
            None => None,
        };
        let protocol = Protocol::serve(&settings.rrdcached, kept, room.protocol)?;
        let group = settings.keeping.store_group.as_deref();
        let at_store = kept.ring().map_or(Ok(None), |ring| at_store(ring, group))?;
        Ok(Self { web, protocol, at_store })
    }

    fn end(self) {
        if let Some(web) = self.web {
            web.stop();
        }
        if let Some(protocol) = self.protocol {
            protocol.end();
        }
        drop(self.at_store);
    }
}

/// The threads that poll and write.
struct AtWork {
    handle: Handle<Measurer>,
    polling: JoinHandle<io::Result<Measurer>>,
    writing: JoinHandle<()>,
}

impl AtWork {
    fn start(
        plan: Plan,
        measured: Measured,
        cycles: Option<u64>,
        kept: &Kept,
        board: &Arc<Board>,
        signals: &Signals,
    ) -> Result<Self, Error> {
        let (queue, messages) = queue();
        let measurer = Measurer::new(measured, queue, board.clone());
        let (poller, handle) = Poller::new(plan, measurer)?;
        let to_polling = handle.clone();
        let programs = Programs::new(move |finished| {
            to_polling.act(move |measurer: &mut Measurer| measurer.program(finished));
        })?;
        handle.act(move |measurer: &mut Measurer| measurer.run_programs(programs));
        let narrator = Narrator::new(board.clone(), kept, cycles, signals.handle());
        let writer = Writer::new(kept.store.clone());
        let end = EndOnDrop(signals.handle());
        let writing = thread::Builder::new().name("gyre-write".to_owned()).spawn(move || {
            let _end = end;
            writer.run(&messages, |written| narrator.tell(&written));
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
    let say = move |words: &str| tell(format_args!("{}: {words}", root.display()));
    match AtStore::serve(ring, group, say) {
        Err(error) if group.is_some() => Err(error.into()),
        served => Ok(served.inspect_err(|error| tell(error)).ok()),
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

/// All that is derived from a configuration.
struct Prepared {
    plan: Plan,
    /// The names of devices and programs.
    sources: Vec<Arc<str>>,
    measured: Measured,
    catalogue: Catalogue,
    remarks: Vec<String>,
}

impl Prepared {
    fn new(mut read: Configuration, kept: &Kept, notice: Option<String>) -> Self {
        let root = &kept.root;
        let wiring = Wiring::new(&read);
        // The wiring knows what they ask for; of a million targets they take 400 MB.
        read.polls = Vec::new();
        let configuration = Arc::new(read);
        let elsewhere = *root != configuration.globals.log_dir;
        let store = kept.store.as_ref();
        let databases = databases::prepare(&configuration, store, elsewhere, now_seconds());
        let mut remarks: Vec<String> =
            configuration.notes.iter().map(ToString::to_string).collect();
        remarks.extend(wiring.remarks(&configuration));
        remarks.extend(databases.remarks);
        if databases.made > 0 {
            tell(format_args!("{} new databases in {}", databases.made, root.display()));
        }
        for remark in &remarks {
            tell(remark);
        }
        let of_target = databases.of_target;
        let catalogue = catalogue::catalogue(&configuration, &wiring, &of_target, kept, notice);
        Self {
            plan: wiring.plan.clone(),
            sources: (0..wiring.sources()).map(|source| wiring.name_of(source)).collect(),
            measured: Measured::new(configuration, wiring, of_target),
            catalogue,
            remarks,
        }
    }
}

/// Reads the configuration again. If it has an error, nothing changes.
fn reload(
    settings: &Settings,
    source: &dyn Source,
    kept: &Kept,
    board: &Arc<Board>,
    handle: &Handle<Measurer>,
) {
    let read = match read_anew(settings, source) {
        Ok(read) => read,
        Err(error) => {
            tell(format_args!("the configuration stays as it was: {error}"));
            board.remark(vec![format!("The configuration could not be reloaded: {error}")]);
            return;
        }
    };
    if settings.keeping.directory.is_none() && read.globals.log_dir != kept.log_dir {
        let wanted = read.globals.log_dir.display();
        tell(format_args!(
            "databases stay in {} until a restart; it is now {wanted}",
            kept.root.display()
        ));
    }
    let prepared = Prepared::new(read, kept, settings.notice.clone());
    let (board, interval) = (board.clone(), prepared.plan.interval);
    let devices = prepared.plan.devices.len();
    tell(format_args!("the configuration is read anew: {devices} devices"));
    handle.reload(prepared.plan, move |measurer| {
        board.show(prepared.catalogue, interval, &prepared.sources);
        board.remark(prepared.remarks);
        measurer.adopt(prepared.measured);
    });
}

fn read_anew(settings: &Settings, source: &dyn Source) -> Result<Configuration, Error> {
    let read = Configuration::read(&settings.configuration, source)?;
    check_usable(&read)?;
    Ok(read)
}

fn serve(
    address: SocketAddr,
    context: Context,
    allowed_hosts: &[String],
    connections: usize,
) -> Result<server::Running, Error> {
    let listener = TcpListener::bind(address).map_err(|cause| Error::Listen { address, cause })?;
    let mut hosts = Hosts::of_this_machine();
    allowed_hosts.iter().for_each(|name| hosts.allow(name));
    let limits = Limits { connections, ..Limits::default() };
    let web = server::start(listener, server::router(context, hosts), limits)?;
    tell(format_args!("web pages at http://{}/", web.address()));
    Ok(web)
}

/// Reports each cycle to the operator, and ends the run after the last cycle.
struct Narrator {
    board: Arc<Board>,
    ring: Option<Arc<RingStore>>,
    /// The store's last problem that was reported, so that it is not repeated.
    told: std::cell::RefCell<Option<String>>,
    cycles_left: Option<std::sync::atomic::AtomicU64>,
    end: SignalHandle,
    paint: Paint,
}

impl Narrator {
    fn new(board: Arc<Board>, kept: &Kept, cycles: Option<u64>, end: SignalHandle) -> Self {
        let ring = kept.ring().cloned();
        let is_terminal = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let cycles_left = cycles.map(Into::into);
        let told = std::cell::RefCell::default();
        Self { board, ring, told, cycles_left, end, paint: Paint { is_terminal } }
    }

    fn tell(&self, written: &Written) {
        tell(status_line(written, self.paint));
        let report = &written.cycle.report;
        self.board.cycle(server::Cycle {
            number: report.cycle,
            ended_seconds: now_seconds(),
            targets_polled: written.cycle.targets.polled,
            targets_missed: written.cycle.targets.missed,
            poll_seconds: report.took.as_secs_f64(),
            write_seconds: written.took.as_secs_f64(),
        });
        let stores = self.ring.as_ref().and_then(|ring| ring.engine().trouble());
        let stores = stores.map(|trouble| format!("the store: {trouble}"));
        if stores.is_some() && *self.told.borrow() != stores {
            stores.iter().for_each(tell);
            self.told.replace(stores.clone());
        }
        self.board.trouble(troubles(written).into_iter().chain(stores).collect());
        if let Some(left) = &self.cycles_left
            && left.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) == 1
        {
            self.end.close();
        }
    }
}
