//! The socket and the threads behind it.

use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

/// Drawing is work for processors: more at once would only wait for one another.
const DRAWING_THREADS_MAX: usize = 8;

/// How long open requests may take after [`Running::stop`].
const GRACE: Duration = Duration::from_secs(5);

/// A server that answers until it is stopped or dropped.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Serves on a listening socket, on threads of its own.
///
/// # Errors
/// The system refuses a thread or the socket.
pub fn start(listener: TcpListener, router: Router) -> std::io::Result<Running> {
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(1) // requests are parsed here; everything else is a drawing thread's
        .max_blocking_threads(DRAWING_THREADS_MAX)
        .thread_name("gyre-web")
        .enable_all()
        .build()?;
    let listener = runtime.block_on(async { tokio::net::TcpListener::from_std(listener) })?;
    let (stop, stopped) = oneshot::channel();
    let thread = std::thread::Builder::new()
        .name("gyre-web".to_owned())
        .spawn(move || serve(&runtime, listener, router, stopped))?;
    Ok(Running { address, stop: Some(stop), thread: Some(thread) })
}

fn serve(
    runtime: &Runtime,
    listener: tokio::net::TcpListener,
    router: Router,
    stopped: oneshot::Receiver<()>,
) {
    runtime.block_on(async {
        let (announce, announced) = oneshot::channel::<()>();
        let stop = async {
            let _ = stopped.await; // a dropped handle stops the server too
            let _ = announce.send(());
        };
        let serving = axum::serve(listener, router).with_graceful_shutdown(stop);
        let too_late = async {
            let _ = announced.await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            _ = serving.into_future() => {} // it gives no error: it tries again by itself
            () = too_late => {} // somebody keeps a connection open
        }
    });
}

impl Running {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no more requests, finishes those that are open and returns; within seconds.
    pub fn stop(mut self) {
        self.finish();
    }

    fn finish(&mut self) {
        drop(self.stop.take());
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
