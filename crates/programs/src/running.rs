//! One program, from its start to its end.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::cut::Cut;
use crate::output::Collecting;
use crate::program::{Command, Ended, Outcome, Output, Program, RunError};

/// Runs a program and waits for its end.
///
/// # Errors
///
/// It cannot be started, or the system refuses to tell of it.
pub fn run(program: &Program) -> Result<Outcome, RunError> {
    run_until(program, None)
}

/// Runs a program until it ends, its deadline comes, or the cut is made.
pub(crate) fn run_until(program: &Program, cut: Option<&Cut>) -> Result<Outcome, RunError> {
    let started = Instant::now();
    let child = start(program).map_err(|cause| RunError::Start { name: program.name(), cause })?;
    let wait = |cause| RunError::Wait { name: program.name(), cause };
    let mut group = Group(child);
    let watched = Watched::new(&mut group.0, program.output).map_err(wait)?;
    watched.until_end(&mut group, started, program.time_max, cut).map_err(wait)
}

fn start(program: &Program) -> io::Result<Child> {
    let mut command = match &program.command {
        Command::Shell(line) => {
            let mut shell = std::process::Command::new("/bin/sh");
            shell.arg("-c").arg(line);
            shell
        }
        Command::File { name, arguments } => {
            let mut file = std::process::Command::new(name);
            file.args(arguments);
            file
        }
    };
    for (name, value) in &program.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = match program.output {
        Output::Shared => Stdio::from(io::stderr()),
        Output::Collected { .. } => Stdio::piped(),
    };
    command.stdin(Stdio::null()).stdout(output).process_group(0).spawn()
}

/// A program and its process group. Both are gone when this goes.
///
/// The program's own process is reaped last: until then its number, which is the group's, belongs
/// to no other.
struct Group(Child);

impl Group {
    fn pid(&self) -> io::Result<Pid> {
        Pid::from_raw(self.0.id() as i32).ok_or_else(|| io::Error::other("a process has number 0"))
    }

    fn kill(&self) {
        if let Ok(pid) = self.pid() {
            // It fails if all of the group have ended.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            self.kill();
            let _ = self.0.wait();
        }
    }
}

/// What tells of a running program.
struct Watched {
    process: OwnedFd,
    output: Collecting,
}

impl Watched {
    fn new(child: &mut Child, output: Output) -> io::Result<Self> {
        let bytes_max = match output {
            Output::Shared => 0,
            Output::Collected { bytes_max } => bytes_max,
        };
        let output = Collecting::new(child.stdout.take(), bytes_max)?;
        let pid = Pid::from_raw(child.id() as i32)
            .ok_or_else(|| io::Error::other("a process has number 0"))?;
        Ok(Self { process: pidfd_open(pid, PidfdFlags::empty())?, output })
    }

    fn until_end(
        mut self,
        group: &mut Group,
        started: Instant,
        time_max: Duration,
        cut: Option<&Cut>,
    ) -> io::Result<Outcome> {
        let killed = loop {
            let left = time_max.saturating_sub(started.elapsed());
            if left.is_zero() {
                break Some(Ended::Deadline);
            }
            let seen = self.wait(left, cut)?;
            if seen.is_cut {
                break Some(Ended::Stopped);
            }
            if seen.has_output {
                self.output.take()?;
            } else if seen.has_ended {
                break None;
            }
        };
        if killed.is_some() {
            group.kill();
        }
        let status = group.0.wait()?;
        Ok(Outcome {
            ended: killed.unwrap_or(Ended::by_itself(status)),
            output: self.output.bytes,
            is_output_cut: self.output.is_cut,
            took: started.elapsed(),
        })
    }

    /// Waits for output, or for the process's end once there is no more output to come.
    fn wait(&self, time: Duration, cut: Option<&Cut>) -> io::Result<Seen> {
        let (pipe, process) = (self.output.pipe(), &self.process);
        let watched = match &pipe {
            Some(pipe) => PollFd::new(pipe, PollFlags::IN),
            None => PollFd::new(process, PollFlags::IN),
        };
        let mut all = vec![watched];
        let cut = cut.map(Cut::descriptor);
        all.extend(cut.as_ref().map(|cut| PollFd::new(cut, PollFlags::IN)));
        let time = Timespec::try_from(time).ok();
        match poll(&mut all, time.as_ref()) {
            Err(rustix::io::Errno::INTR) => return Ok(Seen::default()),
            polled => polled?,
        };
        let is_ready = |nth: usize| all.get(nth).is_some_and(|each| !each.revents().is_empty());
        Ok(Seen {
            has_output: pipe.is_some() && is_ready(0),
            has_ended: pipe.is_none() && is_ready(0),
            is_cut: is_ready(1),
        })
    }
}

/// What a wait has seen.
#[derive(Default)]
struct Seen {
    has_output: bool,
    has_ended: bool,
    is_cut: bool,
}
