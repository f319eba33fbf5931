//! Programs that tests start, wait for, halt and kill.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

/// How long a server may take until it answers.
const START_PATIENCE: Duration = Duration::from_secs(90);
const START_LOOK: Duration = Duration::from_millis(20);

/// Runs a command to its end.
///
/// # Panics
///
/// If it fails.
pub(crate) fn succeed(command: &mut Command) -> Output {
    let output = command.stdin(Stdio::null()).output().expect("the program starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{told}", output.status);
    output
}

/// Makes a command run as another user if this program is run by root, and end with this process.
pub(crate) fn own(program: &Path, user: Option<&str>) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]);
    if let Some(user) = user.filter(|_| is_root()) {
        command.arg(format!("--reuid={user}")).arg(format!("--regid={user}")).arg("--init-groups");
    }
    command.arg("--").arg(program);
    command
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A command to start, and where its process goes.
struct Order {
    command: Command,
    started: Sender<std::io::Result<Child>>,
}

/// Starts a program from a thread that lives as long as this process: the kernel sends the signal
/// of [`own`] when the thread ends that started the program.
pub(crate) fn spawn(command: Command) -> Child {
    static STARTER: OnceLock<Mutex<Sender<Order>>> = OnceLock::new();
    let starter = STARTER.get_or_init(|| {
        let (orders, waiting) = channel();
        std::thread::spawn(move || start_all(&waiting));
        Mutex::new(orders)
    });
    let (started, answer) = channel();
    let order = Order { command, started };
    starter.lock().expect("no thread panics with it").send(order).expect("the starter lives");
    answer.recv().expect("the starter answers").expect("the program starts")
}

fn start_all(waiting: &Receiver<Order>) {
    for mut order in waiting {
        let _ = order.started.send(order.command.spawn()); // whoever asked may have panicked
    }
}

/// Waits until a server answers.
///
/// # Panics
///
/// If it ends, or does not answer in a long time; with the last lines of its log.
pub(crate) fn wait_until(child: &mut Child, log: &Path, answers: impl Fn() -> bool) {
    let start = Instant::now();
    while !answers() {
        let ended = child.try_wait().expect("it can be asked");
        let late = start.elapsed() > START_PATIENCE;
        assert!(ended.is_none() && !late, "no answer ({ended:?}):\n{}", tail(log));
        std::thread::sleep(START_LOOK);
    }
}

fn tail(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

/// Sends a signal to a process and all its descendants.
pub(crate) fn signal_family(process: u32, signal: Signal) {
    for member in family(process) {
        if let Some(pid) = i32::try_from(member).ok().and_then(Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, signal); // it may have ended
        }
    }
}

/// A process and all its descendants, it first.
pub(crate) fn family(process: u32) -> Vec<u32> {
    let parents = parents();
    let mut family = vec![process];
    let mut known = 0;
    while let Some(&parent) = family.get(known) {
        family.extend(parents.iter().filter(|link| link.parent == parent).map(|link| link.child));
        known += 1;
    }
    family
}

/// A process, and the one that started it.
struct Link {
    child: u32,
    parent: u32,
}

fn parents() -> Vec<Link> {
    let entries = std::fs::read_dir("/proc").expect("Linux has /proc");
    entries.flatten().filter_map(|entry| link(entry.file_name().to_str()?.parse().ok()?)).collect()
}

fn link(child: u32) -> Option<Link> {
    let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).ok()?;
    let after_name = stat.rsplit_once(") ")?.1; // the name may hold blanks and brackets
    let parent = after_name.split(' ').nth(1)?.parse().ok()?;
    Some(Link { child, parent })
}
