//! The other side of the pipe mode: commands for rrdtool, or for a program that takes them as it
//! does.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::system_words;

/// Why an update was not made.
#[derive(Debug, thiserror::Error)]
pub enum PipeError {
    /// The system failed.
    #[error("{action} {}: {}", program.display(), system_words(error))]
    Io {
        /// What was tried.
        action: &'static str,
        /// The program.
        program: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The program ended instead of answering.
    #[error("{} ended at {arguments}", program.display())]
    Ended {
        /// The program.
        program: PathBuf,
        /// The update.
        arguments: String,
    },
    /// The program refused the update.
    #[error("{} at {arguments}: {words}", program.display())]
    Refused {
        /// The program.
        program: PathBuf,
        /// The update.
        arguments: String,
        /// What the program said.
        words: String,
    },
}

/// A running `rrdtool -` in a directory: a command is cut at blanks, so that files go by their own
/// names, whatever those of the directories above hold.
#[derive(Debug)]
pub struct PipeClient {
    program: PathBuf,
    child: Child,
    commands: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl PipeClient {
    /// Starts a program in the directory of its files.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(program: &Path, directory: &Path) -> Result<Self, PipeError> {
        let failed = |error| PipeError::Io { action: "starting", program: program.into(), error };
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
    #[must_use]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Updates a file of its directory; `arguments` is `TIME:VALUE:...`, one or more.
    ///
    /// # Errors
    /// What the program says, or that it ended.
    pub fn update(&mut self, file_name: &str, arguments: &str) -> Result<(), PipeError> {
        let Self { program, commands, replies, .. } = self;
        let program = &*program;
        let failed =
            |action| move |error| PipeError::Io { action, program: program.clone(), error };
        let written = writeln!(commands, "update {file_name} {arguments}");
        written.map_err(failed("writing to"))?;
        loop {
            let mut line = String::new();
            if replies.read_line(&mut line).map_err(failed("reading"))? == 0 {
                let (program, arguments) = (program.clone(), arguments.to_owned());
                return Err(PipeError::Ended { program, arguments });
            }
            if line.starts_with("OK ") {
                return Ok(());
            }
            if line.starts_with("ERROR: ") {
                let (program, arguments) = (program.clone(), arguments.to_owned());
                let words = line.trim_end().to_owned();
                return Err(PipeError::Refused { program, arguments, words });
            }
        }
    }
}

impl Drop for PipeClient {
    fn drop(&mut self) {
        let _ = writeln!(self.commands, "quit"); // it may have ended already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::PipeClient;

    #[test]
    fn a_program_that_ends_is_named() {
        let mut client = PipeClient::start("true".as_ref(), "/".as_ref()).unwrap();
        let told = client.update("x.rrd", "1:2").unwrap_err().to_string();
        assert!(told.contains("true"), "{told}");
    }
}
