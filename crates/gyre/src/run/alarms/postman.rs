//! The thread that sends mail.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rrdtool::system_words;
use thresholds::{Dialogue, DialogueError, Mail, Step};

use super::super::tell;
use super::bounded::Bounded;
use super::own_name::own_name;

/// The most mails that wait.
const MAILS_MAX: usize = 1000;

/// How long a server may take to answer the connection, as for MRTG.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);

/// How long a server may take for a reply.
const REPLY_TIME_MAX: Duration = Duration::from_secs(30);

/// A mail that no server takes is tried again after this long, then after twice as long, and so on.
const FIRST_WAIT: Duration = Duration::from_secs(5);
const WAIT_MAX: Duration = Duration::from_secs(300);

/// A mail that no server took for so long is given up.
const AGE_MAX: Duration = Duration::from_secs(3600);

/// How long mails may still take when the run ends.
const GRACE: Duration = Duration::from_secs(10);

/// The port of a server that names none.
const SMTP_PORT: u16 = 25;

/// A mail and the servers that may take it.
pub(super) struct Letter {
    mail: Mail,
    servers: Vec<String>,
    written: Instant,
    due: Instant,
    wait: Duration,
}

impl Letter {
    pub(super) fn new(mail: Mail, servers: Vec<String>) -> Self {
        let now = Instant::now();
        Self { mail, servers, written: now, due: now, wait: FIRST_WAIT }
    }
}

/// Why a server did not take a mail.
#[derive(Debug, thiserror::Error)]
enum SendError {
    #[error("{server}: {}", system_words(cause))]
    Connection { server: String, cause: io::Error },
    #[error("{server}: {cause}")]
    Dialogue { server: String, cause: DialogueError },
}

impl SendError {
    fn is_temporary(&self) -> bool {
        match self {
            Self::Connection { .. } => true,
            Self::Dialogue { cause, .. } => cause.is_temporary(),
        }
    }
}

/// Sends mail in a thread of its own, which the first mail starts.
pub(super) struct Postman {
    worker: Option<(Arc<Bounded<Letter>>, JoinHandle<()>)>,
    is_loss_told: bool,
}

impl Postman {
    pub(super) fn new() -> Self {
        Self { worker: None, is_loss_told: false }
    }

    pub(super) fn post(&mut self, letter: Letter) {
        let queue = match &self.worker {
            Some((queue, _)) => queue,
            None => match start() {
                Ok(worker) => &self.worker.insert(worker).0,
                Err(error) => return tell(format_args!("no mail is sent: no thread: {error}")),
            },
        };
        let is_lost = queue.push_all(vec![letter]) > 0;
        if is_lost && !self.is_loss_told {
            tell(format_args!("mails are lost: {MAILS_MAX} wait already"));
        }
        self.is_loss_told = is_lost;
    }

    pub(super) fn end(self) {
        if let Some((queue, thread)) = self.worker {
            queue.close();
            if thread.join().is_err() {
                tell("the thread that sends mail died");
            }
        }
    }
}

fn start() -> io::Result<(Arc<Bounded<Letter>>, JoinHandle<()>)> {
    let queue = Arc::new(Bounded::new(MAILS_MAX));
    let worked = queue.clone();
    let thread =
        thread::Builder::new().name("gyre-mail".to_owned()).spawn(move || Round::of(&worked))?;
    Ok((queue, thread))
}

/// Letters that wait for another try.
#[derive(Default)]
struct Round {
    again: VecDeque<Letter>,
    is_trouble_told: bool,
}

impl Round {
    /// Sends letters until the queue is closed; each that is left then has one more try.
    fn of(queue: &Bounded<Letter>) {
        let mut round = Self::default();
        loop {
            let due = round.again.iter().map(|letter| letter.due).min();
            let wait = due.map_or(WAIT_MAX, |due| due.saturating_duration_since(Instant::now()));
            if let Some(letter) = queue.take_within(wait) {
                if queue.is_closed() {
                    // The run's end waits for a bounded time alone.
                    round.again.push_back(letter);
                    continue;
                }
                round.send(letter);
            } else if queue.is_closed() {
                break;
            }
            let now = Instant::now();
            let all = std::mem::take(&mut round.again).into_iter();
            let (due, later): (Vec<_>, Vec<_>) = all.partition(|letter| letter.due <= now);
            round.again = later.into();
            due.into_iter().for_each(|letter| round.send(letter));
        }
        round.finish();
    }

