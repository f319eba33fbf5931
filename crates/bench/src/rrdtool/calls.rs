//! The replies of the pipe mode, and its number of system calls.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::{Pair, run};

/// All replies to these commands.
pub(super) fn answers(pair: &Pair, who: usize, commands: &str) -> Result<Vec<u8>, String> {
    let mut command = run(&pair.programs[who], &pair.directories[who]);
    fed(command.arg("-"), commands)
}

/// System calls for a command, counted by `strace`, without those of the program's start; `None`
/// without `strace`.
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
    // The extra calls of the first command of a process count as part of the start.
    let before = traced(pair, who, one)?;
    let all = traced(pair, who, &format!("{one}{rest}"));
    Ok(Some((all? - before) as f64 / (count - 1) as f64))
}

fn traced(pair: &Pair, who: usize, commands: &str) -> Result<usize, String> {
    let log = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    let directory = &pair.directories[who];
    // A symbolic link with rrdtool's name, because strace passes no other name on.
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
