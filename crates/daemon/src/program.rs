//! The face of a process: `gyre rrdcached`, and rrdcached's own name.

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use disk::{Descriptors, system_words};
use files::FileCache;
use files::cache::{CacheOptions, Journaling};
use guard::{Exposed, Tls, TokensFile};
use ring::Sync as RingSync;
use ring::{RingOptions, RingStore};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use store::Replaying;

use crate::address::Address;
use crate::admission::Access;
use crate::at_store::AtStore;
use crate::brought::{
    Agents, Brought, FeedTables, Feeding, HearAgents, Hearing, OpenPages, Opening, Pages,
    ReadAgents, ShowPages, Site, Tell,
};
use crate::encryption::Encryption;
use crate::guarded::Guarded;
use crate::limits::Limits;
use crate::listen::{self, Listener};
use crate::log::{Level, Log};
use crate::options::{self, Refused, Settings, Sync};
use crate::paths::Paths;
use crate::process::background;
use crate::process::confinement::Confinement;
use crate::process::pid_file::PidFile;
use crate::process::privileges::Identity;
use crate::server::Server;
use crate::shelf::Kept;
use crate::sockets::{Sockets, descriptors_per_client};
use crate::terms::Terms;

/// How long clients may take at the end to read what they are owed.
const END_PATIENCE: Duration = Duration::from_secs(5);
/// Connections to the web pages, at most an eighth of all descriptors.
const WEB_CONNECTIONS: usize = 128;
/// Connections of agents, at most as many.
const AGENT_CONNECTIONS: usize = 1024;

/// The daemon under this name, for its page and for completions.
#[must_use]
pub fn described(program: &str) -> ::options::Described {
    options::described(program)
}

/// Runs the daemon with the words behind its name.
#[must_use]
pub fn run(program: &str, words: &[&str], brought: Brought<'_>) -> ExitCode {
    started(program, words, brought).unwrap_or_else(|Refused { words, exit_code }| {
        rrdtool::complain!("{program}: {words}");
        ExitCode::from(exit_code)
    })
}

fn started(program: &str, words: &[&str], brought: Brought<'_>) -> Result<ExitCode, Refused> {
    let Some(mut settings) = Settings::read(words)? else {
        return show_help(program);
    };
    if settings.web.is_some() && brought.pages.is_none() {
        return Err(Refused::new(1, "--web: this program shows no pages, gyre rrdcached does"));
    }
    if settings.sql.is_some() && brought.tables.is_none() {
        return Err(Refused::new(1, "--sql: this program feeds no tables, gyre rrdcached does"));
    }
    if settings.intake.is_some() && brought.agents.is_none() {
        return Err(Refused::new(1, "--intake: this program hears no agents, gyre rrdcached does"));
    }
    let is_behind = background::is_behind();
    if !settings.stays_in_foreground && !is_behind {
        return background::start();
    }
    if is_behind {
        background::leave_session();
    } else {
        settings
            .warnings
            .iter()
            .for_each(|words| rrdtool::complain!("{program}: warning: {words}"));
    }
    settings.base = base(&settings.base)?;
    make_absolute(&mut settings)?;
    // Scripts that call it so know of none of our options.
    let is_drop_in = program == "rrdcached";
    Daemon::start(settings, is_behind, is_drop_in, brought)?.serve()
}

