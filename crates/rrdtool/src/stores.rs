//! The ring stores that a process works on, shared by its threads: open, or asked for at the server
//! that has them open.

use std::collections::HashMap;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use disk::Identity;
use remote::Remote;
use ring::{LookUp, Sync};
use ring::{RingOptions, RingStore};
use rrdcached::SocketName;
use store::{Error, Inspect, Refused, Store, Update, Watch};

use crate::failure::Failure;
use crate::guest_stream::GuestStream;

/// That a directory is a ring store.
///
/// # Errors
/// There is no such directory, or it is none.
pub fn expect_store(root: &Path) -> Result<(), Failure> {
    let root_name = root.display();
    match root.read_dir() {
        _ if RingStore::is_at(root) => Ok(()),
        Ok(_) => Err(Failure::misuse(format!("{root_name}: expected a ring store, found none"))),
        Err(error) => Err(Failure::System(format!("{root_name}: "), error)),
    }
}

/// How long a process is waited for that has a store open and serves no client: one that came for a
/// call.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two looks whether it has gone.
const PAUSE: Duration = Duration::from_millis(10);

/// Has other processes reach a store that this one has open, until what it gives is dropped.
pub type Serve = fn(&Arc<RingStore>) -> Result<Box<dyn Send>, Failure>;

/// The ring stores that a process works on. A clone is another handle on the same ones.
#[derive(Clone)]
pub struct Stores {
    sync: Sync,
    serve: Option<Serve>,
    /// Whether a store is opened for each call, and given back behind it.
    is_brief: bool,
    /// By the store's real path: the pipe mode may change the directory.
    open: Arc<Mutex<HashMap<PathBuf, Opened>>>,
}

/// A store that is worked on.
enum Opened {
    /// By this process, which serves it if it stays.
    Own { ring: Arc<RingStore>, served: Option<Box<dyn Send>> },
    /// By another, which is asked.
    Elsewhere { remote: Arc<Remote<GuestStream>>, store: Identity },
    /// By no process: databases that are only read are looked up, and the store is not opened for
    /// them.
    Nowhere(Arc<LookUp>),
}

/// What databases are read from.
pub(crate) enum Reader {
    Store(Arc<dyn Store>),
    LookUp(Arc<LookUp>),
}

impl Opened {
    fn store(&self) -> Option<Arc<dyn Store>> {
        match self {
            Self::Own { ring, .. } => Some(Arc::clone(ring) as Arc<dyn Store>),
            Self::Elsewhere { remote, .. } => Some(Arc::clone(remote) as Arc<dyn Store>),
            Self::Nowhere(_) => None,
        }
    }

    fn inspected(&self) -> Option<Arc<dyn Inspect>> {
        match self {
            Self::Own { ring, .. } => Some(Arc::clone(ring) as Arc<dyn Inspect>),
            Self::Elsewhere { remote, .. } => Some(Arc::clone(remote) as Arc<dyn Inspect>),
            Self::Nowhere(_) => None,
        }
    }

    /// Whether it is over, or of no use to a caller that wants more than to read.
    fn is_lost(&self, root: &Path) -> bool {
        match self {
            Self::Own { .. } => false,
            Self::Elsewhere { remote, store } => {
                !remote.can_call(GuestStream::is_usable)
                    || RingStore::identity_at(root).ok() != Some(*store)
            }
            Self::Nowhere(_) => true,
        }
    }
}

impl Stores {
    /// None is open yet; `sync` says when what they are given is acknowledged.
    #[must_use]
    pub fn new(sync: Sync) -> Self {
        Self { sync, serve: None, is_brief: true, open: Arc::default() }
    }

    /// The same of a process that works on: the stores stay open, and others reach them.
    #[must_use]
    pub fn staying(self, serve: Option<Serve>) -> Self {
        Self { serve, is_brief: false, ..self }
    }

    /// What databases of a store are read from: of one that no process has open, a process that
    /// comes for a call opens no more than it reads.
    ///
    /// # Errors
    /// As [`Stores::open`].
    pub(crate) fn reader(&self, root: &Path) -> Result<Reader, Error> {
        if !self.is_brief {
            return self.open(root).map(Reader::Store);
        }
        let real = real_path(root);
        let mut open = self.lock();
        match open.get(&real) {
            Some(Opened::Nowhere(look_up)) => return Ok(Reader::LookUp(Arc::clone(look_up))),
            Some(opened) if !opened.is_lost(root) => {}
            _ => match RingStore::look_up(root, self.options()) {
                Ok(look_up) => {
                    let look_up = Arc::new(look_up);
                    open.insert(real, Opened::Nowhere(Arc::clone(&look_up)));
                    return Ok(Reader::LookUp(look_up));
                }
                // Another process has it open: that is asked.
                Err(Error::Locked(_)) => {}
                Err(error) => return Err(error),
            },
        }
        drop(open);
        self.open(root).map(Reader::Store)
    }

