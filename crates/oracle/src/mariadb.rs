//! A private MariaDB.

use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;

use crate::running;
use crate::server_process::{
    DATABASE_NAME, DATABASE_PASSWORD, DATABASE_USER, Place, Reach, ServerProcess,
};

/// A running server with all its files in a temporary directory. It is killed when dropped, and
/// when this process ends.
#[derive(Debug)]
pub struct MariaDb {
    programs: Programs,
    further_options: Vec<String>,
    server: ServerProcess,
}

#[derive(Debug)]
struct Programs {
    server: PathBuf,
    client: PathBuf,
}

impl MariaDb {
    /// Starts a server that a Unix socket leads to; `None` if the program is missing, after
    /// printing what is not tested. Commits are durable.
    ///
    /// # Panics
    ///
    /// If it does not start, or if it is missing and the environment variable `CI` is set.
    #[must_use]
    pub fn start(what_it_tests: &str) -> Option<Self> {
        Self::start_with(what_it_tests, Reach::Socket, &[])
    }

    /// The same with a choice of addresses and further options of the server.
    ///
    /// # Panics
    ///
    /// As [`Self::start`].
    #[must_use]
    pub fn start_with(what_it_tests: &str, reach: Reach, further_options: &[&str]) -> Option<Self> {
        Self::start_below(&std::env::temp_dir(), what_it_tests, reach, further_options)
    }

    /// The same with its files in a directory below another, which all users must be able to enter.
    ///
    /// # Panics
    ///
    /// As [`Self::start`].
    #[must_use]
    pub fn start_below(
        below: &Path,
        what_it_tests: &str,
        reach: Reach,
        further_options: &[&str],
    ) -> Option<Self> {
        let programs = Programs {
            server: crate::program("mariadbd", what_it_tests)?,
            client: crate::program("mariadb", what_it_tests)?,
        };
        let installer = crate::program("mariadb-install-db", what_it_tests)?;
        let place = Place::make(below, reach, what_it_tests)?;
        install(&installer, &place);
        let further_options: Vec<String> =
            further_options.iter().map(|&option| option.to_owned()).collect();
        let mut command = base_command(&programs.server, place.room.path());
        reach_options(&mut command, place.port, place.certificates.as_ref());
        command.args(&further_options);
        let server = ServerProcess::start(place, command);
        let mut database = Self { programs, further_options, server };
        database.wait();
        database.make_user();
        Some(database)
    }

    /// Its socket.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.server.path("socket")
    }

    /// Its process and those that it started, it first.
    #[must_use]
    pub fn processes(&self) -> Vec<u32> {
        self.server.processes()
    }

    /// Its port, if one was asked for.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        self.server.port()
    }

    /// The certificate of the authority behind its own, if TLS was asked for.
    #[must_use]
    pub fn ca_file(&self) -> Option<&Path> {
        self.server.certificates().map(|made| made.authority.as_path())
    }

    /// Runs statements as root in the test's database; returns the rows, columns split by tabs.
    ///
    /// # Panics
    ///
    /// If a statement fails.
    pub fn run(&self, sql: &str) -> String {
        let output = running::succeed(self.client().args([DATABASE_NAME, "--execute", sql]));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Kills it as a power cut would; [`Self::restart`] brings it back.
    pub fn kill9(&mut self) {
        self.server.kill9();
    }

    /// Starts it again on the same files and addresses, killing it if it runs.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn restart(&mut self) {
        self.kill9();
        let mut command = base_command(&self.programs.server, self.server.room());
        reach_options(&mut command, self.server.port(), self.server.certificates());
        command.args(&self.further_options);
        self.server.start_again(command);
        self.wait();
    }

    /// Stops all its work until [`Self::resume`]: connections stay open and are not answered.
    pub fn pause(&self) {
        self.server.signal(Signal::STOP);
    }

    /// Lets it go on after [`Self::pause`].
    pub fn resume(&self) {
        self.server.signal(Signal::CONT);
    }

    fn client(&self) -> Command {
        client(&self.programs.client, &self.socket())
    }

    fn wait(&mut self) {
        let Self { programs, server, .. } = self;
        let socket = server.path("socket");
        server.wait_until(|| {
            let mut command = client(&programs.client, &socket);
            let output = command.args(["--execute", "SELECT 1"]).output();
            output.is_ok_and(|output| output.status.success())
        });
    }

    fn make_user(&self) {
        let password = DATABASE_PASSWORD.replace('\'', "''");
        let mut sql = format!("CREATE DATABASE {DATABASE_NAME};");
        for host in ["localhost", "127.0.0.1"] {
            let user = format!("'{DATABASE_USER}'@'{host}'");
            sql += &format!("CREATE USER {user} IDENTIFIED BY '{password}';");
            sql += &format!("GRANT ALL ON {DATABASE_NAME}.* TO {user};");
        }
        running::succeed(self.client().args(["--execute", &sql]));
    }
}

/// A server that starts removes the temporary tables of all others from the directory of temporary
/// files, so each has its own.
fn temporary(room: &Path) -> PathBuf {
    room.join("tmp")
}

fn install(installer: &Path, place: &Place) {
    let temporary = temporary(&place.path(""));
    std::fs::create_dir_all(&temporary).expect("the server's directory can be written");
    let mut command = Command::new(installer);
    command.env("TMPDIR", temporary);
    command.arg("--no-defaults").arg("--skip-test-db");
    command.arg("--auth-root-authentication-method=normal");
    command.arg(format!("--datadir={}", place.path("data").display()));
    if running::is_root() {
        command.arg("--user=root");
    }
    running::succeed(&mut command);
}

fn client(program: &Path, socket: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("--no-defaults").arg("--user=root").arg("--skip-column-names").arg("--batch");
    command.arg(format!("--socket={}", socket.display()));
    command
}

/// The server with little memory, durable commits and no network.
fn base_command(program: &Path, room: &Path) -> Command {
    let mut command = running::own(program, None);
    command.env("TMPDIR", temporary(room)).arg("--no-defaults");
    if running::is_root() {
        command.arg("--user=root");
    }
    for (option, name) in [("datadir", "data"), ("socket", "socket"), ("pid-file", "pid")] {
        command.arg(format!("--{option}={}", room.join(name).display()));
    }
    command.args([
        "--innodb-flush-log-at-trx-commit=1",
        "--innodb-buffer-pool-size=128M",
        "--innodb-log-file-size=96M",
        "--performance-schema=OFF",
        "--character-set-server=utf8mb4",
        "--skip-name-resolve",
        "--max-connections=40",
    ]);
    command
}

fn reach_options(
    command: &mut Command,
    port: Option<u16>,
    certificates: Option<&crate::certificates::Certificates>,
) {
    match port {
        None => command.arg("--skip-networking"),
        Some(port) => command.arg("--bind-address=127.0.0.1").arg(format!("--port={port}")),
    };
    if let Some(made) = certificates {
        command.arg(format!("--ssl-cert={}", made.server.display()));
        command.arg(format!("--ssl-key={}", made.key.display()));
        command.arg(format!("--ssl-ca={}", made.authority.display()));
        command.arg("--require-secure-transport=ON");
    }
}
