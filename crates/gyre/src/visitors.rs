//! Who sees web pages, and the log of what they ask: the same of `gyre run` and `gyre rrdcached`.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use access::Current;
use guard::ProxyUsers;
use rrdtool::system_words;
use server::{Gate, Proxies, RequestLog, Router};

/// Why it cannot be known who asks, or what.
#[derive(Debug, thiserror::Error)]
pub(crate) enum VisitorsError {
    /// No header is called so.
    #[error("--proxy-users: expected the name of a header, found '{0}'")]
    Header(String),
    /// The log of requests cannot be opened.
    #[error("--request-log {}: {}", .path.display(), system_words(.cause))]
    RequestLog {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
}

/// A client that says who asks, and is none of the proxies that are believed.
#[derive(Debug)]
pub(crate) struct Stranger {
    /// Where it is.
    pub(crate) address: IpAddr,
    header: String,
}

impl fmt::Display for Stranger {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, header } = self;
        let words = "and is none of --proxy-from: it is passed over";
        write!(formatter, "{address} sends the header {header}, {words}")
    }
}

/// The gate before pages, for those who are known by tokens, certificates or a proxy; `None`
/// without tokens. `note` is told of the first stranger.
pub(crate) fn gate(
    tokens: Option<Current>,
    users: Option<&ProxyUsers>,
    note: impl Fn(&Stranger) + Send + Sync + 'static,
) -> Result<Option<Gate>, VisitorsError> {
    let Some(gate) = tokens.map(Gate::new) else { return Ok(None) };
    let Some(ProxyUsers { header, addresses }) = users else { return Ok(Some(gate)) };
    let name = header.clone();
    let note = move |address| note(&Stranger { address, header: name.clone() });
    let proxies = Proxies::new(header, addresses.iter().copied(), note);
    let proxies = proxies.ok_or_else(|| VisitorsError::Header(header.clone()))?;
    Ok(Some(gate.behind(proxies)))
}

/// The log of requests, if a file is named for it.
pub(crate) fn request_log(path: Option<&Path>) -> Result<Option<RequestLog>, VisitorsError> {
    let Some(path) = path else { return Ok(None) };
    let log = RequestLog::open(path);
    log.map(Some).map_err(|cause| VisitorsError::RequestLog { path: path.to_owned(), cause })
}

/// All pages of a router, behind the gate; the log notes who was refused, too.
pub(crate) fn let_in(router: Router, gate: Option<Gate>, log: Option<RequestLog>) -> Router {
    let router = match gate {
        Some(gate) => gate.around(router),
        None => router,
    };
    match log {
        Some(log) => log.around(router),
        None => router,
    }
}