    /// Takes samples into one database of a store: of one that no process has open, a process that
    /// comes for a call opens no more than that database needs.
    ///
    /// # Errors
    /// As [`Stores::open`]; a sample is refused.
    pub(crate) fn update(
        &self,
        root: &Path,
        update: &Update<'_>,
        mut watch: Option<&mut Watch<'_>>,
    ) -> Result<(), Error> {
        let alone = match self.is_brief {
            true => self.update_alone(root, update, watch.as_deref_mut()),
            false => None,
        };
        alone.unwrap_or_else(|| update_in(&*self.open(root)?, update, watch))
    }

    /// The same of a store that no process has open; `None` if this process or another has.
    fn update_alone(
        &self,
        root: &Path,
        update: &Update<'_>,
        watch: Option<&mut Watch<'_>>,
    ) -> Option<Result<(), Error>> {
        let real = real_path(root);
        // Until it is done other threads of this process wait here, rather than for a store in use.
        let mut open = self.lock();
        if open.get(&real).is_some_and(|opened| opened.is_lost(root)) {
            open.remove(&real);
        }
        if open.contains_key(&real) {
            return None;
        }
        match open_or_ask(root, || RingStore::lone_updates(root, self.options())) {
            Ok(Found::Free(lone)) => {
                let lone = lone.giving_notes_to(|words| crate::complain!("{words}"));
                let taken = lone.update(update, watch);
                Some(taken.map_err(|Refused { error, .. }| error))
            }
            Ok(Found::Served(served)) => {
                open.insert(real, served);
                None
            }
            Err(error) => Some(Err(error)),
        }
    }

    fn options(&self) -> RingOptions {
        RingOptions { sync: self.sync, ..RingOptions::default() }
    }

    /// A ring store: opened, and it stays so, or at the process that has it open. One that has it
    /// and serves no client is waited for.
    ///
    /// # Errors
    /// There is none, it is damaged, or another process keeps it.
    pub fn open(&self, root: &Path) -> Result<Arc<dyn Store>, Error> {
        self.find(root, Opened::store)
    }

    /// The same store, to be asked about itself.
    ///
    /// # Errors
    /// As [`Stores::open`].
    pub fn inspect(&self, root: &Path) -> Result<Arc<dyn Inspect>, Error> {
        self.find(root, Opened::inspected)
    }

    /// The ring store itself, where this process has it open and no other.
    ///
    /// # Errors
    /// As [`Stores::open`].
    pub fn own(&self, root: &Path) -> Result<Option<Arc<RingStore>>, Error> {
        self.find(root, |opened| match opened {
            Opened::Own { ring, .. } => Some(Some(Arc::clone(ring))),
            Opened::Elsewhere { .. } => Some(None),
            Opened::Nowhere(_) => None,
        })
    }

    /// Whether a server was asked for a store.
    pub(crate) fn asks_servers(&self) -> bool {
        self.lock().values().any(|opened| matches!(opened, Opened::Elsewhere { .. }))
    }

    /// The store at a server that was asked for it before, and still answers.
    pub(crate) fn at_server(&self, root: &Path) -> Option<Arc<dyn Store>> {
        match self.lock().get(&real_path(root)) {
            Some(opened @ Opened::Elsewhere { .. }) if !opened.is_lost(root) => opened.store(),
            _ => None,
        }
    }

    fn find<T>(&self, root: &Path, wanted: impl Fn(&Opened) -> Option<T>) -> Result<T, Error> {
        let real = real_path(root);
        let mut open = self.lock();
        if open.get(&real).is_some_and(|opened| opened.is_lost(root)) {
            open.remove(&real);
        }
        let opened = match open.get(&real) {
            Some(opened) => opened,
            None => {
                let opened = match open_or_ask(root, || RingStore::open(root, self.options()))? {
                    Found::Free(ring) => self.kept(ring),
                    Found::Served(served) => served,
                };
                open.entry(real).insert_entry(opened).into_mut()
            }
        };
        wanted(opened).ok_or_else(|| Error::InUse(root.into()))
    }

