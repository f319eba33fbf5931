//! One client: its lines in, its replies out.

use std::io::{self, Read};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rrdcached::server::answer;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::SendFlags;

use crate::limits::{CHUNK_BYTES, LINE_BYTES_MAX, READ_BYTES, REPLY_BYTES, Share, taken_bytes_min};
use crate::log::Level;
use crate::service::Service;
use crate::session::{Called, Permissions, Session, Stop};

/// The socket of a connection, of either kind.
#[derive(Debug)]
pub(crate) enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Stream {
    socket: Socket,
    /// A whole line came over it.
    has_spoken: AtomicBool,
}

impl From<Socket> for Stream {
    fn from(socket: Socket) -> Self {
        Self { socket, has_spoken: AtomicBool::new(false) }
    }
}

impl Stream {
    /// Whether a whole line came over it.
    pub(crate) fn has_spoken(&self) -> bool {
        self.has_spoken.load(Ordering::Relaxed)
    }

    /// Sends replies at once: they are whole.
    pub(crate) fn set_prompt(&self) -> io::Result<()> {
        match &self.socket {
            Socket::Unix(_) => Ok(()),
            Socket::Tcp(stream) => stream.set_nodelay(true),
        }
    }

    /// A read ends after this long, though nothing came; or it never does.
    fn set_patience(&self, patience: Option<Duration>) -> io::Result<()> {
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

    fn descriptor(&self) -> BorrowedFd<'_> {
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

    fn read(&self, room: &mut [u8]) -> io::Result<usize> {
        match &self.socket {
            Socket::Unix(stream) => (&mut &*stream).read(room),
            Socket::Tcp(stream) => (&mut &*stream).read(room),
        }
    }

    /// Hands the kernel as much as it has room for, and waits for nothing: a write that waits goes
    /// on waiting for as long as the client takes a little now and then.
    fn write(&self, bytes: &[u8]) -> rustix::io::Result<usize> {
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
    fn begin(&mut self, held_bytes: usize) {
        let least_bytes = taken_bytes_min(held_bytes);
        *self = Self { least_bytes, ..Self::new(self.patience) };
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

/// Replies on their way to a client.
pub(crate) struct Output<'a> {
    stream: &'a Stream,
    pace: Pace,
    buffer: Vec<u8>,
}

impl<'a> Output<'a> {
    fn new(stream: &'a Stream, patience: Duration) -> Self {
        Self { stream, pace: Pace::new(patience), buffer: Vec::new() }
    }

    /// Begins a reply for which memory is held.
    pub(crate) fn begin_reply(&mut self, held: &Share<'_>) {
        self.pace.begin(held.size_bytes());
    }

    /// Says that the reply is given: what is still to be sent holds no memory but the buffer.
    pub(crate) fn end_reply(&mut self) {
        if self.pace.least_bytes != taken_bytes_min(0) {
            self.pace.begin(0);
        }
    }

    /// What is to be sent next.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Where it goes.
    pub(crate) fn stream(&self) -> &'a Stream {
        self.stream
    }

    /// Sends bytes if there is room for them now and nothing is to be sent before; else they are
    /// dropped.
    pub(crate) fn send_if_room(&mut self, bytes: &[u8]) {
        if self.buffer.is_empty()
            && let Ok(count) = self.stream.write(bytes)
        {
            // What was begun goes on before anything else.
            self.buffer.extend_from_slice(bytes.get(count..).unwrap_or_default());
        }
    }

    /// Whether the client can be told nothing any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.stream.is_lost()
    }

    /// Sends what was gathered.
    ///
    /// # Errors
    /// The client is gone, or reads nothing.
    pub(crate) fn send(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let sent = self.stream.send(&self.buffer, &mut self.pace);
        self.buffer.clear();
        self.buffer.shrink_to(REPLY_BYTES);
        sent
    }

    /// Sends it if it is much.
    ///
    /// # Errors
    /// As [`Output::send`].
    pub(crate) fn send_if_much(&mut self) -> io::Result<()> {
        if self.buffer.len() < REPLY_BYTES { Ok(()) } else { self.send() }
    }

    /// Sends what was gathered and these bytes, which need not be copied.
    ///
    /// # Errors
    /// As [`Output::send`].
    pub(crate) fn send_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.send()?;
        self.stream.send(bytes, &mut self.pace)
    }
}

/// Why no more lines come.
#[derive(Debug)]
enum Ended {
    /// The client has hung up, in the middle of a line or not.
    HungUp,
    /// A line is not ended in time, or longer than lines are.
    Refused(String),
}

