//! The socket of a connection, and how fast its client takes replies.

use std::io::{self, Read};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use crate::encryption::{Certified, Decrypted};
use crate::limits::taken_bytes_min;
use crate::seats::Heard;

/// The socket of a connection, of either kind.
#[derive(Debug)]
pub(crate) enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

/// How a client came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Over a socket of the file system.
    Unix,
    /// From this machine.
    Loopback,
    /// Encrypted, from anywhere.
    Tls,
    /// From elsewhere, in the clear.
    Clear,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Stream {
    socket: Socket,
    way: Way,
    /// The names of the client's certificate.
    certified: Certified,
    /// Dropped behind the socket: then the connection lingers, if it is encrypted.
    _heard: Option<Heard>,
    /// A whole line came over it.
    has_spoken: AtomicBool,
}

/// What a client says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Came {
    pub(crate) size_bytes: usize,
    /// How much of it still lies in the socket.
    pub(crate) untaken_bytes: usize,
}

impl From<Socket> for Stream {
    fn from(socket: Socket) -> Self {
        let way = match &socket {
            Socket::Unix(_) => Way::Unix,
            Socket::Tcp(stream) => match stream.peer_addr() {
                Ok(peer) if !guard::is_exposed(peer.ip()) => Way::Loopback,
                _ => Way::Clear, // or it is gone already
            },
        };
        let certified = Certified::default();
        Self { socket, way, certified, _heard: None, has_spoken: AtomicBool::new(false) }
    }
}

impl From<Decrypted> for Stream {
    fn from(Decrypted { stream, heard, certified }: Decrypted) -> Self {
        let plain = Self::from(Socket::Unix(stream));
        Self { way: Way::Tls, certified, _heard: Some(heard), ..plain }
    }
}

impl Stream {
    /// How its client came.
    pub(crate) fn way(&self) -> Way {
        self.way
    }

    /// The names of its client's certificate, once they are known.
    pub(crate) fn certified(&self) -> &Certified {
        &self.certified
    }

    /// Whether a whole line came over it.
    pub(crate) fn has_spoken(&self) -> bool {
        self.has_spoken.load(Ordering::Relaxed)
    }

    /// Notes that a whole line came.
    pub(crate) fn note_spoken(&self) {
        self.has_spoken.store(true, Ordering::Relaxed);
    }

    /// Sends replies at once: they are whole.
    pub(crate) fn set_prompt(&self) -> io::Result<()> {
        match &self.socket {
            Socket::Unix(_) => Ok(()),
            Socket::Tcp(stream) => stream.set_nodelay(true),
        }
    }

    /// A read ends after this long, though nothing came; or it never does.
    pub(crate) fn set_patience(&self, patience: Option<Duration>) -> io::Result<()> {
        match &self.socket {
            Socket::Unix(stream) => stream.set_read_timeout(patience),
            Socket::Tcp(stream) => stream.set_read_timeout(patience),
        }
    }

    /// Ends what the other side sends; replies still go out.
    pub(crate) fn end(&self) {
        // One that is gone already has ended too.
        let _ = match &self.socket {
            Socket::Unix(stream) => stream.shutdown(Shutdown::Read),
            Socket::Tcp(stream) => stream.shutdown(Shutdown::Read),
        };
    }

    /// Ends both directions: a thread that waits for the client wakes.
    pub(crate) fn hang_up(&self) {
        // As above.
        let _ = match &self.socket {
            Socket::Unix(stream) => stream.shutdown(Shutdown::Both),
            Socket::Tcp(stream) => stream.shutdown(Shutdown::Both),
        };
    }

    /// True once both directions are shut down. A client may shut down its sending side alone and
    /// still wait for the reply. Over TCP a client that closed its socket looks the same until it
    /// sends a reset.
    pub(crate) fn is_lost(&self) -> bool {
        self.wait_for(PollFlags::empty(), Duration::ZERO).is_ok_and(|has_ended| has_ended)
    }