    fn kept(&self, ring: RingStore) -> Opened {
        ring.engine().give_notes_to(|words| crate::complain!("{words}"));
        let ring = Arc::new(ring);
        let served = self.serve.map(|serve| serve(&ring));
        let served =
            served.and_then(|served| served.inspect_err(|words| crate::complain!("{words}")).ok());
        Opened::Own { ring, served }
    }

    /// Waits until everything that the stores were given is on disk. To be called before a client
    /// is told that it was taken, where they were opened with [`Sync::Deferred`].
    ///
    /// # Errors
    /// A disk did not take it.
    pub fn sync(&self) -> Result<(), Failure> {
        let open = self.lock();
        // A server has what it acknowledged on disk.
        let synced = open.values().try_for_each(|opened| match opened {
            Opened::Own { ring, .. } => ring.engine().sync(),
            Opened::Elsewhere { .. } | Opened::Nowhere(_) => Ok(()),
        });
        Ok(synced?)
    }

    /// Gives back all stores that no other thread is working on.
    ///
    /// # Errors
    /// A disk did not take what was still to be written; nothing acknowledged is lost.
    pub fn leave(&self) -> Result<(), Failure> {
        let stores = std::mem::take(&mut *self.lock()).into_values();
        // Each is left, whatever became of the one before.
        let left: Vec<Result<(), Error>> =
            stores.filter_map(own_alone).map(RingStore::leave).collect();
        Ok(left.into_iter().collect::<Result<(), Error>>()?)
    }

    /// Gives back the stores that no other thread is working on; what the others were given is on
    /// disk then, too. Connections to servers stay open.
    ///
    /// # Errors
    /// As [`Stores::leave`].
    pub fn leave_idle(&self) -> Result<(), Failure> {
        // The list stays locked: a thread that asks for a store meanwhile finds it open, or free to
        // be opened.
        let mut open = self.lock();
        let mut outcome = Ok(());
        for (root, opened) in std::mem::take(&mut *open) {
            let (ring, served) = match opened {
                Opened::Own { ring, served } => (ring, served),
                Opened::Elsewhere { .. } => {
                    open.insert(root, opened);
                    continue;
                }
                Opened::Nowhere(_) => continue,
            };
            drop(served);
            let left = match Arc::try_unwrap(ring) {
                Ok(idle) => idle.leave(),
                Err(busy) => {
                    let synced = busy.engine().sync();
                    open.insert(root, Opened::Own { ring: busy, served: None });
                    synced
                }
            };
            outcome = outcome.and(left);
        }
        Ok(outcome?)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Opened>> {
        // A panic elsewhere leaves the list whole: it changes in single steps.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A store as it is found.
enum Found<T> {
    /// No other process had it open.
    Free(T),
    /// By another, which is asked.
    Served(Opened),
}

/// Opens a store, or connects to the process that has it open. One that serves no client is waited
/// for.
fn open_or_ask<T>(root: &Path, open: impl Fn() -> Result<T, Error>) -> Result<Found<T>, Error> {
    let started = Instant::now();
    loop {
        match open() {
            Err(Error::Locked(_)) => {}
            opened => return opened.map(Found::Free),
        }
        match connect(root) {
            Ok(served) => return Ok(Found::Served(served)),
            Err(_) if started.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            Err(_) => return Err(Error::InUse(root.into())),
        }
    }
}

/// Takes samples into one database of a store that is open.
pub(crate) fn update_in(
    store: &dyn Store,
    update: &Update<'_>,
    watch: Option<&mut Watch<'_>>,
) -> Result<(), Error> {
    let taken = match watch {
        Some(watch) => store.update_watched(update, watch),
        None => {
            let refused = store.update(std::slice::from_ref(update)).pop();
            refused.map_or(Ok(()), |(_, refused)| Err(refused))
        }
    };
    taken.map_err(|Refused { error, .. }| error)
}

/// The store at the process that serves it in its directory.
fn connect(root: &Path) -> std::io::Result<Opened> {
    let store = RingStore::identity_at(root)?;
    let socket = RingStore::socket_at(root);
    let stream = GuestStream::over(UnixStream::connect(SocketName::of(&socket)?.path())?)?;
    Ok(Opened::Elsewhere { remote: Arc::new(Remote::over(stream, socket)), store })
}

/// The path by which a store is known, wherever the pipe mode goes.
fn real_path(root: &Path) -> PathBuf {
    root.canonicalize().unwrap_or_else(|_| root.into())
}

/// A store of this process's that no other thread works on. A client that is served is told so
/// first.
fn own_alone(opened: Opened) -> Option<RingStore> {
    let Opened::Own { ring, served } = opened else { return None };
    drop(served);
    Arc::into_inner(ring)
}
