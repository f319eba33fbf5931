//! A server that takes mail and keeps it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);

/// A mail as it came.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Taken {
    pub(crate) from: String,
    pub(crate) to: Vec<String>,
    pub(crate) text: String,
}

/// All mails so far.
#[derive(Clone, Default)]
pub(crate) struct Mails(Arc<Mutex<Vec<Taken>>>);

impl Mails {
    /// Takes mail on that listener. The first `refused` mails are put off.
    pub(crate) fn serve(listener: TcpListener, refused: usize) -> (SocketAddr, Self) {
        let address = listener.local_addr().unwrap();
        let mails = Self::default();
        let kept = mails.clone();
        std::thread::spawn(move || {
            for (nth, stream) in listener.incoming().map_while(Result::ok).enumerate() {
                let kept = kept.clone();
                std::thread::spawn(move || kept.talk(&stream, nth < refused));
            }
        });
        (address, mails)
    }

    pub(crate) fn take(&self) -> Vec<Taken> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    pub(crate) fn wait_for(&self, count: usize) -> Vec<Taken> {
        let until = Instant::now() + PATIENCE;
        while self.0.lock().unwrap().len() < count {
            assert!(Instant::now() < until, "no mail comes");
            std::thread::sleep(Duration::from_millis(20));
        }
        self.take()
    }

    /// The server's side of RFC 5321, as far as one mail a connection needs it.
    fn talk(&self, stream: &TcpStream, puts_off: bool) -> Option<()> {
        let mut out = stream;
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let mut mail = Taken { from: String::new(), to: Vec::new(), text: String::new() };
        write!(out, "220 sink.example.org ready\r\n").ok()?;
        loop {
            let line = lines.next()?;
            let word = line.split([' ', ':']).next()?.to_ascii_uppercase();
            let address = || line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
            match &*word {
                "EHLO" => write!(out, "250-sink.example.org\r\n250 8BITMIME\r\n").ok()?,
                "MAIL" if puts_off => write!(out, "451 later\r\n").ok()?,
                "MAIL" => {
                    mail.from = address();
                    write!(out, "250 ok\r\n").ok()?;
                }
                "RCPT" => {
                    mail.to.push(address());
                    write!(out, "250 ok\r\n").ok()?;
                }
                "DATA" => {
                    write!(out, "354 go on\r\n").ok()?;
                    for line in lines.by_ref().take_while(|line| line != ".") {
                        mail.text += line.strip_prefix('.').unwrap_or(&line);
                        mail.text.push('\n');
                    }
                    self.0.lock().unwrap().push(mail.clone());
                    write!(out, "250 taken\r\n").ok()?;
                }
                "QUIT" => return write!(out, "221 bye\r\n").ok(),
                _ => write!(out, "500 {word} is unknown\r\n").ok()?,
            }
        }
    }
}
