//! The client's side of rrdcached: both libraries before both daemons.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::c_programs::{compiled, has_debian};
use crate::library::{Library, assert_same, place};

/// Who is before whom; the first is Debian's alone.
pub(crate) const CROSSINGS: [(Library, Whose); 4] = [
    (Library::Debian, Whose::Debian),
    (Library::Ours, Whose::Debian),
    (Library::Debian, Whose::Ours),
    (Library::Ours, Whose::Ours),
];

/// Whose daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    Debian,
    Ours,
}

impl Whose {
    /// A command that runs the daemon with these options.
    fn command(self, options: &[String]) -> Option<Command> {
        let mut command = Command::new("timeout");
        command.args(["--foreground", "120"]);
        match self {
            Self::Debian => {
                let rrdcached = oracle::program("rrdcached", "our library as its client")?;
                command.arg(rrdcached).args(options);
            }
            Self::Ours => {
                command.arg(std::env::current_exe().expect("a test has a place"));
                command.args(["--ignored", "--exact", "daemon::ours"]);
                command.env(OPTIONS, options.join("\n"));
            }
        }
        Some(command)
    }
}

/// What our daemon is told, an option a line.
const OPTIONS: &str = "GYRE_TEST_DAEMON_OPTIONS";

/// Our daemon itself, in a process of its own: this library's tests have no binary of gyre's.
#[test]
#[ignore = "it is what other tests are clients of"]
fn ours() {
    let Ok(options) = std::env::var(OPTIONS) else { return };
    let options: Vec<&str> = options.lines().collect();
    let ended = daemon::program::run("rrdcached", &options, daemon::Brought::default());
    assert_eq!(format!("{ended:?}"), format!("{:?}", std::process::ExitCode::SUCCESS));
}

/// An rrdcached in a directory. It ends with the test, and by `timeout` in any case.
pub(crate) struct Daemon(Child);

impl Daemon {
    /// Starts it; it listens at `socket` in the directory, where its files are. `None` after
    /// telling what is not tested without it.
    pub(crate) fn start(whose: Whose, directory: &Path) -> Option<Self> {
        let place = directory.display();
        let paths =
            [format!("-l{}", address(directory)), format!("-b{place}"), format!("-p{place}/pid")];
        let usual = ["-g", "-w1000", "-f3600"].map(str::to_owned);
        Self::start_with(whose, &[&usual[..], &paths[..]].concat(), &directory.join("socket"))
    }

    /// Starts it with these options; it listens at `socket`, among others.
    pub(crate) fn start_with(whose: Whose, options: &[String], socket: &Path) -> Option<Self> {
        let child = whose
            .command(options)?
            .env("TZ", "UTC")
            .env_remove("LD_LIBRARY_PATH")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let daemon = Self(child);
        let deadline = Instant::now() + Duration::from_secs(20);
        while !socket.exists() {
            assert!(Instant::now() < deadline, "rrdcached does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(daemon)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // To `timeout`, which hands it on.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

/// Where a daemon in this directory listens.
pub(crate) fn address(directory: &Path) -> String {
    format!("unix:{}", directory.join("socket").display())
}

#[test]
fn calls_through_a_daemon_answer_alike() {
    let programs = place();
    let Some(program) = compiled("daemon", programs.path()) else { return };
    if !has_debian() {
        return;
    }
    let place = programs.path().join("files");
    let said = CROSSINGS.map(|(library, whose)| {
        fresh(&place);
        let daemon = Daemon::start(whose, &place)?;
        let mut command = library.command(&program);
        let said = library.said(command.arg(address(&place)).current_dir(&place));
        drop(daemon);
        Some(said)
    });
    let [Some(debian), others @ ..] = said else { return };
    for (said, crossing) in others.into_iter().zip(&CROSSINGS[1..]) {
        println!("{crossing:?}");
        assert_same(&debian, &said.expect("Debian's daemon was there before"));
    }
}

/// An empty directory, the same for all: answers tell its name.
pub(crate) fn fresh(place: &Path) -> &Path {
    let _ = std::fs::remove_dir_all(place); // there is none the first time
    std::fs::create_dir(place).unwrap();
    place
}