/// The lines of a client. Room for them grows with what comes.
struct Input<'a> {
    stream: &'a Stream,
    share: Share<'a>,
    bytes: Vec<u8>,
    /// How much of them is read.
    filled: usize,
    /// How much of that is known to have no line's end.
    searched: usize,
    patience: Duration,
    /// Since when a line is unfinished.
    unfinished_since: Option<Instant>,
    /// Whether a read ends though nothing comes. A client that is silent for long between lines
    /// wakes no thread.
    is_timed: bool,
}

impl<'a> Input<'a> {
    fn new(service: &'a Service, stream: &'a Stream) -> Self {
        Self {
            stream,
            share: service.lines.share(),
            bytes: vec![0; READ_BYTES],
            filled: 0,
            searched: 0,
            patience: service.limits.patience,
            unfinished_since: None,
            is_timed: false,
        }
    }

    /// Reads until a line is whole.
    fn lines(&mut self) -> Result<(), Ended> {
        loop {
            let fresh = self.bytes.get(self.searched..self.filled).unwrap_or_default();
            if fresh.contains(&b'\n') {
                self.unfinished_since = None;
                return Ok(());
            }
            self.searched = self.filled;
            self.read()?;
        }
    }

    fn read(&mut self) -> Result<(), Ended> {
        if self.filled == self.bytes.len() {
            self.grow()?;
        }
        // A line that has begun, and the room that a silent client keeps, are waited for in time.
        self.set_timed(self.filled > 0 || self.bytes.len() > READ_BYTES)?;
        let room = self.bytes.get_mut(self.filled..).unwrap_or_default();
        let room_bytes = room.len();
        match self.stream.read(room) {
            Ok(0) => return Err(Ended::HungUp),
            Ok(count) => {
                self.filled += count;
                // There may be as much again: lines that come together are cheaper.
                if count == room_bytes && self.bytes.len() < CHUNK_BYTES {
                    let _ = self.resize(self.bytes.len() * 2); // where there is no room, it stays
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A client may be silent between lines, but then it keeps no room.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if self.filled == 0 {
                    self.shrink();
                }
            }
            Err(_) => return Err(Ended::HungUp),
        }
        self.check_patience()
    }

    fn set_timed(&mut self, is_timed: bool) -> Result<(), Ended> {
        if is_timed != self.is_timed {
            let patience = is_timed.then_some(self.patience);
            // It is gone already.
            self.stream.set_patience(patience).map_err(|_| Ended::HungUp)?;
            self.is_timed = is_timed;
        }
        Ok(())
    }

    /// Ends a client that sends its line in small pieces for longer than its patience.
    fn check_patience(&mut self) -> Result<(), Ended> {
        if self.filled == 0 {
            return Ok(());
        }
        let since = *self.unfinished_since.get_or_insert_with(Instant::now);
        if since.elapsed() < self.patience || self.ends_in_a_line() {
            return Ok(());
        }
        let seconds = self.patience.as_secs();
        Err(Ended::Refused(format!("The line was not ended within {seconds} seconds.")))
    }

    fn ends_in_a_line(&self) -> bool {
        let fresh = self.bytes.get(self.searched..self.filled).unwrap_or_default();
        fresh.contains(&b'\n')
    }

    fn grow(&mut self) -> Result<(), Ended> {
        let size_bytes = self.bytes.len();
        if size_bytes >= LINE_BYTES_MAX {
            let words = format!("The line is longer than {LINE_BYTES_MAX} bytes.");
            return Err(Ended::Refused(words));
        }
        match self.resize((size_bytes * 2).min(LINE_BYTES_MAX)) {
            true => Ok(()),
            false => Err(Ended::Refused("Too many long lines at once.".into())),
        }
    }

    fn resize(&mut self, size_bytes: usize) -> bool {
        let is_granted = self.share.resize(size_bytes.saturating_sub(READ_BYTES));
        if is_granted {
            self.bytes.resize(size_bytes, 0);
        }
        is_granted
    }

    /// Takes the next bytes, so many of them as are there.
    fn take(&mut self, size_bytes: usize) -> Vec<u8> {
        let size_bytes = size_bytes.min(self.filled);
        let taken = self.bytes.get(..size_bytes).unwrap_or_default().to_vec();
        self.drop_lines(size_bytes);
        taken
    }

    /// Reads the bytes of a call, which has begun to come. They are told to `keep`, piece by piece,
    /// and it says whether they are to be kept.
    ///
    /// # Errors
    /// The client hangs up, or sends too little within its patience.
    fn call(
        &mut self,
        size_bytes: usize,
        mut keep: impl FnMut(usize) -> bool,
    ) -> Result<Option<Vec<u8>>, Ended> {
        let mut bytes = self.take(size_bytes);
        let (mut missing_bytes, mut is_kept) = (size_bytes - bytes.len(), keep(bytes.len()));
        self.set_timed(true)?;
        let mut room = vec![0; CHUNK_BYTES];
        let (mut since, mut came_bytes) = (Instant::now(), 0);
        while missing_bytes > 0 {
            let part = room.get_mut(..missing_bytes.min(CHUNK_BYTES)).unwrap_or_default();
            let count = match self.stream.read(part) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                Ok(0) | Err(_) => return Err(Ended::HungUp),
                Ok(count) => count,
            };
            missing_bytes -= count;
            came_bytes += count;
            is_kept = is_kept && keep(bytes.len() + count);
            match is_kept {
                true => bytes.extend_from_slice(part.get(..count).unwrap_or_default()),
                false => bytes = Vec::new(),
            }
            if since.elapsed() >= self.patience {
                if came_bytes < taken_bytes_min(size_bytes) && missing_bytes > 0 {
                    return Err(Ended::Refused("The call came too slowly.".into()));
                }
                (since, came_bytes) = (Instant::now(), 0);
            }
        }
        Ok(is_kept.then_some(bytes))
    }

