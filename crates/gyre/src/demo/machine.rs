//! Polls this machine as one more device, through an snmpd that the demo starts.

use std::fmt::Write as _;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::place::Place;
use rrdtool::system_words;

/// The directory where Linux lists its interfaces.
const INTERFACES: &str = "/sys/class/net";
/// The most interfaces that are shown: a machine full of containers has hundreds.
const INTERFACES_MAX: usize = 16;
/// The speed assumed of an interface that does not know its own, such as the loopback.
const SPEED_UNKNOWN_BITS: u64 = 10_000_000_000;
/// If snmpd rejects its configuration or its port, it ends within this time.
const SETTLING: Duration = Duration::from_millis(300);

/// A running snmpd; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Machine {
    process: Child,
    address: SocketAddr,
    community: String,
    /// The name of this machine.
    pub(super) name: String,
    interfaces: Vec<Interface>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Interface {
    name: String,
    index: u32,
    bits_per_second: u64,
}

/// Why this machine is not shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum Absent {
    #[error("snmpd is not installed")]
    NotInstalled,
    #[error("snmpd ended at once, {0}: see {log}", log = .1.display())]
    Ended(std::process::ExitStatus, PathBuf),
    #[error("snmpd cannot be started: {}", system_words(.0))]
    Io(#[from] io::Error),
    #[error("{0}")]
    Place(#[from] super::place::Error),
}

impl Machine {
    /// Starts Debian's snmpd on a free port of loopback, with a configuration in `place` only.
    pub(super) fn start(place: &Place, community: &str) -> Result<Self, Absent> {
        let program = find("snmpd").ok_or(Absent::NotInstalled)?;
        let address = UdpSocket::bind("127.0.0.1:0")?.local_addr()?;
        let configuration =
            format!("rocommunity {community} 127.0.0.1\nagentAddress udp:{address}\n");
        let configuration = place.write("snmpd.conf", &configuration)?;
        let log = place.path().join("snmpd.log");
        let process = ending_with_us(&program)
            .args(["-f", "-C", "-c"])
            .arg(configuration)
            .arg("-Lf")
            .arg(&log)
            // snmpd keeps persistent data in this directory. By default that would be a file of the
            // system's own snmpd, which has the same name as the configuration.
            .env("SNMP_PERSISTENT_DIR", place.path().join("snmpd"))
            .env("MIBS", "")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let mut machine = Self {
            process,
            address,
            community: community.to_owned(),
            name: plain(name.trim()),
            interfaces: interfaces(),
        };
        std::thread::sleep(SETTLING);
        match machine.process.try_wait()? {
            Some(status) => Err(Absent::Ended(status, log)),
            None => Ok(machine),
        }
    }

    /// The part of mrtg.cfg for this machine. `step_rows` is the number of rows of the archive of
    /// steps.
    pub(super) fn targets(&self, step_rows: u64) -> String {
        let Self { address, community, name, .. } = self;
        let mut text = format!("### {name}: this machine, by its snmpd\n\n");
        for Interface { name: interface, index, bits_per_second } in &self.interfaces {
            let target = target_name(name, interface);
            let (octets, million) = (bits_per_second / 8, bits_per_second / 1_000_000);
            let lines = [
                format!("Target[{target}]: {index}:{community}@{address}:1:3:1:2"),
                format!("SetEnv[{target}]: MRTG_INT_IP=\"\" MRTG_INT_DESCR=\"{interface}\""),
                format!("MaxBytes[{target}]: {octets}"),
                format!("Directory[{target}]: {name}"),
                format!("RRDRowCount[{target}]: {step_rows}"),
                format!("Title[{target}]: {name} {interface}: this machine"),
                format!("PageTop[{target}]: <h1>{name} {interface}: this machine</h1>"),
                format!("  <p>Real: interface {interface} of this machine, {million} Mbit/s</p>"),
            ];
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}\n", lines.join("\n"));
        }
        text
    }

    /// The names of those targets.
    pub(super) fn target_names(&self) -> Vec<String> {
        self.interfaces.iter().map(|it| target_name(&self.name, &it.name)).collect()
    }
}

fn target_name(machine: &str, interface: &str) -> String {
    format!("{machine}_{interface}")
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.process.kill(); // it may have ended already
        let _ = self.process.wait();
    }
}

/// A command that the kernel ends if this process is killed. Without `setpriv` the command would
/// outlive this process.
fn ending_with_us(program: &Path) -> Command {
    match find("setpriv") {
        Some(setpriv) => {
            let mut command = Command::new(setpriv);
            command.args(["--pdeathsig", "TERM"]).arg(program);
            command
        }
        None => Command::new(program),
    }
}

/// Finds a program also in the directories that only root's PATH has: Debian installs snmpd there.
fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    places.map(|place| place.join(program)).find(|program| program.is_file())
}

fn interfaces() -> Vec<Interface> {
    let Ok(entries) = std::fs::read_dir(INTERFACES) else {
        return Vec::new();
    };
    let mut found: Vec<_> =
        entries.flatten().filter_map(|entry| interface(&entry.path())).collect();
    found.sort_by_key(|interface| interface.index);
    found.truncate(INTERFACES_MAX);
    found
}

fn interface(path: &Path) -> Option<Interface> {
    let read = |what: &str| std::fs::read_to_string(path.join(what)).ok();
    // The loopback's state is `unknown`, so only `down` is excluded.
    if read("operstate")?.trim() == "down" {
        return None;
    }
    // The file has megabits a second, or -1, or cannot be read.
    let speed = read("speed").and_then(|speed| speed.trim().parse::<u64>().ok());
    Some(Interface {
        name: plain(&path.file_name()?.to_string_lossy()),
        index: read("ifindex")?.trim().parse().ok()?,
        bits_per_second: speed.map_or(SPEED_UNKNOWN_BITS, |speed| speed * 1_000_000),
    })
}

/// A name with only the characters allowed in a target's name, a path and a page.
fn plain(name: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "._-".contains(*letter);
    let plain: String = name.chars().map(|each| if is_plain(&each) { each } else { '-' }).collect();
    match plain.trim_start_matches('.') {
        "" => "this-machine".to_owned(),
        plain => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_harmless() {
        assert_eq!(plain("eth0.100"), "eth0.100");
        assert_eq!(plain("../<b>@x"), "--b--x");
        assert_eq!(plain(".."), "this-machine");
    }

    #[test]
    fn this_machine_has_a_loopback() {
        let all = interfaces();
        let loopback = all.iter().find(|each| each.name == "lo").expect("Linux has lo");
        assert!(loopback.index > 0 && loopback.bits_per_second > 0);
    }
}
