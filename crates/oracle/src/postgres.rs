//! A private PostgreSQL.

use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;

use crate::running;
use crate::server_process::{
    DATABASE_NAME, DATABASE_PASSWORD, DATABASE_USER, Place, Reach, ServerProcess,
};

/// The user that runs the server if the tests are run by root, for whom it refuses to run.
const SYSTEM_USER: &str = "postgres";
/// Its own administrator.
const ADMINISTRATOR: &str = "postgres";
/// Where Debian keeps the programs of each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// The port in the name of the socket of a server without TCP.
const USUAL_PORT: u16 = 5432;

/// A running server with all its files in a temporary directory. It is killed when dropped, and
/// when this process ends.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    further_options: Vec<String>,
    server: ServerProcess,
}

impl Postgres {
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

    /// The same with a choice of addresses and further settings, as `name=value`.
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
        let Some(programs) = newest_version() else {
            crate::missing("postgres", what_it_tests);
            return None;
        };
        let place = Place::make(below, reach, what_it_tests)?;
        install(&programs, &place);
        let further_options: Vec<String> =
            further_options.iter().map(|&option| option.to_owned()).collect();
        let mut command = base_command(&programs, place.room.path(), place.port);
        tls_options(&mut command, place.certificates.as_ref());
        add_settings(&mut command, &further_options);
        let server = ServerProcess::start(place, command);
        let mut database = Self { programs, further_options, server };
        database.wait();
        database.make_user();
        Some(database)
    }

    /// The directory of its socket, which is how its clients name a socket.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.server.room().to_owned()
    }

    /// The port that its socket's name holds, and that it listens on if one was asked for.
    #[must_use]
    pub fn socket_port(&self) -> u16 {
        self.server.port().unwrap_or(USUAL_PORT)
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

    /// Runs statements as administrator in the test's database; returns the rows, columns split
    /// by tabs.
    ///
    /// # Panics
    ///
    /// If a statement fails.
    pub fn run(&self, sql: &str) -> String {
        let output = running::succeed(self.client(DATABASE_NAME).args(["--command", sql]));
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
        let mut command = base_command(&self.programs, self.server.room(), self.server.port());
        tls_options(&mut command, self.server.certificates());
        add_settings(&mut command, &self.further_options);
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

    fn client(&self, database: &str) -> Command {
        client(&self.programs, self.server.room(), self.socket_port(), database)
    }

    fn wait(&mut self) {
        let port = self.socket_port();
        let Self { programs, server, .. } = self;
        let room = server.room().to_owned();
        server.wait_until(|| {
            let mut command = client(programs, &room, port, "postgres");
            let output = command.args(["--command", "SELECT 1"]).output();
            output.is_ok_and(|output| output.status.success())
        });
    }

    fn make_user(&self) {
        let password = DATABASE_PASSWORD.replace('\'', "''");
        let role = format!("CREATE ROLE {DATABASE_USER} LOGIN PASSWORD '{password}'");
        let database = format!("CREATE DATABASE {DATABASE_NAME} OWNER {DATABASE_USER}");
        for sql in [role, database] {
            running::succeed(self.client("postgres").args(["--command", &sql]));
        }
    }
}

/// The directory of the newest installed version's programs.
fn newest_version() -> Option<PathBuf> {
    let entries = std::fs::read_dir(VERSIONS).ok()?;
    let version = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let newest = entries.flatten().filter_map(version).max()?;
    let programs = Path::new(VERSIONS).join(newest.to_string()).join("bin");
    programs.join("postgres").is_file().then_some(programs)
}

fn install(programs: &Path, place: &Place) {
    hand_over(place);
    let mut command = running::own(&programs.join("initdb"), Some(SYSTEM_USER));
    command.arg("--no-sync").arg("--no-instructions").arg(format!("--username={ADMINISTRATOR}"));
    command.args(["--encoding=UTF8", "--locale=C", "--auth=trust"]);
    command.arg("--pgdata").arg(place.path("data")).current_dir(place.room.path());
    running::succeed(&mut command);
    let rules = format!(
        "local all {ADMINISTRATOR} trust\nlocal all all scram-sha-256\n{} all all 127.0.0.1/32 \
         scram-sha-256\n",
        if place.certificates.is_some() { "hostssl" } else { "host" }
    );
    std::fs::write(place.path("data").join("pg_hba.conf"), rules).expect("the rules are written");
}

/// Gives the directory and the key in it to the user that the server runs as.
fn hand_over(place: &Place) {
    if !running::is_root() {
        return;
    }
    let mut command = Command::new("chown");
    command.arg("--recursive").arg(format!("{SYSTEM_USER}:{SYSTEM_USER}")).arg(place.room.path());
    running::succeed(&mut command);
}

fn client(programs: &Path, room: &Path, port: u16, database: &str) -> Command {
    let mut command = Command::new(programs.join("psql"));
    command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--field-separator=\t"]);
    command.args(["--set", "ON_ERROR_STOP=1", "--username", ADMINISTRATOR]);
    command.arg("--host").arg(room).arg("--port").arg(port.to_string()).arg(database);
    command
}

/// The server with little memory, durable commits, and TCP only if there is a port.
fn base_command(programs: &Path, room: &Path, port: Option<u16>) -> Command {
    let mut command = running::own(&programs.join("postgres"), Some(SYSTEM_USER));
    command.current_dir(room).arg("-D").arg(room.join("data"));
    command.arg("-k").arg(room).arg("-p").arg(port.unwrap_or(USUAL_PORT).to_string());
    let listen = if port.is_some() { "127.0.0.1" } else { "" };
    command.arg("-c").arg(format!("listen_addresses={listen}"));
    let settings = ["fsync=on", "synchronous_commit=on", "shared_buffers=128MB"];
    let settings = settings.iter().chain(&["max_connections=40", "max_wal_size=512MB"]);
    add_settings(&mut command, settings);
    command
}

fn tls_options(command: &mut Command, made: Option<&crate::certificates::Certificates>) {
    if let Some(made) = made {
        add_settings(command, ["ssl=on"]);
        add_settings(command, [format!("ssl_cert_file={}", made.server.display())]);
        add_settings(command, [format!("ssl_key_file={}", made.key.display())]);
    }
}

fn add_settings<S: AsRef<std::ffi::OsStr>>(
    command: &mut Command,
    settings: impl IntoIterator<Item = S>,
) {
    for setting in settings {
        command.arg("-c").arg(setting);
    }
}
