//! Feeds a program with rrdtool's pipe mode as fast as it reads.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The costs of one round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// The time from the first command sent to the last reply read.
    pub(crate) elapsed: Duration,
    /// The program's processor time in seconds meanwhile, by the kernel's scheduler.
    pub(crate) processor_seconds: f64,
    /// The program's system time in seconds, from its last `OK` line.
    pub(crate) system_seconds: f64,
}

/// Sends `commands` (`count` lines) to a `program -` of its own and waits for all replies.
///
/// # Errors
/// The program does not start, or answers one of them with an error.
pub(crate) fn round(
    program: &Path,
    directory: &Path,
    commands: &[u8],
    count: usize,
) -> Result<Round, String> {
    Pipe::start(program, directory)?.ask(commands, count)
}

/// A program that waits for commands; it is killed when dropped.
#[derive(Debug)]
pub(crate) struct Pipe {
    child: Child,
    /// Closed before waiting for the program.
    stdin: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
}

impl Pipe {
    /// Starts `program -` in a directory.
    pub(crate) fn start(program: &Path, directory: &Path) -> Result<Self, String> {
        let mut child = Command::new(program)
            .arg0_rrdtool()
            .arg("-")
            .current_dir(directory)
            .env("TZ", "UTC")
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let stdout = child.stdout.take().expect("stdout is a pipe");
        let replies = BufReader::with_capacity(1 << 20, stdout);
        Ok(Self { stdin: child.stdin.take(), child, replies })
    }

    /// Sends `commands` (`count` lines) and waits for all replies.
    ///
    /// # Errors
    /// The program answers one of them with an error, or ended.
    pub(crate) fn ask(&mut self, commands: &[u8], count: usize) -> Result<Round, String> {
        let used = processor_seconds(self.child.id());
        let Self { stdin, replies, child } = self;
        let stdin = stdin.as_mut().expect("it is open as long as this is");
        let start = Instant::now();
        let last = std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(commands));
            last_reply(replies, count)
        })?;
        let elapsed = start.elapsed();
        let seconds = |label: &str| {
            let word = last.split_whitespace().find_map(|word| word.strip_prefix(label));
            word.and_then(|number| number.parse().ok()).unwrap_or(f64::NAN)
        };
        Ok(Round {
            elapsed,
            processor_seconds: processor_seconds(child.id()) - used,
            system_seconds: seconds("s:"),
        })
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.wait(); // there is nothing to be done about it
    }
}

/// The time that all threads of a process have run; not a number where the kernel does not tell.
/// The programs' own `OK` lines count hundredths of a second.
fn processor_seconds(process: u32) -> f64 {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let nanos = tasks.map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN)
    });
    nanos.sum::<f64>() / 1e9
}

/// Reads `count` replies; returns the last.
fn last_reply(replies: &mut BufReader<ChildStdout>, count: usize) -> Result<String, String> {
    let mut answered = 0;
    let mut line = Vec::new();
    while replies.read_until(b'\n', &mut line).map_err(|error| error.to_string())? > 0 {
        let text = || String::from_utf8_lossy(&line).into_owned();
        if line.starts_with(b"ERROR") {
            return Err(text());
        }
        answered += usize::from(line.starts_with(b"OK u:"));
        if answered == count {
            return Ok(text());
        }
        line.clear();
    }
    Err(format!("the program ended after {answered} of {count} replies"))
}

/// Calls a program by rrdtool's name, so that it uses rrdtool's messages.
trait AsRrdtool {
    fn arg0_rrdtool(&mut self) -> &mut Self;
}

impl AsRrdtool for Command {
    fn arg0_rrdtool(&mut self) -> &mut Self {
        std::os::unix::process::CommandExt::arg0(self, "rrdtool")
    }
}