/// A reader that has gone is no error.
fn show_help(program: &str) -> Result<ExitCode, Refused> {
    match io::stdout().write_all(options::help(program).as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Refused { words: system_words(&error), exit_code: 1 })
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// A daemon with its sockets.
struct Daemon {
    kept: Kept,
    server: Server,
    at_store: Option<AtStore>,
    agents: Option<Box<dyn Agents>>,
    /// The web pages, which end when this is dropped.
    web: Option<Box<dyn Pages>>,
    /// The feed of tables, which ends when this is dropped.
    tables: Option<Box<dyn Send>>,
    guard: Guarded,
    log: Arc<Log>,
    signals: Signals,
    /// Whether files are written at an ordinary end.
    flushes_at_end: bool,
    /// Whether pages have something to read or open again: boards, a log of requests.
    pages_reload: bool,
    _pid_file: PidFile,
}

impl Daemon {
    fn start(
        mut settings: Settings,
        is_behind: bool,
        is_drop_in: bool,
        brought: Brought<'_>,
    ) -> Result<Self, Refused> {
        let identity = Identity::find(settings.user.as_deref(), settings.group.as_deref())?;
        // Before any thread, so that each is of the same mind about signals.
        let signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2])
            .map_err(|error| Refused::system(1, "signals", &error))?;
        let log = open_log(&settings, is_behind)?;
        // Before the sockets: once a daemon answers, no second one starts by its pid file.
        let pid_file = PidFile::write(&settings.pid_file)?;
        let tokens = settings.tokens.as_deref().map(TokensFile::open).transpose()?;
        let tls = settings.tls()?.map(Tls::open).transpose()?;
        let encryption = tls.clone().map(Encryption::start).transpose();
        let encryption =
            encryption.map_err(|error| Refused::system(1, "starting a thread", &error))?;
        let listeners = listeners(&settings, encryption.as_ref())?;
        guard_doors(&settings, &listeners, tls.as_ref(), is_drop_in, &log)?;
        let web = settings.web.map(listen_for_pages).transpose()?;
        identity.assume()?;
        divide_descriptors(&mut settings, &log);
        log.say(Level::Info, "starting up");
        // What these threads read and write lies outside the daemon's directories.
        let guard = Guarded::by(tokens, tls, &log)
            .map_err(|error| Refused::system(1, "starting a thread", &error))?;
        let show = open_pages(&settings, &guard, brought.pages, &log)?;
        let hear = read_agents(settings.intake.as_deref(), brought.agents)?;
        let is_held = settings.only_base && confine(&settings, &listeners, &log)?;
        let kept = kept(&settings, &log).map_err(|error| Refused::new(6, error.to_string()))?;
        let tables = feed_tables(&settings, &kept, brought.tables, &log)?;
        let terms = terms(&settings, &guard, Arc::clone(&log), is_held)?;
        let server = Server::start(kept.clone(), terms, listeners)
            .map_err(|error| Refused::system(1, "starting a thread", &error))?;
        let at_store = at_store(&kept, settings.store_group.as_deref(), &log)?;
        let shown = Shown { server: &server, kept: &kept, settings: &settings, guard: &guard };
        let agents = hear.map(|hear| hear_agents(hear, &shown, &log)).transpose()?;
        let web = match (web, show) {
            (Some(listener), Some(show)) => Some(show_pages(listener, show, &shown)?),
            _ => None,
        };
        tell_ready(is_behind, &log)?;
        let flushes_at_end = settings.flushes_at_end || settings.journal.is_none();
        Ok(Self {
            kept,
            server,
            at_store,
            agents,
            web,
            tables,
            guard,
            log,
            signals,
            flushes_at_end,
            pages_reload: settings.request_log.is_some() || settings.boards.is_some(),
            _pid_file: pid_file,
        })
    }

    /// Waits for a signal that ends the daemon. SIGHUP is none where there are tokens or
    /// certificates, which are read again then, a log of requests, which is opened anew, or boards;
    /// rrdcached ends by it.
    fn next_signal(&mut self) -> Option<i32> {
        let (guard, web, agents) = (&self.guard, &self.web, &self.agents);
        let goes_on_at_hangup = guard.has_files() || self.pages_reload || agents.is_some();
        self.signals.forever().find(|signal| {
            let goes_on = *signal == SIGHUP && goes_on_at_hangup;
            if goes_on {
                guard.read_again();
                web.iter().for_each(|pages| pages.reopen());
                agents.iter().for_each(|agents| read_again(&**agents, &self.log));
            }
            !goes_on
        })
    }

    /// Waits for a signal, and ends as it says.
    fn serve(mut self) -> Result<ExitCode, Refused> {
        let signal = self.next_signal();
        let (name, is_flushing) = match signal {
            Some(SIGUSR1) => ("SIGUSR1", true),
            Some(SIGUSR2) => ("SIGUSR2", false),
            Some(SIGINT) => ("SIGINT", self.flushes_at_end),
            Some(SIGHUP) => ("SIGHUP", self.flushes_at_end),
            _ => ("SIGTERM", self.flushes_at_end),
        };
        let log = self.log;
        log.say(Level::Notice, &format!("caught {name}"));
        log.say(Level::Info, "starting shutdown");
        drop(self.web);
        if let Some(agents) = self.agents {
            agents.end();
        }
        self.server.end(END_PATIENCE);
        drop(self.at_store);
        drop(self.tables);
        let code = match self.kept.close(is_flushing) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                log.say(Level::Critical, &format!("at the end: {error}"));
                ExitCode::FAILURE
            }
        };
        log.say(Level::Info, "goodbye");
        Ok(code)
    }
}

