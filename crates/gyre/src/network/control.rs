//! What a running network is told: lines of standard input, signals, its time.

use std::io::{self, BufRead as _};
use std::str::FromStr;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use simnet::{FaultError, Mending, Rule};

/// Something that happens to a running network.
pub(super) enum Happening {
    End,
    Line(String),
}

/// A line of standard input.
pub(super) enum Command {
    Fault(Rule),
    Mend(Mending),
    Status,
    End,
}

/// Why a line is no command.
#[derive(Debug, thiserror::Error)]
pub(super) enum Misunderstood {
    #[error(
        "expected fault KIND[=VALUE]:DEVICES, mend KIND:DEVICES, mend all:DEVICES, status or end, \
         found {0}"
    )]
    Word(String),
    #[error(transparent)]
    Fault(#[from] FaultError),
}

impl FromStr for Command {
    type Err = Misunderstood;

    fn from_str(line: &str) -> Result<Command, Misunderstood> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["fault", rule] => Ok(Command::Fault(rule.parse()?)),
            ["mend", mending] => Ok(Command::Mend(mending.parse()?)),
            ["status"] => Ok(Command::Status),
            ["end"] => Ok(Command::End),
            _ => Err(Misunderstood::Word(if line.is_empty() { "nothing" } else { line }.into())),
        }
    }
}

/// Receives what happens: a signal, the end of the time, lines if there is somebody to write them.
pub(super) fn happenings(
    duration: Option<Duration>,
    is_controlled: bool,
) -> io::Result<Receiver<Happening>> {
    let (sender, receiver) = mpsc::channel();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    start("gyre-signals", sender.clone(), move |sender| {
        if signals.forever().next().is_some() {
            let _ = sender.send(Happening::End);
        }
    })?;
    if is_controlled {
        start("gyre-control", sender.clone(), |sender| {
            for line in io::stdin().lock().lines().map_while(Result::ok) {
                let _ = sender.send(Happening::Line(line));
            }
            // With the one who controls it, the network ends.
            let _ = sender.send(Happening::End);
        })?;
    }
    if let Some(duration) = duration {
        start("gyre-timer", sender, move |sender| {
            std::thread::sleep(duration);
            let _ = sender.send(Happening::End);
        })?;
    }
    Ok(receiver)
}

fn start(
    name: &str,
    sender: Sender<Happening>,
    work: impl FnOnce(Sender<Happening>) + Send + 'static,
) -> io::Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(move || work(sender)).map(drop)
}
