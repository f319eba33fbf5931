//! rrdtool, or a program that takes its commands as it does: updates over a pipe.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Whether there is Debian's.
pub(crate) fn is_here() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join("rrdtool").is_file())
}

/// What is left out where there is none.
pub(crate) fn missing() -> Vec<String> {
    match is_here() {
        true => Vec::new(),
        false => vec!["rrdtool's own updates: there is no rrdtool here".into()],
    }
}

/// A running `rrdtool -` in a directory: a command is cut at blanks, so that files go by their own
/// names, whatever those of the directories above hold.
#[derive(Debug)]
pub struct Pipe {
    program: PathBuf,
    child: Child,
    commands: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Pipe {
    /// Starts a program in the directory of its files.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(program: &Path, directory: &Path) -> Result<Self, String> {
        let failed = |error| format!("starting {}: {error}", program.display());
        let mut command = Command::new(program);
        command.arg("-").stdin(Stdio::piped()).stdout(Stdio::piped());
        command.current_dir(directory).env("LC_ALL", "C");
        let mut child = command.spawn().map_err(failed)?;
        let (commands, replies) = (child.stdin.take(), child.stdout.take());
        let commands = commands.expect("stdin is a pipe");
        let replies = BufReader::new(replies.expect("stdout is a pipe"));
        Ok(Self { program: program.into(), child, commands, replies })
    }

    /// Its number, under which the kernel counts for it.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Updates a file of its directory; `arguments` is `TIME:VALUE:...`, one or more.
    ///
    /// # Errors
    /// What the program says, or that it ended.
    pub fn update(&mut self, file_name: &str, arguments: &str) -> Result<(), String> {
        let Self { program, commands, replies, .. } = self;
        let written = writeln!(commands, "update {file_name} {arguments}");
        written.map_err(|error| format!("writing to {}: {error}", program.display()))?;
        loop {
            let mut line = String::new();
            let read = replies.read_line(&mut line);
            let read = read.map_err(|error| format!("reading {}: {error}", program.display()))?;
            if read == 0 {
                return Err(format!("{} ended at {arguments}", program.display()));
            }
            if line.starts_with("OK ") {
                return Ok(());
            }
            if line.starts_with("ERROR: ") {
                return Err(format!("{} at {arguments}: {}", program.display(), line.trim_end()));
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

#[cfg(test)]
mod tests {
    use super::{Pipe, is_here};
    use crate::files::{Clocks, Files};
    use crate::layouts::Layout;
    use crate::updating::{Readings, Updater};
    use crate::ways::RRDTOOL;

    const MIDNIGHT_SECONDS: u64 = 1_767_225_600;

    #[test]
    fn files_are_updated_below_a_name_with_blanks() {
        if !is_here() {
            assert!(std::env::var_os("CI").is_none(), "there is no rrdtool here");
            eprintln!("NOT TESTED, updates by rrdtool: there is none here");
            return;
        }
        let directory = tempfile::Builder::new().prefix("blanks in \"it ").tempdir().unwrap();
        std::fs::create_dir(directory.path().join(Layout::Mrtg.name())).unwrap();
        let mut files = Files {
            directory: directory.path().join(Layout::Mrtg.name()),
            layout: Layout::Mrtg,
            count: 1,
            last_seconds: MIDNIGHT_SECONDS,
            clocks: Clocks::Together,
        };
        let start = rrd::Timestamp::from_seconds(MIDNIGHT_SECONDS as i64);
        files::create(&files.path(0), &Layout::Mrtg.definition(), start, store::Existing::Keep)
            .unwrap();
        files.last_seconds += 300;
        let mut updater = Updater::new(RRDTOOL, &files).unwrap();
        updater.update(&files.path(0), &[Readings::at(&files)]).unwrap();
        let again = updater.update(&files.path(0), &[Readings::at(&files)]).unwrap_err();
        assert!(again.contains("minimum one second step"), "{again}");
    }

    #[test]
    fn a_program_that_ends_is_named() {
        let mut pipe = Pipe::start("true".as_ref(), "/".as_ref()).unwrap();
        let told = pipe.update("x.rrd", "1:2").unwrap_err();
        assert!(told.contains("true"), "{told}");
    }
}
