//! What a run serves over HTTP: pages and data, for those who may ask.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use ::guard::Exposed;
use jiff::tz::TimeZone;
use rrdtool::system_words;
use server::{
    BoardPages, BoardsContext, Context, DataContext, Hosts, Limits, RequestLog, Router, Running,
};
use store::{Led, Rooted};

use super::alarms::own_name;
use super::board::Board;
use super::event::Event;
use super::guard::Guard;
use super::keeping::Kept;
use super::labels;
use super::settings::Settings;
use crate::boards::{Boards, BoardsError};
use crate::hearing::Hearing;
use crate::series_rules::{self, RulesError};
use crate::visitors::{self, VisitorsError};

/// Why the web pages cannot be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WebError {
    /// Others reach them, and nothing says who may see them.
    #[error("--listen {0}")]
    Exposed(Exposed),
    /// The address cannot be had.
    #[error("cannot listen on {address}: {} (--listen says where else)", system_words(.cause))]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// The system's error.
        cause: io::Error,
    },
    /// The log of their requests cannot be written.
    #[error(transparent)]
    Visitors(#[from] VisitorsError),
    /// The file of `--series` cannot be used.
    #[error("--series: {0}")]
    Series(#[from] RulesError),
    /// The directory of `--boards` cannot be used.
    #[error(transparent)]
    Boards(#[from] BoardsError),
    /// The system refuses a socket or a thread.
    #[error("web pages: {}", system_words(.0))]
    System(#[from] io::Error),
}

/// The server of a run, and its log of requests.
pub(super) struct Web {
    running: Running,
    /// Where it is reached from other machines, as far as that is known.
    pub(super) url: String,
    requests: Option<RequestLog>,
    boards: Option<Boards>,
}

impl Web {
    /// Serves where the settings say, if they do.
    pub(super) fn start(
        settings: &Settings,
        kept: &Kept,
        board: &Arc<Board>,
        guard: &Guard,
        hearing: Option<&Hearing>,
        connections: usize,
    ) -> Result<Option<Self>, WebError> {
        let Some(address) = settings.listen else { return Ok(None) };
        if ::guard::is_exposed(address.ip()) && !guard.says_who() {
            return Err(WebError::Exposed(Exposed(address.to_string())));
        }
        let requests = visitors::request_log(settings.request_log.as_deref())?;
        let boards = settings.boards.as_deref().map(Boards::open).transpose()?;
        let router = routes(settings, kept, board, guard, hearing, boards.as_ref())?;
        let router = visitors::let_in(router, guard.gate(), requests.clone());
        let listener =
            TcpListener::bind(address).map_err(|cause| WebError::Listen { address, cause })?;
        let limits = Limits { connections, ..Limits::default() };
        let scheme = if guard.tls().is_some() { "https" } else { "http" };
        let running = server::start_encrypted(listener, guard.tls(), router, limits)?;
        let address = running.address();
        let words = format!("web pages at {scheme}://{address}/");
        Event::info("web pages", words).with("address", address.to_string()).tell();
        let url = format!("{scheme}://{}", named(address, &settings.allowed_hosts));
        boards.iter().for_each(tell_of_boards);
        Ok(Some(Self { running, url, requests, boards }))
    }

    /// Opens the log of requests anew, and reads all boards again.
    pub(super) fn reload(&self) {
        self.requests.iter().for_each(RequestLog::reopen);
        self.boards.iter().for_each(tell_of_boards);
    }

    /// Ends once the requests that are being answered are.
    pub(super) fn end(self) {
        self.running.stop();
    }
}

/// An address as others know it: one that stands for all of this machine's is not one to go to.
fn named(address: SocketAddr, allowed_hosts: &[String]) -> String {
    if !address.ip().is_unspecified() {
        return address.to_string();
    }
    let port = address.port();
    match allowed_hosts.iter().find(|name| *name != "*") {
        Some(name) if name.contains(':') => name.clone(),
        Some(name) => format!("{name}:{port}"),
        None => format!("{}:{port}", own_name()),
    }
}

/// Pages and data.
fn routes(
    settings: &Settings,
    kept: &Kept,
    board: &Arc<Board>,
    guard: &Guard,
    hearing: Option<&Hearing>,
    boards: Option<&Boards>,
) -> Result<Router, WebError> {
    let mut context = Context::new(board.clone(), kept.store.clone(), TimeZone::system());
    let rules = series_rules::rules(settings.series.as_deref())?;
    let labels = labels::of_targets(board.clone());
    let store = store(kept, guard);
    let mut data = DataContext::new(store, rules, labels);
    // Without tokens, whoever can make a browser here ask could change the databases.
    data.takes_changes = guard.gate().is_some();
    data.arrivals = hearing.and_then(Hearing::arrivals);
    context.heard = hearing.map(Hearing::heard);
    let mut hosts = Hosts::of_this_machine();
    settings.allowed_hosts.iter().for_each(|name| hosts.allow(name));
    let boards = BoardsContext {
        pages: BoardPages::Targets(context.clone()),
        data: data.clone(),
        shelf: boards.map(|boards| Arc::clone(&boards.shelf)),
    };
    let pages = server::router(context, hosts.clone());
    let pages = pages.merge(server::data_router(data, hosts.clone()));
    Ok(pages.merge(server::boards_router(boards, hosts)))
}

/// Reads all boards, and tells how many can be shown, and why others cannot.
fn tell_of_boards(boards: &Boards) {
    let checked = match boards.check() {
        Ok(checked) => checked,
        Err(error) => return Event::warning("boards", error).tell(),
    };
    for wrong in &checked.wrong {
        let file = wrong.path.display().to_string();
        Event::warning("wrong board", wrong).with("file", file).tell();
    }
    let words = figures::some(checked.boards as u64, "board is shown", "boards are shown");
    let event = Event::info("boards", words).with("boards", checked.boards as u64);
    event.with("wrong", checked.wrong.len() as u64).tell();
}

/// The databases, by the names that clients may use.
pub(super) fn store(kept: &Kept, guard: &Guard) -> Rooted {
    let store = Rooted::new(kept.store.clone());
    if guard.gate().is_none() || kept.ring().is_some() {
        return store;
    }
    let root = kept.root.clone();
    store.leading(Arc::new(move |name| lead(&root, name)))
}

/// Where a name below a directory leads, over links.
fn lead(root: &Path, name: &str) -> Option<Led> {
    let path = root.join(name);
    let real = match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => to_be_made(&path)?,
        real => real.ok()?,
    };
    let below = real.strip_prefix(root.canonicalize().ok()?).ok().and_then(Path::to_str);
    let below = below.map(str::to_owned);
    Some(Led { path: below.as_deref().unwrap_or(name).into(), name: below })
}

/// Where a file will be that is still to be made: below the real directory that is there already.
fn to_be_made(path: &Path) -> Option<PathBuf> {
    let is_plain = |rest: &Path| rest.components().all(|it| matches!(it, Component::Normal(_)));
    path.ancestors().skip(1).find_map(|above| {
        let rest = path.strip_prefix(above).ok().filter(|rest| is_plain(rest))?;
        Some(above.canonicalize().ok()?.join(rest))
    })
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn an_address_of_all_interfaces_is_told_by_a_name() {
        let told = |address: &str, hosts: &[&str]| {
            let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
            named(address.parse().unwrap(), &hosts)
        };
        assert_eq!(told("127.0.0.1:8080", &["a.example"]), "127.0.0.1:8080");
        assert_eq!(told("0.0.0.0:8080", &["*", "a.example"]), "a.example:8080");
        assert_eq!(told("[::]:8080", &["a.example:443"]), "a.example:443");
        assert!(told("0.0.0.0:8080", &[]).ends_with(":8080"));
        assert!(!told("0.0.0.0:8080", &[]).contains("0.0.0.0"));
    }
}
