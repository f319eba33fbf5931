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
use std::future::{pending, poll_fn};
use std::io;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::Duration;

use guard::{Tls, names_of_client};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, ReadBuf};
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::TlsAcceptor;

use crate::seats::{Heard, Seats};

/// Threads that encrypt.
const THREADS: usize = 2;
/// Bytes of a record of TLS, and of either direction of a connection that says little.
const RECORD_BYTES: usize = 16 << 10;
/// The same of one that says much: records that came together go on together.
const CHUNK_BYTES: usize = 64 << 10;
/// Bytes that are read of a socket at once: rustls alone would ask for 4 KiB each time.
const RECEIVED_BYTES: usize = 32 << 10;
/// How long a client may take until both have agreed on keys.
const HANDSHAKE_PATIENCE: Duration = Duration::from_secs(10);
/// How long a client may take for a record of replies.
const REPLY_PATIENCE: Duration = Duration::from_secs(60);
/// One in so many connections more than there are clients, and how many these are at most: new ones
/// that are still to be turned away, and those of clients that are being dropped.
const SPARE_PART: usize = 8;
const SPARE_MAX: usize = 16;

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
    seats: Seats,
}

/// A connection without its encryption.
pub(crate) struct Decrypted {
    pub(crate) stream: UnixStream,
    pub(crate) heard: Heard,
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
        Ok(Self(Arc::new(Inner { tls, runtime: Some(runtime?), seats: Seats::default() })))
    }

    /// Whether every client has to show a certificate.
    pub(crate) fn knows_clients(&self) -> bool {
        self.0.tls.knows_clients()
    }

    /// From now on there are no more connections than these clients need, however many of them have
    /// not taken what was said to them last.
    pub(crate) fn serve_at_most(&self, clients: usize) {
        let spare = (clients / SPARE_PART).clamp(1, SPARE_MAX);
        self.0.seats.limit(clients.saturating_add(spare));
    }

    /// The other side of a connection that was accepted.
    ///
    /// # Errors
    /// There are too many, or the system refuses a descriptor.
    pub(crate) fn decrypt(&self, outer: TcpStream) -> io::Result<Decrypted> {
        let too_many = || io::Error::other("too many encrypted connections");
        let seat = self.0.seats.take().ok_or_else(too_many)?;
        let heard = seat.heard();
        let (stream, inner) = UnixStream::pair()?;
        outer.set_nodelay(true)?;
        for it in [outer.set_nonblocking(true), inner.set_nonblocking(true)] {
            it?;
        }
        let certified = Certified::default();
        let acceptor = TlsAcceptor::from(self.0.tls.config());
        let task = carry(acceptor, outer, inner, Arc::clone(&certified));
        if let Some(runtime) = &self.0.runtime {
            let carried = runtime.spawn(async move {
                let _seat = seat; // its descriptors are closed before the place is left
                let _ = task.await; // whatever ended it is between it and its client
            });
            heard.carried_by(carried.abort_handle());
        }
        Ok(Decrypted { stream, heard, certified })
    }

    /// Waits until all that was said has gone out to its client; at most for so long.
    pub(crate) fn drain(&self, patience: Duration) {
        self.0.seats.wait_until_left(patience);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
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
    let outer = BufReader::with_capacity(RECEIVED_BYTES, outer);
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
    while let Ok(count @ 1..) = read_what_is_there(&mut client, &mut room).await {
        if lines.write_all(&room[..count]).await.is_err() {
            break; // the daemon takes no more
        }
        grow_if_full(&mut room, count);
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
        let count = read_what_is_there(&mut replies, &mut room).await?;
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
        grow_if_full(&mut room, count);
    }
}

/// Waits until there is something to read, and reads as much of it as there is room for; 0 at the
/// end.
async fn read_what_is_there(
    source: &mut (impl AsyncRead + Unpin),
    room: &mut [u8],
) -> io::Result<usize> {
    let mut room = ReadBuf::new(room);
    poll_fn(|context| {
        loop {
            let before = room.filled().len();
            let read = Pin::new(&mut *source).poll_read(context, &mut room);
            let count = room.filled().len();
            match read {
                Poll::Ready(Ok(())) if count > before && room.remaining() > 0 => {}
                // What comes behind bytes is told when they are asked for.
                _ if count > 0 => return Poll::Ready(Ok(count)),
                Poll::Ready(read) => return Poll::Ready(read.map(|()| 0)),
                Poll::Pending => return Poll::Pending,
            }
        }
    })
    .await
}

/// A connection that fills its room says much, and gets more.
fn grow_if_full(room: &mut Vec<u8>, count: usize) {
    if count == room.len() && count < CHUNK_BYTES {
        *room = vec![0; CHUNK_BYTES];
    }
}
