//! Who updates the file: gyre, or a program that speaks rrdtool's pipe mode.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rrd::{Definition, Sample, Timestamp};
use store::{Access, RrdFile};

/// Every source reads this: a counter that stands still, a gauge of one.
const READING: &str = "1";

/// Opens the file, updates it and closes it.
pub(super) struct Engine {
    path: PathBuf,
    readings: Vec<&'static str>,
    pipe: Option<Pipe>,
}

impl Engine {
    pub(super) fn new(
        program: Option<&Path>,
        path: &Path,
        definition: &Definition,
    ) -> Result<Self, String> {
        let sources = definition.sources.iter();
        let readings =
            sources.filter(|source| source.kind.takes_readings()).map(|_| READING).collect();
        let pipe = program.map(|program| Pipe::start(program, path)).transpose()?;
        Ok(Self { path: path.into(), readings, pipe })
    }

    pub(super) fn update(&mut self, now_seconds: u64) -> Result<(), String> {
        if let Some(pipe) = &mut self.pipe {
            return pipe.update(now_seconds, &self.readings);
        }
        let time = Timestamp::from_seconds(now_seconds.cast_signed());
        let updated = RrdFile::open(&self.path, Access::Update).and_then(|mut file| {
            file.append(&Sample { time, readings: &self.readings })?;
            file.commit()
        });
        updated.map_err(|error| error.to_string())
    }
}

/// A program that takes commands line by line, in the file's directory.
struct Pipe {
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
