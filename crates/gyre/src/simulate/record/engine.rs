//! Who updates the file: gyre, or a program that speaks rrdtool's pipe mode.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rrd::{Definition, Sample, Timestamp};
use store::{Access, Io, Locking, RrdFile};

use super::Updater;

/// Every source reads this: a counter that stands still, a gauge of one.
const READING: &str = "1";

/// Opens the file, updates it and closes it.
pub(super) enum Engine {
    Gyre { path: PathBuf, io: Io, readings: Vec<&'static str> },
    Program { pipe: Pipe, readings: Vec<&'static str> },
}

impl Engine {
    pub(super) fn new(
        updater: &Updater,
        path: &Path,
        definition: &Definition,
    ) -> Result<Self, String> {
        let readings = readings(definition);
        match updater {
            Updater::Gyre(io) => Ok(Self::Gyre { path: path.into(), io: *io, readings }),
            Updater::Program(program) => {
                Ok(Self::Program { pipe: Pipe::start(program, path)?, readings })
            }
        }
    }

    pub(super) fn update(&mut self, now_seconds: u64) -> Result<(), String> {
        match self {
            Self::Program { pipe, readings } => pipe.update(now_seconds, readings),
            Self::Gyre { path, io, readings } => {
                let time = Timestamp::from_seconds(now_seconds.cast_signed());
                let file = RrdFile::open_by(path, Access::Update, Locking::Try, *io);
                let updated = file.and_then(|mut file| {
                    file.append(&Sample { time, readings })?;
                    file.commit()
                });
                updated.map_err(|error| error.to_string())
            }
        }
    }
}

/// One for each source that takes any.
fn readings(definition: &Definition) -> Vec<&'static str> {
    let sources = definition.sources.iter();
    sources.filter(|source| source.kind.takes_readings()).map(|_| READING).collect()
}

/// A program that takes commands line by line, in the file's directory.
pub(super) struct Pipe {
    program: PathBuf,
    file_name: String,
    child: Child,
    commands: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Pipe {
    fn start(program: &Path, path: &Path) -> Result<Self, String> {
        let failed = |error| format!("starting {}: {error}", program.display());
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let mut command = Command::new(program);
        command.arg("-").stdin(Stdio::piped()).stdout(Stdio::piped());
        command.current_dir(directory.unwrap_or(Path::new("."))).env("LC_ALL", "C");
        let mut child = command.spawn().map_err(failed)?;
        let (commands, replies) = (child.stdin.take(), child.stdout.take());
        let commands = commands.expect("stdin is a pipe");
        let replies = BufReader::new(replies.expect("stdout is a pipe"));
        let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { program: program.into(), file_name, child, commands, replies })
    }

    fn update(&mut self, now_seconds: u64, readings: &[&str]) -> Result<(), String> {
        let readings = readings.join(":");
        let Self { program, file_name, commands, .. } = self;
        let written = writeln!(commands, "update {file_name} {now_seconds}:{readings}");
        written.map_err(|error| format!("writing to {}: {error}", program.display()))?;
        loop {
            let mut line = String::new();
            let read = self.replies.read_line(&mut line);
            let read = read.map_err(|error| format!("reading {}: {error}", program.display()))?;
            if read == 0 {
                return Err(format!("{} ended at {now_seconds}", program.display()));
            }
            if line.starts_with("OK ") {
                return Ok(());
            }
            if line.starts_with("ERROR: ") {
                return Err(format!("{} at {now_seconds}: {}", program.display(), line.trim_end()));
            }
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = writeln!(self.commands, "quit"); // it may have ended already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