fn open_log(settings: &Settings, is_behind: bool) -> Result<Arc<Log>, Refused> {
    let log = Log::open(settings.log.as_deref(), settings.level, !is_behind);
    log.map(Arc::new).map_err(|error| Refused::system(1, "opening the log", &error))
}

/// Tells the process that started the daemon that it answers.
fn tell_ready(is_behind: bool, log: &Log) -> Result<(), Refused> {
    if is_behind {
        let told = background::tell_ready();
        told.map_err(|error| Refused::system(1, "going to the background", &error))?;
    }
    tell_systemd();
    log.say(Level::Info, "listening for connections");
    Ok(())
}

/// The base directory, which is made if it is missing, and must be what it is called.
fn base(path: &Path) -> Result<PathBuf, Refused> {
    let failed = |error: std::io::Error| {
        let words = rrdtool::system_words(&error);
        Refused::new(5, format!("base directory {}: {words}", path.display()))
    };
    std::fs::create_dir_all(path).map_err(failed)?;
    let real = path.canonicalize().map_err(failed)?;
    let written: PathBuf = std::path::absolute(path).map_err(failed)?.components().collect();
    if real != written {
        let words = format!(
            "the base directory (-b) is reached over a symbolic link: it is {}",
            real.display()
        );
        return Err(Refused::new(5, words));
    }
    Ok(real)
}

/// What is named relative to where we were called means that, wherever we go.
fn make_absolute(settings: &mut Settings) -> Result<(), Refused> {
    let logs_to_file = !settings.logs_requests_to_output();
    let Settings { journal, log, store, sql, tokens, series, intake, boards, .. } = settings;
    let Settings { request_log, tls_certificate, tls_key, tls_client_authorities, .. } = settings;
    let paths = [journal, log, store, sql, tokens, series, intake, boards];
    let paths = paths.into_iter().chain([tls_certificate, tls_key, tls_client_authorities]);
    let request_log = request_log.iter_mut().filter(|_| logs_to_file);
    let paths = paths.into_iter().flatten().chain([&mut settings.pid_file]).chain(request_log);
    let sockets =
        settings.sockets.named.iter_mut().filter_map(|socket| match &mut socket.address {
            Address::Unix(path) => Some(path),
            Address::Network { .. } => None,
        });
    for path in paths.chain(sockets) {
        let absolute = std::path::absolute(&*path);
        *path = absolute.map_err(|error| Refused::new(1, system_words(&error)))?;
    }
    Ok(())
}

fn listeners(
    settings: &Settings,
    encryption: Option<&Encryption>,
) -> Result<Vec<Listener>, Refused> {
    let Sockets { named, others } = &settings.sockets;
    let mut listeners = listen::handed_over(others.permissions)?;
    for socket in named {
        listeners.extend(Listener::open_encrypted(socket, encryption)?);
    }
    if listeners.is_empty() {
        listeners = Listener::open(others)?;
    }
    Ok(listeners)
}