    /// The socket's descriptor.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        match &self.socket {
            Socket::Unix(stream) => stream.as_fd(),
            Socket::Tcp(stream) => stream.as_fd(),
        }
    }

    /// Waits until an event comes or both directions are shut down; false if neither comes in time.
    fn wait_for(&self, event: PollFlags, time_max: Duration) -> io::Result<bool> {
        let mut asked = [PollFd::from_borrowed_fd(self.descriptor(), event)];
        // A time that the kernel cannot count is for ever.
        let timeout = Timespec::try_from(time_max).ok();
        Ok(rustix::event::poll(&mut asked, timeout.as_ref())? > 0)
    }

    /// Whether the client says more, or hangs up, within this time.
    pub(crate) fn says_more_within(&self, time_max: Duration) -> bool {
        self.wait_for(PollFlags::IN, time_max).unwrap_or(true)
    }

    /// Reads what is there, and waits for nothing.
    pub(crate) fn read_now(&self, room: &mut [u8]) -> rustix::io::Result<Came> {
        let size_bytes = self.receive(room, RecvFlags::DONTWAIT)?;
        Ok(Came { size_bytes, untaken_bytes: 0 })
    }

    /// As [`Self::read_now`], but what is read at a Unix socket stays there, to be
    /// [forgotten](Self::forget) once it is answered.
    ///
    /// A client that waits for its reply wakes in vain when its request is taken from the socket, as
    /// the kernel tells it of room for another one. One that was told sleeps no more.
    pub(crate) fn look(&self, room: &mut [u8]) -> rustix::io::Result<Came> {
        match &self.socket {
            Socket::Unix(_) => {
                let size_bytes = self.receive(room, RecvFlags::DONTWAIT | RecvFlags::PEEK)?;
                Ok(Came { size_bytes, untaken_bytes: size_bytes })
            }
            Socket::Tcp(_) => self.read_now(room),
        }
    }

    fn receive(&self, room: &mut [u8], flags: RecvFlags) -> rustix::io::Result<usize> {
        let received = || rustix::net::recv(self.descriptor(), &mut *room, flags);
        rustix::io::retry_on_intr(received).map(|(count, _)| count)
    }

    /// Takes bytes that lie in the socket.
    ///
    /// # Errors
    /// They do not lie there.
    pub(crate) fn forget(&self, mut size_bytes: usize) -> rustix::io::Result<()> {
        let mut room = [0; 512];
        while size_bytes > 0 {
            let part = room.get_mut(..size_bytes.min(512)).unwrap_or_default();
            match self.receive(part, RecvFlags::DONTWAIT)? {
                0 => return Err(Errno::PIPE),
                count => size_bytes -= count,
            }
        }
        Ok(())
    }

    pub(crate) fn read(&self, room: &mut [u8]) -> io::Result<usize> {
        match &self.socket {
            Socket::Unix(stream) => (&mut &*stream).read(room),
            Socket::Tcp(stream) => (&mut &*stream).read(room),
        }
    }

    /// Hands the kernel as much as it has room for, and waits for nothing: a write that waits goes
    /// on waiting for as long as the client takes a little now and then.
    pub(crate) fn write(&self, bytes: &[u8]) -> rustix::io::Result<usize> {
        rustix::net::send(self.descriptor(), bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)
    }

    /// Sends all of it, and waits for the client to take it.
    ///
    /// # Errors
    /// The client is gone; or, `WouldBlock`, it takes too little within its patience.
    pub(crate) fn send(&self, mut bytes: &[u8], pace: &mut Pace) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    bytes = bytes.get(count..).unwrap_or_default();
                    pace.taken_bytes += count;
                    continue;
                }
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            }
            if pace.has_run_out() {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let start = Instant::now();
            match self.wait_for(PollFlags::OUT, pace.left()) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => pace.waited += start.elapsed(),
            }
        }
        Ok(())
    }
}

/// How fast a client takes its replies. The time in which it keeps us waiting is cut into stretches
/// of its patience; in each it must take a least number of bytes.
#[derive(Debug)]
pub(crate) struct Pace {
    patience: Duration,
    /// What it must take in a stretch.
    least_bytes: usize,
    /// How long it has kept us waiting in this stretch.
    waited: Duration,
    /// What it took in this stretch.
    taken_bytes: usize,
}

impl Pace {
    pub(crate) fn new(patience: Duration) -> Self {
        let least_bytes = taken_bytes_min(0);
        Self { patience, least_bytes, waited: Duration::ZERO, taken_bytes: 0 }
    }

    /// Bytes sent from here on are a reply that holds so much memory until all of it is taken.
    pub(crate) fn begin(&mut self, held_bytes: usize) {
        let least_bytes = taken_bytes_min(held_bytes);
        *self = Self { least_bytes, ..Self::new(self.patience) };
    }

    /// Ends a reply for which memory was held.
    pub(crate) fn end(&mut self) {
        if self.least_bytes != taken_bytes_min(0) {
            self.begin(0);
        }
    }

    /// How much of the stretch is left.
    fn left(&self) -> Duration {
        self.patience.saturating_sub(self.waited)
    }

    /// To be asked where the client has room for no more: whether a stretch has ended in which it
    /// took too little. Where it took enough, the next stretch begins.
    fn has_run_out(&mut self) -> bool {
        if self.waited < self.patience {
            return false;
        }
        let is_slow = self.taken_bytes < self.least_bytes;
        (self.waited, self.taken_bytes) = (Duration::ZERO, 0);
        is_slow
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;
    use crate::limits::{Budget, taken_bytes_min};
    use std::time::Duration;

    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn each_stretch_asks_for_its_part() {
        let budget = Budget::of_replies();
        let mut share = budget.share();
        assert!(share.hold_reply(128 << 20));
        let least_bytes = taken_bytes_min(share.size_bytes());
        let mut pace = Pace::new(PATIENCE);
        pace.begin(share.size_bytes());
        for (waited_seconds, taken_bytes, has_run_out) in [
            (59, 0, false),              // in the middle of a stretch nothing is asked
            (1, least_bytes, false),     // just enough
            (60, least_bytes - 1, true), // what was taken before does not count again
            (60, least_bytes, false),    // and so one after the other
        ] {
            pace.waited += Duration::from_secs(waited_seconds);
            pace.taken_bytes += taken_bytes;
            assert_eq!(pace.has_run_out(), has_run_out, "{waited_seconds} {taken_bytes}");
        }
        // A large reply asks for nothing of the small one after it.
        pace.begin(0);
        (pace.waited, pace.taken_bytes) = (PATIENCE, taken_bytes_min(0));
        assert!(!pace.has_run_out());
    }
}
