//! One program, from its start to its end.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::cut::Cut;
use crate::output::Collecting;
use crate::program::{Command, Ended, Outcome, Output, Program, RunError};

/// After its kill, a program is given so long to end before it counts as stuck.
pub(crate) const STUCK_AFTER: Duration = Duration::from_secs(5);

/// What an error leaves is waited for so long, so that it leaves no zombie.
const REAP_TIME_MAX: Duration = Duration::from_secs(1);

/// Runs a program and waits for its end, even if it is stuck in the kernel after its kill.
///
/// # Errors
///
/// It cannot be started, or the system refuses to tell of it.
pub fn run(program: &Program) -> Result<Outcome, RunError> {
    run_until(program, None, &|| ())
}

/// Runs a program until it ends, its deadline comes, or the cut is made. `stuck` is called if it was
/// killed and has not ended a while later: a process that waits for a device, for instance, ends
/// when that answers.
pub(crate) fn run_until(
    program: &Program,
    cut: Option<&Cut>,
    stuck: &dyn Fn(),
) -> Result<Outcome, RunError> {
    let started = Instant::now();
    let child = start(program).map_err(|cause| RunError::Start { name: program.name(), cause })?;
    let wait = |cause| RunError::Wait { name: program.name(), cause };
    let mut group = Group { leader: child, is_reaped: false };
    let mut watched = Watched::new(&mut group.leader, program.output).map_err(wait)?;
    let killed = watched.until_end(started, program.time_max, cut).map_err(wait)?;
    if killed.is_some() {
        group.kill();
        if !watched.ends_within(STUCK_AFTER).map_err(wait)? {
            stuck();
        }
    }
    let status = group.reap().map_err(wait)?;
    Ok(Outcome {
        ended: killed.unwrap_or(Ended::by_itself(status)),
        output: watched.output.bytes,
        is_output_cut: watched.output.is_cut,
        took: started.elapsed(),
    })
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

/// A program and its process group. Both are gone when this goes, unless the program has ended by
/// itself and was reaped.
///
/// The program's own process is reaped last: until then its number, which is the group's, belongs
/// to no other.
struct Group {
    leader: Child,
    is_reaped: bool,
}

impl Group {
    fn kill(&mut self) {
        if let Some(pid) = Pid::from_raw(self.leader.id() as i32) {
            // It fails if all of the group have ended.
            let _ = kill_process_group(pid, Signal::KILL);
        }
        // The program may have left its group.
        let _ = self.leader.kill();
    }

    fn reap(&mut self) -> io::Result<ExitStatus> {
        let status = self.leader.wait()?;
        self.is_reaped = true;
        Ok(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.is_reaped {
            return;
        }
        // Before the leader is reaped, even if it has ended: others of its group may live.
        self.kill();
        let until = Instant::now() + REAP_TIME_MAX;
        while matches!(self.leader.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
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

    /// Waits until the program has ended by itself, or says for what it is to be killed.
    fn until_end(
        &mut self,
        started: Instant,
        time_max: Duration,
        cut: Option<&Cut>,
    ) -> io::Result<Option<Ended>> {
        loop {
            let left = time_max.saturating_sub(started.elapsed());
            if left.is_zero() {
                return Ok(Some(Ended::Deadline));
            }
            let seen = self.wait(left, cut)?;
            if seen.is_cut {
                return Ok(Some(Ended::Stopped));
            }
            if seen.has_output {
                self.output.take()?;
            } else if seen.has_ended {
                return Ok(None);
            }
        }
    }

    /// Whether the process ends within that time.
    fn ends_within(&self, time: Duration) -> io::Result<bool> {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let mut all = [PollFd::new(&self.process, PollFlags::IN)];
            match poll(&mut all, Timespec::try_from(left).ok().as_ref()) {
                Err(rustix::io::Errno::INTR) => {}
                polled => return Ok(polled? > 0),
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader, Read as _};

    /// As after an error: the program's own process has ended and nobody has reaped it, and one that
    /// it started lives.
    #[test]
    fn what_a_program_started_goes_with_its_group() {
        let program = Program {
            command: Command::Shell("sleep 60 & echo started".into()),
            environment: Vec::new(),
            time_max: Duration::from_secs(60),
            output: Output::Collected { bytes_max: 100 },
        };
        let mut leader = start(&program).unwrap();
        let mut output = BufReader::new(leader.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "started\n");
        let pid = Pid::from_child(&leader);
        let process = pidfd_open(pid, PidfdFlags::empty()).unwrap();
        poll(&mut [PollFd::new(&process, PollFlags::IN)], None).unwrap();
        drop(Group { leader, is_reaped: false });
        // The sleeping process had the pipe open: its end ends this.
        let begun = Instant::now();
        assert_eq!(output.read(&mut [0]).unwrap(), 0);
        assert!(begun.elapsed() < Duration::from_secs(50));
    }
}
