//! Accepting connections, and serving each.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::Request;
use guard::{Tls, names_of_client};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio_rustls::TlsAcceptor;

use crate::connections::{Connections, Place};
use crate::peer::Peer;
use crate::progress::{Patience, Progress};
use crate::watched::Watched;

/// The most bytes of a request's head, and of one read from a connection.
const BUFFER_BYTES_MAX: usize = 32 << 10;
/// How long to pause accepting after the system had no room for a connection.
const PAUSE: Duration = Duration::from_millis(100);
/// How often to check the deadline of a connection while its answer is made.
const LOOK: Duration = Duration::from_secs(1);

/// The resources that a server may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most connections at the same time. Each takes a descriptor.
    pub connections: usize,
    /// How long clients may take to send requests and read answers.
    pub patience: Patience,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 512, patience: Patience::default() }
    }
}

/// What is served on every connection.
pub(crate) struct Site {
    pub(crate) router: Router,
    /// `None` where nothing is encrypted.
    pub(crate) tls: Option<Tls>,
    /// True once connections are to end.
    pub(crate) stop: watch::Receiver<bool>,
}

/// Accepts connections forever, and serves each in a task of its own. Once the site is
/// told to stop, a connection ends after its answer.
pub(crate) async fn accept(
    listener: TcpListener,
    site: Site,
    connections: Arc<Connections>,
    patience: Patience,
) {
    let site = Arc::new(site);
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                let (place, end) = connections.admit().await;
                let _ = stream.set_nodelay(true); // slower without, and no more
                tokio::spawn(serve(stream, address, place, end, patience, Arc::clone(&site)));
            }
            Err(error) if is_the_clients(&error) => {}
            Err(_) => {
                // There is no descriptor or memory for the connection: one that only waits is
                // closed instead.
                connections.drop_one();
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Whether accepting failed because the client has already left.
fn is_the_clients(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

/// Serves a connection until it ends, `end` comes, or its client takes too long.
async fn serve(
    stream: TcpStream,
    address: SocketAddr,
    place: Place,
    end: oneshot::Receiver<()>,
    patience: Patience,
    site: Arc<Site>,
) {
    let progress = Arc::clone(&place.progress);
    tokio::select! {
        () = converse(stream, address, &progress, site) => {}
        _ = end => {}
        () = overdue(&progress, patience) => {}
    }
}

/// Agrees on keys first, where the site is encrypted. What ends a conversation is between it and its
/// client.
async fn converse(
    stream: TcpStream,
    address: SocketAddr,
    progress: &Arc<Progress>,
    site: Arc<Site>,
) {
    let mut peer = Peer { address: address.ip().to_canonical(), names: Vec::new() };
    let stream = Watched::new(stream, Arc::clone(progress));
    let Some(tls) = &site.tls else { return answer(stream, peer, progress, &site).await };
    if let Ok(stream) = TlsAcceptor::from(tls.config()).accept(stream).await {
        let shown = stream.get_ref().1.peer_certificates();
        peer.names = names_of_client(shown.unwrap_or_default());
        answer(stream, peer, progress, &site).await;
    }
}

async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    peer: Peer,
    progress: &Progress,
    site: &Site,
) {
    let router = TowerToHyperService::new(site.router.clone());
    let answer = service_fn(|mut request: Request<Incoming>| {
        progress.begin_work();
        request.extensions_mut().insert(peer.clone());
        let answer = router.call(request);
        async {
            let answer = answer.await;
            progress.end_work();
            answer
        }
    });
    let mut builder = http1::Builder::new();
    builder.max_buf_size(BUFFER_BYTES_MAX);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), answer));
    let mut stop = site.stop.clone();
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stop.wait_for(|stops| *stops) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// Returns once the connection has waited too long for its client.
async fn overdue(progress: &Progress, patience: Patience) {
    loop {
        let now = Instant::now();
        let deadline = progress.deadline(patience).unwrap_or(now + LOOK);
        if deadline <= now {
            return;
        }
        tokio::time::sleep_until(deadline.into()).await;
    }
}
