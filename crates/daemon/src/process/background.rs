//! Life in the background.
//!
//! Forking a process that has threads is unsafe in Rust, and so the daemon is the same program
//! started once more, in a session of its own: it says a word when its sockets are there, and the
//! process that was called ends with that, or with its failure.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use crate::options::Refused;

/// Tells the process that it is the one in the background: the number of the one that was called.
const MARK: &str = "GYRE_RRDCACHED_PARENT";
/// The line that it sends once its sockets are there.
const READY: &[u8] = b"ready\n";
/// The number of the process that systemd's sockets are for.
const LISTEN_PID: &str = "LISTEN_PID";

/// Whether we are the process in the background.
pub(crate) fn is_behind() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Starts the process in the background, and waits until its sockets are there.
///
/// # Errors
/// It could not be started.
pub(crate) fn start() -> Result<ExitCode, Refused> {
    let failed = |error: io::Error| Refused::system(1, "starting in the background", &error);
    let program = std::env::current_exe().map_err(failed)?;
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_else(|| OsString::from("rrdcached"));
    let mut command = command(&program.into_os_string(), &name, words.collect());
    command.env(MARK, std::process::id().to_string());
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = started.map_err(failed)?;
    let mut said = Vec::new();
    if let Some(mut output) = child.stdout.take() {
        // It closes the pipe when it is ready, or ends.
        output.read_to_end(&mut said).map_err(failed)?;
    }
    if said == READY {
        return Ok(ExitCode::SUCCESS);
    }
    let status = child.wait().map_err(failed)?;
    let code = status.code().and_then(|code| u8::try_from(code).ok()).filter(|code| *code > 0);
    Ok(ExitCode::from(code.unwrap_or(1)))
}

/// The same program with the same words. Sockets of systemd's are for the process that it names,
/// whose number is known once it runs: a shell tells it, and becomes that process.
fn command(program: &OsString, name: &OsString, words: Vec<OsString>) -> Command {
    use std::os::unix::process::CommandExt as _;

    let own = std::process::id().to_string();
    if std::env::var(LISTEN_PID).is_ok_and(|process| process == own) {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "LISTEN_PID=$$ exec \"$0\" \"$@\""]).arg(program);
        // The shell cannot give it the name by which gyre knows the verb.
        let is_called = |path: &OsString| Path::new(path).file_name() == Some("rrdcached".as_ref());
        if is_called(name) && !is_called(program) {
            command.arg("rrdcached");
        }
        command.args(words);
        return command;
    }
    let mut command = Command::new(program);
    command.arg0(name).args(words);
    command
}

/// Leaves the session of the process that started this one. To be called first.
pub(crate) fn leave_session() {
    // A process that leads a session is in the background already.
    let _ = rustix::process::setsid();
}

/// Tells the process that was called that the sockets are there, and lets go of its terminal.
///
/// # Errors
/// It cannot be told.
pub(crate) fn tell_ready() -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(READY)?;
    out.flush()?;
    let nothing = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}
