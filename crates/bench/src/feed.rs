//! Runs programs that read lines from standard input, several at the same time.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How a program reports the results of its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// As rrdtool's pipe mode: a line that starts with `OK` for each success.
    Pipe,
    /// Once at the end: the number of successes.
    Sum,
}

/// Starts each program, writes its text, and waits until all have ended; returns the seconds.
///
/// # Errors
///
/// A program does not start, or a line fails.
pub(crate) fn feed(programs: Vec<(Command, &str)>, answers: Answers) -> Result<f64, String> {
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let each = programs.into_iter();
        let running: Vec<_> = each
            .map(|(command, text)| scope.spawn(move || feed_one(command, text, answers)))
            .collect();
        running.into_iter().try_for_each(|it| it.join().expect("feeding does not panic"))
    })?;
    Ok(begun.elapsed().as_secs_f64())
}

fn feed_one(mut command: Command, text: &str, answers: Answers) -> Result<(), String> {
    let mut child = command
        .env("TZ", "UTC")
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let mut stdout = child.stdout.take().expect("stdout is a pipe");
    let mut said = String::new();
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(text.as_bytes()));
        stdout.read_to_string(&mut said)
    })
    .map_err(|error| format!("{command:?}: {error}"))?;
    child.wait().map_err(|error| format!("{command:?}: {error}"))?;
    let expected = text.lines().count();
    let succeeded = match answers {
        Answers::Pipe => said.lines().filter(|line| line.starts_with("OK")).count(),
        Answers::Sum => said.trim().parse().unwrap_or(0),
    };
    if succeeded == expected {
        return Ok(());
    }
    let complaint = said.lines().find(|line| !line.starts_with("OK")).unwrap_or_default();
    Err(format!("{command:?}: {succeeded} of {expected} lines succeeded: {complaint}"))
}