    /// Tries what is left once more, as long as the run's end may wait.
    fn finish(self) {
        let until = Instant::now() + GRACE;
        let mut left = self.again.into_iter();
        for letter in left.by_ref() {
            if let Err(error) = deliver(&letter) {
                tell(format_args!("mail to {} is not sent: {error}", letter.mail.to.join(", ")));
            }
            if Instant::now() > until {
                break;
            }
        }
        match left.count() {
            0 => {}
            count => tell(format_args!("{count} more mails are not sent")),
        }
    }

    fn send(&mut self, mut letter: Letter) {
        let to = letter.mail.to.join(", ");
        match deliver(&letter) {
            Ok(()) if self.is_trouble_told => {
                tell("mail is sent again");
                self.is_trouble_told = false;
            }
            Ok(()) => {}
            Err(error) if !error.is_temporary() || letter.written.elapsed() > AGE_MAX => {
                tell(format_args!("mail to {to} is not sent: {error}"));
            }
            Err(error) => {
                if !self.is_trouble_told {
                    tell(format_args!("mail to {to} waits: {error}"));
                    self.is_trouble_told = true;
                }
                letter.due = Instant::now() + letter.wait;
                letter.wait = WAIT_MAX.min(letter.wait * 2);
                if self.again.len() >= MAILS_MAX {
                    self.again.pop_front();
                    tell(format_args!("a mail is lost: {MAILS_MAX} wait already"));
                }
                self.again.push_back(letter);
            }
        }
    }
}

/// Gives a letter to the first server that takes it.
fn deliver(letter: &Letter) -> Result<(), SendError> {
    let mut outcome = Ok(());
    for server in &letter.servers {
        outcome = send(&letter.mail, server);
        if !matches!(&outcome, Err(error) if error.is_temporary()) {
            break;
        }
    }
    outcome
}

fn send(mail: &Mail, server: &str) -> Result<(), SendError> {
    let broken = |cause| SendError::Connection { server: server.to_owned(), cause };
    let mut stream = connect(server).map_err(broken)?;
    let mut dialogue = Dialogue::new(mail, &own_name());
    let mut room = [0; 4096];
    loop {
        let length = stream.read(&mut room).map_err(broken)?;
        if length == 0 {
            return Err(broken(io::ErrorKind::UnexpectedEof.into()));
        }
        let refused = |cause| SendError::Dialogue { server: server.to_owned(), cause };
        match dialogue.take(&room[..length]).map_err(refused)? {
            Step::Read => {}
            Step::Send(bytes) => stream.write_all(&bytes).map_err(broken)?,
            Step::Done(bytes) => {
                // The server has the mail, whatever becomes of the farewell.
                let _ = stream.write_all(&bytes);
                return Ok(());
            }
        }
    }
}

fn connect(server: &str) -> io::Result<TcpStream> {
    let mut outcome = Err(io::ErrorKind::NotFound.into());
    for address in host_and_port(server).to_socket_addrs()? {
        outcome = TcpStream::connect_timeout(&address, CONNECT_TIME_MAX);
        if outcome.is_ok() {
            break;
        }
    }
    let stream = outcome?;
    stream.set_read_timeout(Some(REPLY_TIME_MAX))?;
    stream.set_write_timeout(Some(REPLY_TIME_MAX))?;
    Ok(stream)
}

/// Splits `host`, `host:port`, `[address]`, `[address]:port`, or a bare IPv6 address.
fn host_and_port(server: &str) -> (&str, u16) {
    if let Some((address, port)) = server.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let port = port.strip_prefix(':').and_then(|port| port.parse().ok());
        return (address, port.unwrap_or(SMTP_PORT));
    }
    match server.split_once(':') {
        Some((host, port)) if !port.contains(':') => (host, port.parse().unwrap_or(SMTP_PORT)),
        _ => (server, SMTP_PORT),
    }
}

#[cfg(test)]
mod tests {
    use super::host_and_port;

    #[test]
    fn servers_may_have_ports() {
        for (server, expected) in [
            ("mail", ("mail", 25)),
            ("mail:2525", ("mail", 2525)),
            ("::1", ("::1", 25)),
            ("[::1]", ("::1", 25)),
            ("[::1]:2525", ("::1", 2525)),
        ] {
            assert_eq!(host_and_port(server), expected);
        }
    }
}
