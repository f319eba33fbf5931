//! Real programs, real shells, real deadlines.
#![allow(clippy::disallowed_methods, reason = "a test: files, processes and the clock")]

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use programs::{Command, Ended, Full, Outcome, Output, Program, RunError, Runner, run};

/// So long may a loaded machine take for what takes no time.
const PATIENCE: Duration = Duration::from_secs(60);

fn shell(line: &str) -> Program {
    Program {
        command: Command::Shell(line.into()),
        environment: Vec::new(),
        time_max: PATIENCE,
        output: Output::Collected { bytes_max: 100 },
    }
}

fn hasty(line: &str) -> Program {
    Program { time_max: Duration::from_millis(300), ..shell(line) }
}

fn output(outcome: &Outcome) -> &str {
    str::from_utf8(&outcome.output).unwrap()
}

/// Whether a process exists that is not a zombie.
fn lives(pid: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat"));
    status.is_ok_and(|status| !status.rsplit(')').next().unwrap_or_default().starts_with(" Z"))
}

fn wait_until_dead(pid: &str) {
    let until = Instant::now() + PATIENCE;
    while lives(pid) {
        assert!(Instant::now() < until, "process {pid} lives");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_shell_gives_its_output_and_code() {
    let outcome = run(&shell("echo one; echo two; exit 3")).unwrap();
    assert_eq!(output(&outcome), "one\ntwo\n");
    assert_eq!(outcome.ended, Ended::Code(3));
    assert_eq!(outcome.ended.to_string(), "it ended with code 3");
    assert!(!outcome.is_output_cut);
    assert_eq!(run(&shell("kill -TERM $$")).unwrap().ended, Ended::Signal(15));
}

#[test]
fn a_file_gets_its_words_and_variables_untouched() {
    let words =
        ["-c", "printf '%s|' \"$@\" \"$GIVEN\" \"${HOME-none}\"", "sh", "a b", "", "$x 'y'"];
    let program = Program {
        command: Command::File {
            name: "sh".into(),
            arguments: words.iter().map(OsString::from).collect(),
        },
        environment: vec![("GIVEN".into(), Some("1 2".into())), ("HOME".into(), None)],
        ..shell("")
    };
    let outcome = run(&program).unwrap();
    assert_eq!(output(&outcome), "a b||$x 'y'|1 2|none|");
}

#[test]
fn standard_input_is_empty_and_the_group_its_own() {
    let outcome = run(&shell("cat; ps -o pgid= -p $$ | tr -d ' '; echo $$")).unwrap();
    let [group, pid] = output(&outcome).lines().collect::<Vec<_>>()[..] else {
        panic!("two lines")
    };
    assert_eq!(group, pid);
}

#[test]
fn output_is_cut_at_its_bound_and_the_program_ends_undisturbed() {
    let outcome = run(&shell("head -c 1000000 /dev/zero; exit 7")).unwrap();
    assert_eq!((outcome.output.len(), outcome.ended), (100, Ended::Code(7)));
    assert!(outcome.is_output_cut);
    let endless = run(&hasty("exec cat /dev/zero")).unwrap();
    assert_eq!((endless.output.len(), endless.ended), (100, Ended::Deadline));
}

#[test]
fn the_deadline_takes_all_of_the_group() {
    // The shell waits for one child, and another holds its output and ignores what can be ignored.
    let line = "trap '' TERM HUP INT; sleep 1000 & echo $!; echo $$; sleep 1000; true";
    let outcome = run(&hasty(line)).unwrap();
    assert_eq!(outcome.ended, Ended::Deadline);
    assert_eq!(output(&outcome).lines().count(), 2);
    output(&outcome).lines().for_each(wait_until_dead);
    // The shell itself is gone at once, but what it left holds its output.
    let outcome = run(&hasty("sleep 1000 & echo $!")).unwrap();
    assert_eq!(outcome.ended, Ended::Deadline);
    wait_until_dead(output(&outcome));
}

#[test]
fn what_runs_in_the_background_of_a_program_with_shared_output_goes_on() {
    let directory = std::env::temp_dir().join(format!("gyre-programs-{}", std::process::id()));
    let line = format!("sleep 1000 & echo $! > {}", directory.display());
    let outcome = run(&Program { output: Output::Shared, ..shell(&line) }).unwrap();
    assert_eq!((outcome.ended, outcome.output.len()), (Ended::Code(0), 0));
    let pid = fs::read_to_string(&directory).unwrap();
    fs::remove_file(&directory).unwrap();
    assert!(lives(&pid));
    run(&shell(&format!("kill {pid}"))).unwrap();
    wait_until_dead(&pid);
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let command = Command::File { name: "/nowhere/alarm".into(), arguments: Vec::new() };
    let error = run(&Program { command, ..shell("") }).unwrap_err();
    assert!(matches!(error, RunError::Start { .. }));
    assert!(error.to_string().starts_with("cannot start /nowhere/alarm: No such file"), "{error}");
}

/// Submits a program whose outcome comes through the channel.
fn submit(runner: &Runner, program: Program) -> Result<Receiver<Outcome>, Full> {
    let (sender, receiver) = channel();
    runner.submit(program, move |outcome| sender.send(outcome.unwrap()).unwrap())?;
    Ok(receiver)
}

#[test]
fn a_runner_runs_side_by_side_up_to_its_limit_and_lets_so_many_wait() {
    let runner = Runner::new(2, 1).unwrap();
    let first = submit(&runner, shell("sleep 1000")).unwrap();
    // The second ends although the first does not.
    let second = submit(&runner, shell("echo 2")).unwrap();
    assert_eq!(output(&second.recv_timeout(PATIENCE).unwrap()), "2\n");
    let third = submit(&runner, shell("sleep 1000")).unwrap();
    let until = Instant::now() + PATIENCE;
    while runner.waiting() > 0 {
        assert!(Instant::now() < until, "the second thread does not come back");
        std::thread::yield_now();
    }
    let fourth = submit(&runner, shell("echo 4")).unwrap();
    assert_eq!(submit(&runner, shell("echo 5")).unwrap_err(), Full { waiting: 1 });
    assert_eq!(runner.waiting(), 1);
    runner.end(Duration::ZERO);
    for outcome in [first, third, fourth] {
        assert_eq!(outcome.recv_timeout(PATIENCE).unwrap().ended, Ended::Stopped);
    }
}

#[test]
fn a_runner_ends_at_once_when_all_have_ended() {
    let runner = Runner::new(3, 100).unwrap();
    let all: Vec<_> =
        (0..20).map(|nth| submit(&runner, shell(&format!("echo {nth}"))).unwrap()).collect();
    runner.end(PATIENCE);
    for (nth, outcome) in all.iter().enumerate() {
        let outcome = outcome.try_recv().unwrap();
        assert_eq!((output(&outcome), outcome.ended), (&*format!("{nth}\n"), Ended::Code(0)));
    }
}

#[test]
fn programs_of_one_lane_run_in_order_and_those_of_others_beside_them() {
    let runner = Runner::new(4, 100).unwrap();
    let (sender, ended) = channel();
    let submit = |lane: u64, line: &str| {
        let sender = sender.clone();
        let then = move |outcome: Result<Outcome, RunError>| {
            sender.send(output(&outcome.unwrap()).to_owned()).unwrap();
        };
        runner.submit_behind(lane, shell(line), then).unwrap();
    };
    submit(1, "sleep 0.3; echo slow");
    (0..5).for_each(|nth| submit(1, &format!("echo {nth}")));
    submit(2, "echo beside");
    let all: Vec<String> = (0..7).map(|_| ended.recv_timeout(PATIENCE).unwrap()).collect();
    assert_eq!(all.concat(), "beside\nslow\n0\n1\n2\n3\n4\n");
    runner.end(PATIENCE);
}

/// A shell that stops the strace that follows it, and is held by it then, even if it is killed.
const HELD: &str = "echo $$ > PLACE; exec STRACE -DD -qq -o /dev/null -e trace=none \
    sh -c 'tracer=$(sed -n s/TracerPid:.//p /proc/$$/status); kill -STOP $tracer; sleep 1000'";

#[test]
fn a_program_that_a_kill_does_not_end_takes_no_others_place() {
    let Some(strace) = oracle::program("strace", "programs that a kill does not end") else {
        return;
    };
    let place = std::env::temp_dir().join(format!("gyre-held-{}", std::process::id()));
    let line = HELD.replace("PLACE", place.to_str().unwrap());
    let line = line.replace("STRACE", strace.to_str().unwrap());
    let runner = Runner::new(1, 10).unwrap();
    // A loaded machine may need longer to start strace.
    let held = [1, 4, 16].into_iter().find_map(|seconds| {
        let program = Program { time_max: Duration::from_secs(seconds), ..shell(&line) };
        let held = submit(&runner, program).unwrap();
        // There is one thread alone, which this one waits for.
        let other = submit(&runner, shell("echo other")).unwrap();
        assert_eq!(output(&other.recv_timeout(PATIENCE).unwrap()), "other\n");
        held.try_recv().is_err().then_some(held)
    });
    let held = held.expect("a program that is held");
    let pid = fs::read_to_string(&place).unwrap();
    fs::remove_file(&place).unwrap();
    assert!(lives(&pid));
    let go_on = format!("kill -CONT $(sed -n s/TracerPid:.//p /proc/{}/status)", pid.trim());
    run(&shell(&go_on)).unwrap();
    assert_eq!(held.recv_timeout(PATIENCE).unwrap().ended, Ended::Deadline);
    runner.end(PATIENCE);
}