    /// Drops lines that were taken.
    fn drop_lines(&mut self, size_bytes: usize) {
        self.bytes.copy_within(size_bytes..self.filled, 0);
        self.filled -= size_bytes;
        self.searched = 0;
        // A line that was long, once, does not keep its room.
        if self.bytes.len() > CHUNK_BYTES && self.filled < READ_BYTES {
            self.shrink();
        }
    }

    /// Gives back all room but [`READ_BYTES`]; no more than these are filled.
    fn shrink(&mut self) {
        self.bytes.truncate(READ_BYTES);
        self.bytes.shrink_to_fit();
        self.share.resize(0);
    }
}

/// Reads the rest of a call, and has it answered.
fn take_call<'s>(
    session: &mut Session<'s>,
    called: Called,
    input: &mut Input<'s>,
    out: &mut Output<'_>,
) -> Result<(), Stop> {
    let mut share = session.share_of_calls();
    let keep = |size_bytes| called.hold(&mut share, size_bytes);
    match input.call(called.size_bytes, keep) {
        Ok(bytes) => {
            session.call(called, bytes.as_deref(), share, out)?;
            out.end_reply();
            Ok(out.send()?)
        }
        Err(Ended::HungUp) => Err(Stop::Lost(io::ErrorKind::UnexpectedEof.into())),
        Err(Ended::Refused(words)) => {
            answer::error(out.buffer(), words.as_bytes());
            Err(Stop::Quit)
        }
    }
}

/// Serves a client until it hangs up, is told to, or does what no client should.
pub(crate) fn serve(service: &Service, stream: &Stream, permissions: Permissions) {
    let mut session = Session::new(service, &permissions);
    let mut input = Input::new(service, stream);
    let mut out = Output::new(stream, service.limits.patience);
    loop {
        match input.lines() {
            Ok(()) => {}
            Err(Ended::HungUp) => return,
            Err(Ended::Refused(words)) => {
                answer::error(out.buffer(), words.as_bytes());
                let _ = out.send(); // it need not listen any more
                return;
            }
        }
        stream.has_spoken.store(true, Ordering::Relaxed);
        let came = input.bytes.get_mut(..input.filled).unwrap_or_default();
        let taken = session.take(came, &mut out).and_then(|took| {
            input.drop_lines(took.size_bytes);
            match took.called {
                None => Ok(()),
                Some(called) => take_call(&mut session, called, &mut input, &mut out),
            }
        });
        match taken {
            Ok(()) => {}
            Err(Stop::Quit) => {
                let _ = out.send(); // as above
                return;
            }
            Err(Stop::Lost(error)) => return say_if_too_slow(service, &error),
        }
        if service.is_ending.load(Ordering::Relaxed) {
            return;
        }
    }
}

fn say_if_too_slow(service: &Service, error: &io::Error) {
    if error.kind() == io::ErrorKind::WouldBlock {
        service.log.say(Level::Notice, "a client reads its replies too slowly, and is left");
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