/// Refuses to be reached by other machines where nobody is asked who they are. Where rrdcached was
/// called, whose callers know nothing else, that is only told.
fn guard_doors(
    settings: &Settings,
    listeners: &[Listener],
    tls: Option<&Tls>,
    is_drop_in: bool,
    log: &Log,
) -> Result<(), Refused> {
    if settings.is_insecure || settings.tokens.is_some() {
        return Ok(());
    }
    let knows_clients = tls.is_some_and(Tls::knows_clients);
    let web = settings.web.filter(|address| !knows_clients && guard::is_exposed(address.ip()));
    let web = web.map(|address| Exposed(format!("--web {address}")));
    let exposed = listeners.iter().find_map(Listener::exposed).or(web);
    let Some(address) = exposed else { return Ok(()) };
    let words = address.to_string();
    if !is_drop_in {
        return Err(Refused::new(1, words));
    }
    rrdtool::complain!("rrdcached: warning: {words}");
    log.say(Level::Warning, &words);
    Ok(())
}

fn read_again(agents: &dyn Agents, log: &Log) {
    match agents.read_again() {
        Ok(words) => log.say(Level::Notice, &words),
        Err(error) => {
            log.say(Level::Error, &format!("the rules for agents stay as they were: {error}"));
        }
    }
}

/// What web pages are shown of.
struct Shown<'a> {
    server: &'a Server,
    kept: &'a Kept,
    settings: &'a Settings,
    guard: &'a Guarded,
}

/// A port below 1024 needs the user that we are before -U.
fn listen_for_pages(address: SocketAddr) -> Result<TcpListener, Refused> {
    let failed = |error: io::Error| {
        let words = rrdtool::system_words(&error);
        Refused::new(1, format!("listening on {address} for web pages: {words}"))
    };
    TcpListener::bind(address).map_err(failed)
}

/// Opens what pages need, if there are to be any.
fn open_pages(
    settings: &Settings,
    guard: &Guarded,
    open: Option<&OpenPages>,
    log: &Arc<Log>,
) -> Result<Option<Box<ShowPages>>, Refused> {
    let (Some(_), Some(open)) = (settings.web, open) else { return Ok(None) };
    let proxies = settings.proxies()?;
    let opening = Opening {
        series: settings.series.as_deref(),
        boards: settings.boards.as_deref(),
        allowed_hosts: &settings.allowed_hosts,
        tokens: guard.tokens.clone(),
        proxies: proxies.as_ref(),
        request_log: settings.request_log.as_deref(),
        tell: warner(log),
    };
    open(opening).map(Some).map_err(|error| Refused::new(1, error.to_string()))
}

fn read_agents(
    file: Option<&Path>,
    read: Option<&ReadAgents>,
) -> Result<Option<Box<HearAgents>>, Refused> {
    let (Some(file), Some(read)) = (file, read) else { return Ok(None) };
    read(file).map(Some).map_err(|error| Refused::new(1, format!("--intake: {error}")))
}

fn hear_agents(
    hear: Box<HearAgents>,
    &Shown { server, kept, settings, .. }: &Shown<'_>,
    log: &Arc<Log>,
) -> Result<Box<dyn Agents>, Refused> {
    let limit = disk::raise_descriptor_limit();
    let hearing = Hearing {
        databases: server.databases(),
        base: &settings.base,
        kept,
        has_pages: settings.web.is_some(),
        is_insecure: settings.is_insecure,
        connections: agent_connections(settings, limit),
        tell: warner(log),
    };
    hear(hearing).map_err(|error| Refused::new(1, format!("--intake: {error}")))
}

/// Takes warnings for the log.
fn warner(log: &Arc<Log>) -> Tell {
    let log = Arc::clone(log);
    Box::new(move |words| log.say(Level::Warning, words))
}

