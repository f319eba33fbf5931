//! What the caller of the daemon brings: web pages, tables that are fed, and agents that are heard.
//! The crate of the daemon knows none of them.

use std::net::TcpListener;
use std::path::Path;

use access::Current;
use guard::{ProxyUsers, Tls};

use crate::databases::Databases;
use crate::shelf::Kept;

/// What the caller of the daemon brings.
#[derive(Clone, Copy, Default)]
pub struct Brought<'b> {
    /// Web pages.
    pub pages: Option<&'b OpenPages>,
    /// Tables.
    pub tables: Option<&'b FeedTables>,
    /// Samples of agents.
    pub agents: Option<&'b ReadAgents>,
}

/// Why something that was brought cannot be had.
pub type BroughtError = Box<dyn std::error::Error + Send + Sync>;

/// Takes words that are to be logged.
pub type Tell = Box<dyn Fn(&str) + Send + Sync>;

/// Opens what pages need outside the daemon's directories, before the kernel holds the process to
/// these (`-B`).
pub type OpenPages = dyn Fn(Opening<'_>) -> Result<Box<ShowPages>, BroughtError>;

/// Shows the databases of a daemon as web pages, until what this returns is dropped.
pub type ShowPages = dyn FnOnce(Site<'_>) -> Result<Box<dyn Pages>, BroughtError>;

/// Web pages that are shown.
pub trait Pages: Send {
    /// Opens anew what other programs may have moved away: the log of requests.
    fn reopen(&self);
}

/// Feeds tables from the store of a daemon, until what this returns is dropped.
pub type FeedTables = dyn Fn(Feeding<'_>) -> Result<Box<dyn Send>, BroughtError>;

/// Reads how samples of agents are taken (`--intake`), before the kernel holds the process to the
/// daemon's directories (`-B`).
pub type ReadAgents = dyn Fn(&Path) -> Result<Box<HearAgents>, BroughtError>;

/// Takes samples of agents, until [`Agents::end`]. Pages come later, and may take some, too.
pub type HearAgents = dyn FnOnce(Hearing<'_>) -> Result<Box<dyn Agents>, BroughtError>;

/// Agents that are heard.
pub trait Agents: Send {
    /// Reads the file again, and says in words what came of it.
    ///
    /// # Errors
    ///
    /// It cannot be used; all stays as it was.
    fn read_again(&self) -> Result<String, BroughtError>;

    /// Stores everything that was read, and ends.
    fn end(self: Box<Self>);
}

/// Where samples of agents go.
pub struct Hearing<'a> {
    /// The databases, by the names that clients may use.
    pub databases: Databases,
    /// The directory that names stand behind.
    pub base: &'a Path,
    /// The store.
    pub kept: &'a Kept,
    /// Whether there are web pages.
    pub has_pages: bool,
    /// Whether everybody may send, wherever it listens.
    pub is_insecure: bool,
    /// Connections at the same time.
    pub connections: usize,
    /// The daemon's log.
    pub tell: Tell,
}

/// What tables are fed from (`--sql`).
pub struct Feeding<'a> {
    /// The tables: a file of SQLite's, or one that names a server.
    pub file: &'a Path,
    /// The store.
    pub kept: &'a Kept,
    /// The directory that names stand behind.
    pub base: &'a Path,
    /// The daemon's log.
    pub tell: Tell,
}

/// What options say of pages (`--web`).
pub struct Opening<'a> {
    /// The rules that name their series.
    pub series: Option<&'a Path>,
    /// The directory of the boards that they show.
    pub boards: Option<&'a Path>,
    /// Names besides its own under which they may be asked for.
    pub allowed_hosts: &'a [String],
    /// The tokens of those who may see them; `None` for everybody.
    pub tokens: Option<Current>,
    /// The proxies that say who asks.
    pub proxies: Option<&'a ProxyUsers>,
    /// Where requests are logged.
    pub request_log: Option<&'a Path>,
    /// The daemon's log.
    pub tell: Tell,
}

/// What pages are made from.
pub struct Site<'a> {
    /// Where they are asked for; it listens.
    pub listener: TcpListener,
    /// What they show.
    pub databases: Databases,
    /// The directory that names stand behind.
    pub base: &'a Path,
    /// The store that they are in.
    pub kept: &'a Kept,
    /// Their encryption.
    pub tls: Option<Tls>,
    /// Connections at the same time.
    pub connections: usize,
}
