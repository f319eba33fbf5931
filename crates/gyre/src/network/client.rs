//! `gyre network control`: tells a running network what to do.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use options::{CommandLine, Misuse};
use rrdcached::SocketName;
use rrdtool::system_words;

use crate::command_line::{Unprinted, answer, ended, understood};

pub(super) const LINE: CommandLine<()> = CommandLine {
    synopsis: "gyre network control PATH [COMMAND...]",
    summary: "Tells the network that runs with --control PATH a command, and prints its answer. \
              Without a command, standard input has one in each line. `gyre network control PATH \
              help` lists the commands. The exit status is 1 if a command is refused.",
    options: &[],
    notes: "\
examples:
  gyre network control /run/net.sock fault loss=10%:1-100
  gyre network control /run/net.sock list
  gyre network control /run/net.sock mend all:all
",
};

/// Why nothing was told, or not all.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{}: no network answers there: {}", path.display(), system_words(cause))]
    Unreached { path: PathBuf, cause: io::Error },
    #[error("the connection to the network broke: {}", system_words(.0))]
    Broken(#[from] io::Error),
    #[error("the network ended the connection without an answer")]
    Unanswered,
    #[error("a command was refused")]
    Refused,
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

struct Wanted {
    path: PathBuf,
    /// Empty: standard input has them.
    command: String,
}

/// The verb: `words` are those behind `gyre network control`.
pub(super) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    match understood(&LINE, parse(words)) {
        // The network's own words were printed.
        Ok(wanted) => match tell(&wanted) {
            Err(Error::Refused) => ExitCode::FAILURE,
            told => ended(&LINE, told),
        },
        Err(code) => code,
    }
}

fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some(((), operands)) = LINE.read(words)? else { return Ok(None) };
    let mut operands = operands.into_iter();
    let path = operands.next().ok_or_else(|| Misuse::operands("PATH [COMMAND...]"))?;
    let command = options::texts(operands.collect())?.join(" ");
    // It would be several commands.
    if command.contains('\n') {
        return Err(Misuse::words("a command of one line", command.escape_debug()));
    }
    Ok(Some(Wanted { path: path.into(), command }))
}

fn tell(Wanted { path, command }: &Wanted) -> Result<(), Error> {
    let stream = connect(path)?;
    let mut writer = stream.try_clone()?;
    if command.is_empty() {
        // The thread ends with the process, if the network ends first.
        let thread = std::thread::Builder::new().name("gyre-commands".to_owned());
        thread.spawn(move || {
            let _ = io::copy(&mut io::stdin(), &mut writer); // the reader meets the broken connection
            let _ = writer.shutdown(Shutdown::Write);
        })?;
    } else {
        writer.write_all(format!("{command}\n").as_bytes())?;
        writer.shutdown(Shutdown::Write)?;
    }
    let (mut was_answered, mut was_refused) = (false, false);
    for line in BufReader::new(stream).lines() {
        let line = line?;
        was_answered = true;
        was_refused |= line.starts_with("error: ") || line.starts_with("{\"error\":");
        answer(&format!("{line}\n"))?;
    }
    match (was_answered || command.is_empty(), was_refused) {
        (false, _) => Err(Error::Unanswered),
        (true, true) => Err(Error::Refused),
        (true, false) => Ok(()),
    }
}

fn connect(path: &Path) -> Result<UnixStream, Error> {
    let connected = SocketName::of(path).and_then(|name| UnixStream::connect(name.path()));
    connected.map_err(|cause| Error::Unreached { path: path.to_owned(), cause })
}