fn show_pages(
    listener: TcpListener,
    show: Box<ShowPages>,
    &Shown { server, kept, settings, guard }: &Shown<'_>,
) -> Result<Box<dyn Pages>, Refused> {
    let limit = disk::raise_descriptor_limit();
    let site = Site {
        listener,
        databases: server.databases(),
        base: &settings.base,
        kept,
        tls: guard.tls.clone(),
        connections: web_connections(settings, limit),
    };
    show(site).map_err(|error| Refused::new(1, error.to_string()))
}

fn feed_tables(
    settings: &Settings,
    kept: &Kept,
    feed: Option<&FeedTables>,
    log: &Arc<Log>,
) -> Result<Option<Box<dyn Send>>, Refused> {
    let (Some(file), Some(feed)) = (settings.sql.as_deref(), feed) else { return Ok(None) };
    let feeding = Feeding { file, kept, base: &settings.base, tell: warner(log) };
    feed(feeding).map(Some).map_err(|error| Refused::new(1, format!("--sql: {error}")))
}

/// What holds for all clients. `is_held` says that the kernel holds `-B`.
fn terms(
    settings: &Settings,
    guard: &Guarded,
    log: Arc<Log>,
    is_held: bool,
) -> Result<Terms, Refused> {
    let paths = match settings.store {
        Some(_) => Ok(Paths::of_names(&settings.base, settings.only_base)),
        None => Paths::of_files(&settings.base, settings.only_base),
    };
    let paths = paths.map_err(|error| Refused::system(5, "base directory", &error))?;
    let trusts_memory = is_held || !settings.only_base;
    Ok(Terms {
        paths: if trusts_memory { paths } else { paths.without_memory() },
        log,
        limits: Limits { clients: settings.clients, patience: settings.patience },
        keeps_existing: settings.keeps_existing,
        makes_directories: settings.makes_directories,
        access: Access { tokens: guard.tokens.clone(), is_insecure: settings.is_insecure },
        syncs: false,
    })
}

/// Tells that groups are replayed, and when that is done.
fn tell_of_replay(store: &RingStore, log: &Arc<Log>) {
    let watch = store.engine().replaying();
    let Replaying { groups_left, bytes_left, .. } = watch.now();
    if bytes_left > 0 {
        let words = format!("{groups_left} groups are replayed from {bytes_left} bytes of the log");
        log.say(Level::Info, &words);
        let log = Arc::clone(log);
        watch.when_done(move |_| log.say(Level::Info, "all groups are replayed"));
    }
}

/// Opens the store that is to be served.
fn kept(settings: &Settings, log: &Arc<Log>) -> Result<Kept, store::Error> {
    if let Some(root) = &settings.store {
        let (sync, sync_every) = match settings.sync {
            Sync::Always => (RingSync::Always, None),
            Sync::Every(time) => (RingSync::Deferred, Some(time)),
            Sync::Off => (RingSync::Deferred, None),
        };
        let options =
            RingOptions { sync, sync_every, sparse: settings.sparse, ..RingOptions::default() };
        let store = RingStore::open_or_create(root, options)?;
        let noted = Arc::clone(log);
        store.engine().give_notes_to(move |words| noted.say(Level::Error, words));
        tell_of_replay(&store, log);
        return Ok(Kept::Ring(Arc::new(store)));
    }
    if settings.journal.is_none() {
        let words =
            "there is no journal (-j): what is not yet in files is lost if this process dies";
        log.say(Level::Notice, words);
    }
    let sync_every = match settings.sync {
        Sync::Always => None,
        Sync::Every(time) => Some(time),
        Sync::Off => Some(Duration::from_secs(u64::from(u32::MAX))),
    };
    let journal = settings.journal.clone().map(|directory| Journaling { directory, sync_every });
    let noted = Arc::clone(log);
    let options = CacheOptions {
        journal,
        journal_bytes_max: settings.journal_bytes_max,
        base: settings.base.clone(),
        write_after: settings.write_after,
        spread: settings.spread,
        writer_threads: settings.write_threads,
        open_files_max: settings.open_files,
        flush_on_close: false,
        notes: Arc::new(move |words| noted.say(Level::Error, words)),
        ..CacheOptions::default()
    };
    Ok(Kept::Cached(Arc::new(FileCache::open(options)?)))
}

