//! SMTP as far as a mail needs it (RFC 5321): what to send, by what the server replied.

use std::collections::VecDeque;

use crate::check::Mail;

/// The longest reply that is read, all its lines together.
const REPLY_BYTES_MAX: usize = 64 * 1024;

/// A dialogue with a server about one mail. It owns no socket.
#[derive(Debug)]
pub struct Dialogue {
    state: State,
    host: String,
    from: String,
    recipients: VecDeque<String>,
    data: Vec<u8>,
    /// What the server sent and no complete reply used up.
    unread: Vec<u8>,
    /// Recipients that the server takes.
    taken: usize,
    /// The last recipient that it refuses.
    refused: Option<DialogueError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Greeting,
    Hello,
    OldHello,
    From,
    To,
    Data,
    Text,
    Quit,
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Read more from the server.
    Read,
    /// Send these bytes, then read.
    Send(Vec<u8>),
    /// The server has the mail; these are the last bytes to send.
    Done(Vec<u8>),
}

/// Why a server does not take a mail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DialogueError {
    /// It says no.
    #[error("it replies to {to}: {reply}")]
    Refused {
        /// What it was told.
        to: String,
        /// Its reply.
        reply: String,
        /// Whether it may say yes later.
        is_temporary: bool,
    },
    /// What it sends is no reply of SMTP.
    #[error("expected a reply of SMTP, found `{0}`")]
    Nonsense(String),
}

impl DialogueError {
    /// Whether it is worth trying later.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Refused { is_temporary: true, .. } | Self::Nonsense(_))
    }
}

/// A reply: three digits, and words.
struct Reply {
    code: u16,
    words: String,
}

impl Dialogue {
    /// A dialogue in which this machine gives itself that name.
    #[must_use]
    pub fn new(mail: &Mail, host: &str) -> Self {
        Self {
            state: State::Greeting,
            host: clean(host),
            from: clean(&mail.from),
            recipients: mail.to.iter().map(|to| clean(to)).collect(),
            data: data(&mail.text),
            unread: Vec::new(),
            taken: 0,
            refused: None,
        }
    }

    /// Takes what the server sent.
    ///
    /// # Errors
    ///
    /// It does not take the mail. If it takes it for some recipients, that is no error.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Step, DialogueError> {
        self.unread.extend_from_slice(bytes);
        match self.reply()? {
            Some(reply) => self.answer(&reply),
            None if self.unread.len() > REPLY_BYTES_MAX => Err(self.nonsense()),
            None => Ok(Step::Read),
        }
    }

    /// Takes a whole reply, of one line or many, from the front of what is unread.
    fn reply(&mut self) -> Result<Option<Reply>, DialogueError> {
        let mut start = 0;
        while let Some(length) = self.unread.get(start..).and_then(line_length) {
            let line = self.unread.get(start..start + length).unwrap_or_default();
            let text = String::from_utf8_lossy(line).trim_end().to_owned();
            let code = text.get(..3).and_then(|code| code.parse().ok());
            let Some(code) = code.filter(|code| (200..600).contains(code)) else {
                return Err(DialogueError::Nonsense(text.chars().take(80).collect()));
            };
            start += length;
            if text.as_bytes().get(3) != Some(&b'-') {
                self.unread.drain(..start);
                return Ok(Some(Reply { code, words: text }));
            }
        }
        Ok(None)
    }

    fn nonsense(&self) -> DialogueError {
        let shown: String = String::from_utf8_lossy(&self.unread).chars().take(80).collect();
        DialogueError::Nonsense(shown)
    }

    fn answer(&mut self, reply: &Reply) -> Result<Step, DialogueError> {
        let is_yes = match self.state {
            State::Data => reply.code == 354,
            _ => (200..300).contains(&reply.code),
        };
        if !is_yes {
            return self.answer_no(reply);
        }
        if self.state == State::To {
            self.taken += 1;
        }
        Ok(match self.state {
            State::Greeting => self.go(State::Hello, format!("EHLO {}", self.host)),
            State::Hello | State::OldHello => {
                self.go(State::From, format!("MAIL FROM:<{}>", self.from))
            }
            State::From | State::To => return self.next_recipient(),
            State::Data => {
                self.state = State::Text;
                Step::Send(std::mem::take(&mut self.data))
            }
            State::Text | State::Quit => {
                self.state = State::Quit;
                Step::Done(b"QUIT\r\n".to_vec())
            }
        })
    }

    /// Servers that do not know EHLO know HELO. One recipient may be refused and others taken.
    fn answer_no(&mut self, reply: &Reply) -> Result<Step, DialogueError> {
        let refused = DialogueError::Refused {
            to: self.told(),
            reply: reply.words.clone(),
            is_temporary: reply.code < 500,
        };
        match self.state {
            State::Hello if reply.code >= 500 => {
                Ok(self.go(State::OldHello, format!("HELO {}", self.host)))
            }
            State::To => {
                self.refused = Some(refused);
                self.next_recipient()
            }
            _ => Err(refused),
        }
    }

    fn next_recipient(&mut self) -> Result<Step, DialogueError> {
        match (self.recipients.pop_front(), self.refused.take()) {
            (Some(to), refused) => {
                self.refused = refused;
                Ok(self.go(State::To, format!("RCPT TO:<{to}>")))
            }
            (None, Some(refused)) if self.taken == 0 => Err(refused),
            (None, _) => Ok(self.go(State::Data, "DATA".to_owned())),
        }
    }

    fn go(&mut self, state: State, line: String) -> Step {
        self.state = state;
        Step::Send(format!("{line}\r\n").into_bytes())
    }

    /// What the server was told last, in a word.
    fn told(&self) -> String {
        let word = match self.state {
            State::Greeting => "the connection",
            State::Hello => "EHLO",
            State::OldHello => "HELO",
            State::From => "MAIL",
            State::To => "RCPT",
            State::Data => "DATA",
            State::Text => "the mail",
            State::Quit => "QUIT",
        };
        word.to_owned()
    }
}

fn line_length(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n').map(|end| end + 1)
}

/// An address or name that cannot end the line in which it stands.
fn clean(text: &str) -> String {
    text.chars().filter(|each| !each.is_control() && !matches!(each, '<' | '>')).collect()
}

/// The text with CRLF behind its lines, a point before each line that begins with one, and the end.
fn data(text: &str) -> Vec<u8> {
    let mut data = Vec::with_capacity(text.len() + text.len() / 16 + 8);
    for line in text.lines() {
        if line.starts_with('.') {
            data.push(b'.');
        }
        data.extend_from_slice(line.replace('\r', "").as_bytes());
        data.extend_from_slice(b"\r\n");
    }
    data.extend_from_slice(b".\r\n");
    data
}

#[cfg(test)]
mod tests;
