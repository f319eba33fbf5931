//! The thread that sends copies of readings to Graphite.

use std::io::{self, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use mrtg::{Direction, GraphiteReceiver};
use rrdtool::system_words;
use rustix::net::RecvFlags;

use super::super::tell;
use super::bounded::Bounded;
use super::concern::Sampled;
use super::destination::Destination;

/// The most samples that are sent in one write.
const SAMPLES_AT_ONCE: usize = 2048;

/// How long a receiver may take to answer the connection, and to take what is sent.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
const WRITE_TIME_MAX: Duration = Duration::from_secs(10);

/// A receiver that does not answer is tried again after this long, then after twice as long, and so
/// on.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const WAIT_MAX: Duration = Duration::from_secs(60);

/// How long what waits may still take when the run ends.
const GRACE: Duration = Duration::from_secs(5);

/// Sends samples until the queue is closed.
pub(super) fn run(samples: &Bounded<Sampled>, destination: &Destination) {
    let mut link: Option<Link> = None;
    while let Some(group) = samples.take(SAMPLES_AT_ONCE) {
        if let Err(Undelivered(GraphiteReceiver { host, port })) =
            deliver(&mut link, &lines(&group), samples, destination)
        {
            return tell(format_args!("Graphite at {host}:{port} did not get all samples"));
        }
    }
}

/// The run ended before a receiver took all.
struct Undelivered(GraphiteReceiver);

/// Sends lines, however long the receiver is down. If a reload names another receiver meanwhile,
/// that one gets them.
///
/// After a broken connection all lines are sent again: Graphite keeps the last value of a time.
fn deliver(
    link: &mut Option<Link>,
    lines: &str,
    samples: &Bounded<Sampled>,
    destination: &Destination,
) -> Result<(), Undelivered> {
    let mut give_up: Option<Instant> = None;
    loop {
        let Some(receiver) = destination.get() else { return Ok(()) };
        let current = match link {
            Some(link) if link.receiver == receiver => link,
            _ => link.insert(Link::to(receiver)),
        };
        match current.try_deliver(lines) {
            Ok(()) => {
                current.recovered();
                return Ok(());
            }
            Err(error) => current.failed(&error),
        }
        let has_moved = || !destination.is(&current.receiver);
        if samples.wait_closed_or(current.wait, has_moved) {
            let until = *give_up.get_or_insert_with(|| Instant::now() + GRACE);
            if Instant::now() >= until {
                return Err(Undelivered(current.receiver.clone()));
            }
            std::thread::sleep(FIRST_WAIT);
        }
        current.wait = WAIT_MAX.min(current.wait * 2);
    }
}

fn lines(group: &[Sampled]) -> String {
    let mut lines = String::with_capacity(group.len() * 128);
    for sample in group {
        for (direction, reading) in Direction::BOTH.into_iter().zip(&sample.readings) {
            let value = reading.reading().to_string();
            if is_number(&value) {
                let (target, seconds) = (sample.concern.target(), sample.time.seconds);
                thresholds::graphite::append_line(&mut lines, target, direction, &value, seconds);
            }
        }
    }
    lines
}

/// Digits, perhaps with a sign and a point: MRTG sends nothing else.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, decimals) = digits.split_once('.').unwrap_or(("", digits));
    let all = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    all(whole) && all(decimals) && !decimals.is_empty()
}

/// A receiver, and the connection to it if there is one.
struct Link {
    receiver: GraphiteReceiver,
    stream: Option<TcpStream>,
    wait: Duration,
    is_trouble_told: bool,
}

impl Link {
    fn to(receiver: GraphiteReceiver) -> Self {
        Self { receiver, stream: None, wait: FIRST_WAIT, is_trouble_told: false }
    }

    fn try_deliver(&mut self, lines: &str) -> io::Result<()> {
        if self.stream.as_ref().is_some_and(has_ended) {
            self.stream = None;
        }
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => self.stream.insert(connect(&self.receiver)?),
        };
        stream.write_all(lines.as_bytes())
    }

    fn failed(&mut self, error: &io::Error) {
        self.stream = None;
        if !self.is_trouble_told {
            let (GraphiteReceiver { host, port }, why) = (&self.receiver, system_words(error));
            tell(format_args!("Graphite at {host}:{port}: {why}; samples for it wait"));
            self.is_trouble_told = true;
        }
    }

    fn recovered(&mut self) {
        self.wait = FIRST_WAIT;
        if self.is_trouble_told {
            let GraphiteReceiver { host, port } = &self.receiver;
            tell(format_args!("Graphite at {host}:{port} takes samples again"));
            self.is_trouble_told = false;
        }
    }
}

/// Whether the receiver has closed its end: what is written then would be lost without an error.
fn has_ended(stream: &TcpStream) -> bool {
    let mut room = [0; 64];
    let received = rustix::net::recv(stream, &mut room[..], RecvFlags::DONTWAIT);
    !matches!(received, Err(rustix::io::Errno::AGAIN) | Ok((1.., _)))
}

fn connect(receiver: &GraphiteReceiver) -> io::Result<TcpStream> {
    let mut outcome = Err(io::ErrorKind::NotFound.into());
    for address in (receiver.host.as_str(), receiver.port).to_socket_addrs()? {
        outcome = TcpStream::connect_timeout(&address, CONNECT_TIME_MAX);
        if outcome.is_ok() {
            break;
        }
    }
    let stream = outcome?;
    stream.set_write_timeout(Some(WRITE_TIME_MAX))?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::is_number;

    #[test]
    fn only_plain_numbers_are_sent() {
        for text in ["0", "18446744073709551615", "-5", "+5", "0.5", ".5"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["U", "", "-", "5.", "1e9", "nan", "1.2.3"] {
            assert!(!is_number(text), "{text}");
        }
    }
}
