//! Debian's snmpd as the other side of live tests.

use snmp::*;
use std::io::Write;
use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Debian's snmpd on a port of its own; gone when dropped.
pub(crate) struct Snmpd {
    process: Child,
    directory: PathBuf,
    pub(crate) address: SocketAddr,
}

impl Snmpd {
    /// `None` if it is not installed; in CI that is a failure. `lines` are more of its
    /// configuration.
    pub(crate) fn start(name: &str, lines: &str) -> Option<Snmpd> {
        if !exists("snmpd") || !exists("snmpbulkwalk") {
            assert!(std::env::var("CI").is_err(), "snmpd and snmp must be installed in CI");
            // Not by `eprintln!`, which the test harness swallows.
            let notice = "NOT TESTED: snmpd or snmpbulkwalk is missing, so no live agent was asked";
            let _ = writeln!(std::io::stderr(), "{notice}");
            return None;
        }
        let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let directory = std::env::temp_dir().join(format!("gyre-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let text = format!(
            "rocommunity public 127.0.0.1\nagentAddress udp:{address}\nsysName live.example.net\n\
             {lines}"
        );
        std::fs::write(directory.join("agent.conf"), &text).unwrap();
        let process = spawn(&directory);
        Some(Snmpd { process, directory, address })
    }

    /// Stops it and starts it again: its engine has started once more.
    #[allow(dead_code)] // Not every test restarts it.
    pub(crate) fn restart(&mut self) {
        self.stop();
        self.process = spawn(&self.directory);
    }

    fn stop(&mut self) {
        // `timeout` passes the signal on to snmpd.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

fn spawn(directory: &PathBuf) -> Child {
    Command::new("timeout")
        .args(["60", "snmpd", "-f", "-C", "-c"])
        .arg(directory.join("agent.conf"))
        .arg("-Lf")
        .arg(directory.join("log"))
        .env("SNMP_PERSISTENT_DIR", directory)
        .env("MIBS", "")
        .env("PATH", search_path())
        .stdin(Stdio::null())
        .spawn()
        .unwrap()
}

impl Drop for Snmpd {
    fn drop(&mut self) {
        self.stop();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn exists(program: &str) -> bool {
    search_path().split(':').any(|path| PathBuf::from(path).join(program).exists())
}

/// Debian installs snmpd in a directory that only root's PATH has.
fn search_path() -> String {
    std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/usr/bin"
}

/// A complete event loop for one session.
pub(crate) fn ask(
    session: &mut Session,
    address: SocketAddr,
    request: Request,
) -> Result<Answer, RequestError> {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let start = Instant::now();
    session.submit(request);
    loop {
        while let Some(datagram) = session.transmit(start.elapsed()) {
            socket.send_to(&datagram, address).unwrap();
        }
        if let Some(event) = session.next_event() {
            return event.result;
        }
        let wait = session.deadline().unwrap().saturating_sub(start.elapsed());
        socket.set_read_timeout(Some(wait.max(Duration::from_millis(1)))).unwrap();
        let mut buffer = [0; 65536];
        if let Ok((length, from)) = socket.recv_from(&mut buffer)
            && from == address
        {
            session.handle(start.elapsed(), &buffer[..length]);
        }
    }
}
