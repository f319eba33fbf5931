//! Replies to many clients, sent by one system call.
//!
//! Each reply wakes its client, and the kernel may let that one run before the thread that still has
//! others to tell: where each reply is a system call, that is a switch of threads for nearly every
//! one. Within one call all of them are told first. Linux offers that as io_uring, which older
//! kernels lack and containers often forbid: then each reply is a call of its own.
#![expect(unsafe_code)] // the kernel reads and writes memory after the call that asked it to

use std::io;
use std::os::fd::AsRawFd as _;

use io_uring::{IoUring, Probe, opcode, squeue, types};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use crate::stream::Stream;

/// Clients that are told by one call.
const TOLD_MAX: usize = 256;
/// Room for what is taken from a socket and forgotten, of one client.
const FORGOTTEN_BYTES_MAX: usize = 4 << 10;

/// A reply on its way.
#[derive(Clone, Copy)]
pub(crate) struct Reply<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) text: &'a [u8],
    /// What it replies to still lies in the socket, as so many bytes, and is to be taken from there.
    pub(crate) untaken_bytes: usize,
}

/// How many bytes of a reply the socket had room for.
pub(crate) type Sent = rustix::io::Result<usize>;

impl Reply<'_> {
    /// Sends it, and waits for nothing.
    fn send(&self) -> Sent {
        let sent = self.stream.write(self.text);
        self.stream.forget(self.untaken_bytes)?;
        sent
    }
}

/// The way to tell many clients at once.
#[derive(Default)]
pub(crate) struct RepliesTogether {
    /// Made when it is first needed.
    ring: Option<Ring>,
    is_refused: bool,
}

impl RepliesTogether {
    /// Sends replies, and waits for nothing. What became of each is told in their order.
    pub(crate) fn send(&mut self, replies: &[Reply<'_>]) -> Vec<Sent> {
        let mut all = Vec::with_capacity(replies.len());
        for some in replies.chunks(TOLD_MAX) {
            match self.ring(some.len()) {
                None => all.extend(some.iter().map(Reply::send)),
                Some(ring) => {
                    let sent = ring.send(some);
                    self.is_refused = sent.is_err();
                    // The client of a reply of which nothing is known cannot be told more.
                    all.extend(sent.unwrap_or_else(|_| vec![Err(Errno::IO); some.len()]));
                }
            }
            if self.is_refused {
                self.ring = None;
            }
        }
        all
    }

    /// The kernel's help with so many replies, where it gives any.
    fn ring(&mut self, replies: usize) -> Option<&mut Ring> {
        if replies < 2 {
            return None;
        }
        if self.ring.is_none() && !self.is_refused {
            self.ring = Ring::new().ok();
            self.is_refused = self.ring.is_none();
        }
        self.ring.as_mut()
    }
}

struct Ring {
    ring: IoUring,
    /// The replies, one behind the other.
    texts: Vec<u8>,
    forgotten: Vec<u8>,
}

/// What became of the two things that are done for a client.
#[derive(Clone, Copy, Default)]
struct Done {
    sent: Option<i32>,
    taken: Option<i32>,
}

impl Ring {
    fn new() -> io::Result<Self> {
        let ring = IoUring::new(2 * TOLD_MAX as u32)?;
        let mut probe = Probe::new();
        ring.submitter().register_probe(&mut probe)?;
        if !probe.is_supported(opcode::Send::CODE) || !probe.is_supported(opcode::Recv::CODE) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(Self { ring, texts: Vec::new(), forgotten: vec![0; FORGOTTEN_BYTES_MAX] })
    }

