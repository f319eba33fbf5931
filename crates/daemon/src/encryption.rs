//! TLS before the protocol.
//!
//! ```text
//!  client ══ TLS ══▶ a task of this file ── pair of Unix sockets ──▶ the threads that hear clients
//! ```
//!
//! So all else knows nothing of TLS: what one client does makes no other wait there, and its limits
//! hold. A client that never ends its handshake has said nothing, and is hung up on like any other
//! that says nothing when there is no room for a new one.

use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use guard::{Tls, names_of_client};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::TlsAcceptor;

/// Threads that encrypt.
const THREADS: usize = 2;
/// Bytes of a record of TLS, and of either direction of a connection.
const RECORD_BYTES: usize = 16 << 10;
/// How long a client may take until both have agreed on keys.
const HANDSHAKE_PATIENCE: Duration = Duration::from_secs(10);
/// How long a client may take for a record of replies.
const REPLY_PATIENCE: Duration = Duration::from_secs(60);
/// How often to look whether all that was said has gone out.
const LOOK: Duration = Duration::from_millis(2);

/// The names of a client's certificate, once they are known.
pub(crate) type Certified = Arc<OnceLock<Vec<String>>>;

/// TLS for connections of this process.
#[derive(Clone, Debug)]
pub struct Encryption(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    tls: Tls,
    /// `None` once it ends.
    runtime: Option<Runtime>,
    open: Arc<AtomicUsize>,
}

/// A connection without its encryption.
pub(crate) struct Decrypted {
    pub(crate) stream: UnixStream,
    pub(crate) certified: Certified,
}

impl Encryption {
    /// Starts the threads that encrypt.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn start(tls: Tls) -> io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(THREADS).thread_name("gyre-tls").enable_all().build();
        Ok(Self(Arc::new(Inner { tls, runtime: Some(runtime?), open: Arc::default() })))
    }

    /// Whether every client has to show a certificate.
    pub(crate) fn knows_clients(&self) -> bool {
        self.0.tls.knows_clients()
    }

    /// The other side of a connection that was accepted.
    pub(crate) fn decrypt(&self, outer: TcpStream) -> io::Result<Decrypted> {
        let (stream, inner) = UnixStream::pair()?;
        outer.set_nodelay(true)?;
        for it in [outer.set_nonblocking(true), inner.set_nonblocking(true)] {
            it?;
        }
        let certified = Certified::default();
        let acceptor = TlsAcceptor::from(self.0.tls.config());
        let task = carry(acceptor, outer, inner, Arc::clone(&certified));
        let counted = Counted::one_more(&self.0.open);
        if let Some(runtime) = &self.0.runtime {
            runtime.spawn(async move {
                let _counted = counted;
                let _ = task.await; // whatever ended it is between it and its client
            });
        }
        Ok(Decrypted { stream, certified })
    }

    /// Waits until all that was said has gone out to its client; at most for so long.
    pub(crate) fn drain(&self, patience: Duration) {
        let start = Instant::now();
        while self.0.open.load(Ordering::Acquire) > 0 && start.elapsed() < patience {
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// One of the connections that are open.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn one_more(open: &Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(open))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Carries bytes both ways until either side ends.
async fn carry(
    acceptor: TlsAcceptor,
    outer: TcpStream,
    inner: UnixStream,
    certified: Certified,
) -> io::Result<()> {
    let outer = tokio::net::TcpStream::from_std(outer)?;
    let mut inner = tokio::net::UnixStream::from_std(inner)?;
    let outer = tokio::select! {
        agreed = acceptor.accept(outer) => agreed?,
        // It was hung up on: nothing is said to one that has said nothing.
        _ = inner.readable() => return Ok(()),
        () = tokio::time::sleep(HANDSHAKE_PATIENCE) => return Ok(()),
    };
    let shown = outer.get_ref().1.peer_certificates().unwrap_or_default();
    let _ = certified.set(names_of_client(shown)); // nobody else sets it
    let (from_client, to_client) = tokio::io::split(outer);
    let (replies, lines) = inner.split();
    tokio::select! {
        // The daemon has hung up, and all that it said is with the client.
        sent = send_replies(replies, to_client) => sent,
        never = take_lines(from_client, lines) => match never {},
    }
}

/// Carries what the client says. It never returns: what ends a client's lines is left to the daemon,
/// which may still have to answer some.
async fn take_lines(
    mut client: impl AsyncRead + Unpin,
    mut lines: impl AsyncWrite + Unpin,
) -> Infallible {
    let mut room = vec![0; RECORD_BYTES];
    while let Ok(count @ 1..) = client.read(&mut room).await {
        if lines.write_all(&room[..count]).await.is_err() {
            break; // the daemon takes no more
        }
    }
    let _ = lines.shutdown().await; // it may have hung up already
    pending().await
}

/// Carries what the daemon says until it hangs up. A client that takes no record within its patience
/// is left, as without TLS.
async fn send_replies(
    mut replies: impl AsyncRead + Unpin,
    mut client: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut room = vec![0; RECORD_BYTES];
    loop {
        let count = replies.read(&mut room).await?;
        let part = &room[..count];
        let sent = async {
            client.write_all(part).await?;
            match count {
                0 => client.shutdown().await,
                _ => client.flush().await,
            }
        };
        tokio::time::timeout(REPLY_PATIENCE, sent).await??;
        if count == 0 {
            return Ok(());
        }
    }
}