/// Has others on this machine reach a ring store in its own directory. That it cannot be is no more
/// than logged, unless a group of them was asked for.
fn at_store(kept: &Kept, group: Option<&str>, log: &Arc<Log>) -> Result<Option<AtStore>, Refused> {
    let Kept::Ring(ring) = kept else { return Ok(None) };
    let noted = Arc::clone(log);
    match AtStore::serve(ring, group, move |words| noted.say(Level::Error, words)) {
        Err(error) if group.is_some() => Err(Refused::new(5, format!("--store-group: {error}"))),
        served => Ok(served.inspect_err(|error| log.say(Level::Warning, &error.to_string())).ok()),
    }
}

/// Has the kernel hold this process to its own directories (`-B`). It does so for threads that are
/// started from here on. False where the kernel cannot.
fn confine(settings: &Settings, listeners: &[Listener], log: &Log) -> Result<bool, Refused> {
    let own = [Some(&settings.base), settings.journal.as_ref(), settings.store.as_ref()];
    let own = own.into_iter().flatten().cloned().collect();
    let sockets =
        listeners.iter().filter_map(|listener| Some(listener.file.as_ref()?.path.clone()));
    let removed = sockets.chain([settings.pid_file.clone()]).collect();
    let confinement = Confinement { own, removed };
    let is_held = confinement.begin().map_err(|error| Refused::new(5, error.to_string()))?;
    if !is_held {
        let words = "the kernel has no Landlock: a path is looked at before it is opened (-B), but \
                     a link that takes its place in between is followed";
        log.say(Level::Warning, words);
    }
    Ok(is_held)
}

/// How many connections to the web pages there may be.
fn web_connections(settings: &Settings, limit: u64) -> usize {
    settings.web.map_or(0, |_| part_of(limit, WEB_CONNECTIONS))
}

/// How many connections of agents there may be.
fn agent_connections(settings: &Settings, limit: u64) -> usize {
    settings.intake.as_ref().map_or(0, |_| part_of(limit, AGENT_CONNECTIONS))
}

fn part_of(limit: u64, most: usize) -> usize {
    usize::try_from(limit / 8).map_or(most, |part| part.min(most))
}

/// Takes what descriptors the system gives. Where they are too few for what the options ask for,
/// there are fewer clients and open files, so that no open file ever fails for want of one.
fn divide_descriptors(settings: &mut Settings, log: &Log) {
    let (clients, files) = (settings.clients, settings.open_files);
    let per_client = descriptors_per_client(&settings.sockets.named);
    let wanted = Descriptors { clients, per_client, files };
    let limit = disk::raise_descriptor_limit();
    let besides = web_connections(settings, limit) + agent_connections(settings, limit);
    let given = wanted.within(limit - besides as u64);
    if given != wanted {
        let words = format!(
            "the system allows {limit} descriptors, too few for {clients} clients and {files} open \
             files: there are at most {} clients and {} open files",
            given.clients, given.files
        );
        log.say(Level::Warning, &words);
    }
    (settings.clients, settings.open_files) = (given.clients, given.files);
}

/// Tells systemd that we are ready, if it waits for that.
fn tell_systemd() {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    let Some(name) = std::env::var_os("NOTIFY_SOCKET") else { return };
    let address = match name.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(&name),
    };
    // A service that is waited for and cannot say so is ended by systemd.
    let _ = address.and_then(|address| UnixDatagram::unbound()?.send_to_addr(b"READY=1", &address));
}
