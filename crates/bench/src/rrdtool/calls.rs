//! What the pipe mode answers, and with how many system calls.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::{Pair, run};

/// Everything that is answered.
pub(super) fn answers(pair: &Pair, who: usize, commands: &str) -> Result<Vec<u8>, String> {
    let mut command = run(&pair.programs[who], &pair.directories[who]);
    fed(command.arg("-"), commands)
}

/// System calls for a command, as `strace` counts them, those of the start left out; `None` without
/// it.
pub(super) fn per_command(
    pair: &Pair,
    who: usize,
    commands: &str,
    count: usize,
) -> Result<Option<f64>, String> {
    if oracle::program("strace", "the number of system calls").is_none() {
        return Ok(None);
    }
    let one = commands.split_inclusive('\n').next().unwrap_or_default();
    let rest = &commands[one.len()..];
    // What the first command of a process costs more is of the start.
    let before = traced(pair, who, one)?;
    let all = traced(pair, who, &format!("{one}{rest}"));
    Ok(Some((all? - before) as f64 / (count - 1) as f64))
}

fn traced(pair: &Pair, who: usize, commands: &str) -> Result<usize, String> {
    let log = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    let directory = &pair.directories[who];
    // A name that says rrdtool: strace hands on no other.
    let name = directory.join("rrdtool");
    if !name.exists() {
        std::os::unix::fs::symlink(&pair.programs[who], &name)
            .map_err(|error| error.to_string())?;
    }
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(log.path()).arg(&name).arg("-");
    command.current_dir(directory).env("TZ", "UTC").env("LC_ALL", "C");
    fed(&mut command, commands)?;
    let log = std::fs::read(log.path()).map_err(|error| error.to_string())?;
    let log = String::from_utf8_lossy(&log);
    Ok(log.lines().filter(|line| !line.contains(" resumed>")).count())
}

fn fed(command: &mut Command, commands: &str) -> Result<Vec<u8>, String> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(commands.as_bytes()));
        child.wait_with_output().map(|output| output.stdout).map_err(|error| error.to_string())
    })
}
