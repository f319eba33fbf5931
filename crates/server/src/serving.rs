//! Accepting connections, and serving each.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};

use crate::connections::{Connections, Place};
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

/// Accepts connections forever, and serves each in a task of its own. Once `stop` says so, a
/// connection ends after its answer.
pub(crate) async fn accept(
    listener: TcpListener,
    router: Router,
    connections: Arc<Connections>,
    patience: Patience,
    stop: watch::Receiver<bool>,
) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let (place, end) = connections.admit().await;
                let _ = stream.set_nodelay(true); // slower without, and no more
                let router = router.clone();
                tokio::spawn(serve(stream, router, place, end, patience, stop.clone()));
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

async fn serve(
    stream: TcpStream,
    router: Router,
    place: Place,
    end: oneshot::Receiver<()>,
    patience: Patience,
    mut stop: watch::Receiver<bool>,
) {
    let progress = &place.progress;
    let router = TowerToHyperService::new(router);
    let answer = service_fn(|request: Request<Incoming>| {
        progress.begin_work();
        let answer = router.call(request);
        async {
            let answer = answer.await;
            progress.end_work();
            answer
        }
    });
    let stream = TokioIo::new(Watched::new(stream, Arc::clone(progress)));
    let mut builder = http1::Builder::new();
    builder.max_buf_size(BUFFER_BYTES_MAX);
    let mut connection = pin!(builder.serve_connection(stream, answer));
    tokio::select! {
        _ = connection.as_mut() => return, // whatever ended it is between it and its client
        _ = end => return,
        () = overdue(progress, patience) => return,
        _ = stop.wait_for(|stops| *stops) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await; // as above
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
