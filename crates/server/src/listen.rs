//! The listening socket and the server's threads.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use guard::Tls;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::connections::Connections;
use crate::quota::Quotas;
use crate::router::ANSWERS_MAX;
use crate::serving::{Limits, Site, accept};

/// How long requests in progress may take after [`Running::stop`].
const GRACE: Duration = Duration::from_secs(5);

/// A server that answers until it is stopped or dropped.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    stop: Option<watch::Sender<bool>>,
    thread: Option<JoinHandle<()>>,
}

/// Serves on a listening socket, on threads of its own.
///
/// # Errors
/// The system refuses a thread or the socket.
pub fn start(listener: TcpListener, router: Router, limits: Limits) -> std::io::Result<Running> {
    start_encrypted(listener, None, router, limits)
}

/// The same, encrypted where there is TLS.
///
/// # Errors
/// The system refuses a thread or the socket.
pub fn start_encrypted(
    listener: TcpListener,
    tls: Option<Tls>,
    router: Router,
    limits: Limits,
) -> std::io::Result<Running> {
    let router = Quotas::default().around(router);
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(1) // requests are parsed here; everything else is a drawing thread's
        .max_blocking_threads(ANSWERS_MAX)
        .thread_name("gyre-web")
        .enable_all()
        .build()?;
    let listener = runtime.block_on(async { tokio::net::TcpListener::from_std(listener) })?;
    let (stop, stopped) = watch::channel(false);
    let thread = std::thread::Builder::new()
        .name("gyre-web".to_owned())
        .spawn(move || serve(&runtime, listener, Site { router, tls, stop: stopped }, limits))?;
    Ok(Running { address, stop: Some(stop), thread: Some(thread) })
}

fn serve(runtime: &Runtime, listener: tokio::net::TcpListener, site: Site, limits: Limits) {
    let mut stopped = site.stop.clone();
    runtime.block_on(async {
        let connections = Arc::new(Connections::new(limits.connections));
        tokio::select! {
            () = accept(listener, site, Arc::clone(&connections), limits.patience) => {}
            _ = stopped.wait_for(|stops| *stops) => {}
        }
        // A client may keep its connection open longer; it is closed when the runtime is dropped.
        let _ = tokio::time::timeout(GRACE, connections.all_ended()).await;
    });
}

impl Running {
    /// The address that it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops accepting requests, finishes those in progress, and returns within seconds.
    pub fn stop(mut self) {
        self.finish();
    }

    fn finish(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(true); // a server that is gone has stopped
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it panicked: the panic was told already
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.finish();
    }
}
