//! Commands and their answers, over standard input or a connection.

use std::io::{self, BufRead, BufReader, Read, Write};

use simnet::SimulatedNetwork;

use super::command::{Command, Misunderstood};
use super::report::Report;

/// The longest line; one may name thousands of devices.
const LINE_BYTES_MAX: usize = 64 << 10;

/// A network that can be told what to do.
pub(super) struct Console {
    pub(super) network: SimulatedNetwork,
    pub(super) report: Report,
}

/// How a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// There are no more lines.
    Silence,
    /// A command wants the network to end.
    End,
}

impl Console {
    /// Answers lines until there are no more, or one ends the network.
    ///
    /// # Errors
    /// Those of reading and writing.
    pub(super) fn converse(&self, from: impl Read, mut to: impl Write) -> io::Result<Over> {
        let mut from = BufReader::new(from);
        while let Some(line) = next_line(&mut from)? {
            let said = match line {
                Ok(line) => self.obey(&line),
                Err(misunderstood) => Some(self.report.refused(&misunderstood)),
            };
            let Some(text) = said else { return Ok(Over::End) };
            to.write_all(text.as_bytes())?;
            to.flush()?;
        }
        Ok(Over::Silence)
    }

    /// The last line that is said to anybody.
    pub(super) fn farewell(&self) -> String {
        self.report.status(&self.network, "ended")
    }

    /// The answer; `None` if the network is to end.
    fn obey(&self, line: &str) -> Option<String> {
        let Self { network, report } = self;
        Some(match line.parse() {
            Ok(Command::End) => return None,
            Ok(Command::Status) => report.status(network, "running"),
            Ok(Command::Help) => report.help(),
            Ok(Command::List) => report.faults(&network.faults()),
            Ok(Command::Fault(rule)) => report.done(network.disturb(&rule)),
            Ok(Command::Mend(mending)) => report.done(network.mend(&mending)),
            Err(misunderstood) => report.refused(&misunderstood),
        })
    }
}

/// The next line, or that it is too long; `None` at the end. The rest of a long line is not kept.
fn next_line(from: &mut impl BufRead) -> io::Result<Option<Result<String, Misunderstood>>> {
    let mut bytes = Vec::new();
    let most = LINE_BYTES_MAX as u64 + 1;
    if from.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.pop_if(|last| *last == b'\n').is_none() && bytes.len() > LINE_BYTES_MAX {
        from.skip_until(b'\n')?;
        return Ok(Some(Err(Misunderstood::Long { most_bytes: LINE_BYTES_MAX })));
    }
    Ok(Some(Ok(String::from_utf8_lossy(&bytes).into_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_passed_over() {
        let longest = "x".repeat(LINE_BYTES_MAX);
        let text = format!("{longest}\n{longest}x\na\n\n{longest}yyy\nb");
        let mut from = BufReader::new(text.as_bytes());
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut from).unwrap() {
            lines.push(line.ok());
        }
        let line = |text: &str| Some(text.to_owned());
        assert_eq!(lines, [line(&longest), None, line("a"), line(""), None, line("b")]);
    }
}