    /// Sends replies to [`TOLD_MAX`] clients at most.
    ///
    /// # Errors
    /// It is not known what was sent.
    fn send(&mut self, replies: &[Reply<'_>]) -> io::Result<Vec<Sent>> {
        self.texts.clear();
        replies.iter().for_each(|reply| self.texts.extend_from_slice(reply.text));
        let mut done = vec![Done::default(); replies.len()];
        if let Err(error) = self.push(replies).and_then(|left| self.finish(left, &mut done)) {
            // The kernel may use them for as long as the process lasts.
            std::mem::forget(std::mem::take(&mut self.texts));
            std::mem::forget(std::mem::take(&mut self.forgotten));
            return Err(error);
        }
        Ok(replies.iter().zip(done).map(|(reply, done)| done.of(reply)).collect())
    }

    /// Notes what the kernel is to do: for each client, a reply is sent, and then what it replies to
    /// is taken from the socket. Gives how many things that are.
    fn push(&mut self, replies: &[Reply<'_>]) -> io::Result<usize> {
        let (mut queue, mut start, mut count) = (self.ring.submission(), 0, 0);
        for (nth, reply) in replies.iter().enumerate() {
            let socket = types::Fd(reply.stream.descriptor().as_raw_fd());
            let text = self.texts.get(start..start + reply.text.len()).unwrap_or_default();
            start += reply.text.len();
            let flags = (SendFlags::DONTWAIT | SendFlags::NOSIGNAL).bits().cast_signed();
            let send = opcode::Send::new(socket, text.as_ptr(), text.len() as u32).flags(flags);
            let room = self.forgotten.as_mut_ptr();
            let taken_bytes = reply.untaken_bytes.min(FORGOTTEN_BYTES_MAX) as u32;
            let flags = RecvFlags::DONTWAIT.bits().cast_signed();
            let take = opcode::Recv::new(socket, room, taken_bytes).flags(flags);
            let things: [squeue::Entry; 2] = [
                send.build().user_data(2 * nth as u64),
                take.build().user_data(2 * nth as u64 + 1),
            ];
            let things = things.get(..1 + usize::from(taken_bytes > 0)).unwrap_or_default();
            // SAFETY: texts and room stay until all is over, for which `finish` waits, or for ever;
            // nobody reads the room, so that all may write to it. The sockets are open until then.
            unsafe { queue.push_multiple(things) }.map_err(io::Error::other)?;
            count += things.len();
        }
        Ok(count)
    }

    /// Has the kernel do it, and waits until all of it is over.
    fn finish(&mut self, mut left: usize, done: &mut [Done]) -> io::Result<()> {
        while left > 0 {
            match self.ring.submit_and_wait(left) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            for thing in self.ring.completion() {
                left -= 1;
                let Some(done) = done.get_mut(thing.user_data() as usize / 2) else { continue };
                match thing.user_data() % 2 {
                    0 => done.sent = Some(thing.result()),
                    _ => done.taken = Some(thing.result()),
                }
            }
        }
        Ok(())
    }
}

impl Done {
    fn of(self, reply: &Reply<'_>) -> Sent {
        let taken_bytes = self.taken.map_or(Ok(0), count)?;
        // What lies there as several messages may be taken one by one.
        reply.stream.forget(reply.untaken_bytes.saturating_sub(taken_bytes))?;
        self.sent.map_or(Err(Errno::IO), count)
    }
}

/// What a system call would have returned.
fn count(result: i32) -> rustix::io::Result<usize> {
    usize::try_from(result).map_err(|_| Errno::from_raw_os_error(-result))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    use super::*;
    use crate::stream::Socket;

    const REQUEST: &[u8] = b"UPDATE a.rrd 1:2\n";

    struct Pair {
        client: UnixStream,
        stream: Stream,
        text: Vec<u8>,
    }

    impl Pair {
        /// A client that has said something.
        fn of(text: &[u8]) -> Self {
            let (mut client, served) = UnixStream::pair().unwrap();
            client.write_all(REQUEST).unwrap();
            Self { client, stream: Socket::Unix(served).into(), text: text.to_vec() }
        }

        fn reply(&self) -> Reply<'_> {
            let untaken_bytes = REQUEST.len();
            Reply { stream: &self.stream, text: &self.text, untaken_bytes }
        }

        fn look(&self) -> rustix::io::Result<usize> {
            self.stream.look(&mut [0; 64]).map(|came| came.untaken_bytes)
        }
    }

    /// The kernel's help, where it gives any, and none.
    fn both_ways() -> [RepliesTogether; 2] {
        [RepliesTogether::default(), RepliesTogether { ring: None, is_refused: true }]
    }

    #[test]
    fn each_client_gets_its_own_reply_and_its_request_is_gone() {
        for mut replies in both_ways() {
            for clients in [0, 1, 2, TOLD_MAX + 3] {
                let texts = (0..clients).map(|nth| "x".repeat(nth % 40) + &nth.to_string());
                let mut pairs: Vec<Pair> = texts.map(|text| Pair::of(text.as_bytes())).collect();
                assert!(pairs.iter().all(|pair| pair.look() == Ok(REQUEST.len())));
                let sent = replies.send(&pairs.iter().map(Pair::reply).collect::<Vec<_>>());
                assert_eq!(sent.len(), clients);
                for (pair, sent) in pairs.iter_mut().zip(sent) {
                    assert_eq!(sent, Ok(pair.text.len()));
                    let mut came = vec![0; pair.text.len()];
                    pair.client.read_exact(&mut came).unwrap();
                    assert_eq!(came, pair.text);
                    assert_eq!(pair.look(), Err(Errno::AGAIN));
                }
            }
        }
    }

    #[test]
    fn a_client_that_is_gone_or_reads_nothing_keeps_no_other_from_its_reply() {
        for mut replies in both_ways() {
            let pairs = [Pair::of(b"gone"), Pair::of(b"full"), Pair::of(b"told")];
            let [gone, full, told] = pairs;
            drop(gone.client);
            while full.stream.write(&[0; 4096]).is_ok() {}
            let streams =
                [(&gone.stream, b"gone"), (&full.stream, b"full"), (&told.stream, b"told")];
            let untaken_bytes = REQUEST.len();
            let all = streams.map(|(stream, text)| Reply { stream, text, untaken_bytes });
            assert_eq!(replies.send(&all), [Err(Errno::PIPE), Err(Errno::AGAIN), Ok(4)]);
            assert_eq!(full.stream.read_now(&mut [0; 64]), Err(Errno::AGAIN));
        }
    }

    #[test]
    fn what_was_said_after_the_request_stays() {
        for mut replies in both_ways() {
            let mut pairs = [Pair::of(b"first"), Pair::of(b"second")];
            pairs.iter_mut().for_each(|pair| pair.client.write_all(b"PING\n").unwrap());
            replies.send(&pairs.each_ref().map(Pair::reply));
            for pair in pairs {
                let mut room = [0; 64];
                assert_eq!(pair.stream.read_now(&mut room).map(|came| came.size_bytes), Ok(5));
                assert_eq!(room.get(..5), Some(&b"PING\n"[..]));
            }
        }
    }
}
