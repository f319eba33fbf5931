//! The simulated devices: a process of its own, so that its processor time is told apart.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use simnet::{Config, MrtgSettings, SimulatedNetwork, system_clock};
use snmp::{AuthProtocol, Authentication, Key, Privacy, PrivacyProtocol, Secret, User};
use testbed::ProcessCounters;

/// The first argument of the process.
pub(crate) const NAME: &str = "collect-agents";

/// The user of SNMPv3 that may ask every device.
const USER: &str = "bench";
const PASSWORD: &str = "a long password";

/// A file of the configuration has at most so many bytes; gyre reads none above 512 MiB.
const FILE_BYTES_MAX: usize = 256 << 20;

/// The devices, and the configuration that polls them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Wanted {
    pub(super) devices: u32,
    pub(super) ports: u32,
    pub(super) dead_devices: u32,
    pub(super) slow_devices: u32,
    pub(super) slow_by_ms: u64,
    pub(super) interval_seconds: u64,
    /// Whether they are asked by SNMPv3, with SHA-256 and AES-128.
    pub(super) with_user: bool,
    pub(super) work_directory: String,
    /// Where the mrtg.cfg goes.
    pub(super) configuration: PathBuf,
}

/// A running process with the devices; dropping it ends them.
pub(super) struct Agents {
    child: Child,
    /// Targets of the configuration.
    pub(super) targets: usize,
}

impl Agents {
    /// Starts the devices, and waits until they answer and the configuration is there.
    pub(super) fn start(wanted: &Wanted) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let task = serde_json::to_string(wanted).map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.args([NAME, &task]).stdin(Stdio::piped()).stdout(Stdio::piped());
        testbed::name_parent(&mut command);
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let output = child.stdout.take().ok_or("the devices have no output")?;
        let mut agents = Self { child, targets: 0 };
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        agents.targets =
            line.trim().parse().map_err(|_| format!("the devices did not start: {line}"))?;
        Ok(agents)
    }

    /// The kernel's counters of the devices' process.
    pub(super) fn counters(&self) -> Result<ProcessCounters, String> {
        ProcessCounters::of(self.child.id())
    }
}

impl Drop for Agents {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}

/// The process: answers until its standard input ends.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    testbed::end_with_parent()?;
    let [task] = words else { return Err(format!("{NAME} is started by the benchmark")) };
    let wanted: Wanted = serde_json::from_str(task).map_err(|error| error.to_string())?;
    let network = SimulatedNetwork::start(&wanted.config(), system_clock)
        .map_err(|error| error.to_string())?;
    let text = wanted.mrtg_config(&network);
    write(&wanted.configuration, &text)?;
    println!("{}", text.lines().filter(|line| line.starts_with("Target[")).count());
    std::io::stdout().flush().map_err(|error| error.to_string())?;
    let _ = std::io::stdin().read_to_end(&mut Vec::new()); // an error is an end, too
    Ok(())
}

/// Writes the configuration, in several files if one would be larger than gyre reads.
fn write(path: &Path, text: &str) -> Result<(), String> {
    if text.len() <= FILE_BYTES_MAX {
        return write_one(path, text);
    }
    let (globals, mut rest) = text.split_at(text.find("\nTarget[").map_or(text.len(), |at| at + 1));
    write_one(path, &format!("{globals}Include: mrtg-*.part\n"))?;
    for nth in 0.. {
        let before = &rest[..rest.len().min(FILE_BYTES_MAX)];
        let end = match before.len() == rest.len() {
            true => rest.len(),
            false => before.rfind("\nTarget[").map_or(rest.len(), |at| at + 1),
        };
        write_one(&path.with_file_name(format!("mrtg-{nth:03}.part")), &rest[..end])?;
        rest = &rest[end..];
        if rest.is_empty() {
            break;
        }
    }
    Ok(())
}

fn write_one(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

impl Wanted {
    fn config(&self) -> Config {
        let secret = || Key::Password(Secret::new(PASSWORD));
        let user = || {
            let authentication = Authentication { protocol: AuthProtocol::Sha256, key: secret() };
            let privacy = Privacy { protocol: PrivacyProtocol::Aes128, key: secret() };
            User::new(USER.as_bytes(), Some(authentication), Some(privacy))
                .expect("a user that can be")
        };
        Config {
            devices: self.devices,
            ports: self.ports,
            dead_devices: self.dead_devices,
            slow_devices: self.slow_devices,
            slow_by: Duration::from_millis(self.slow_by_ms),
            rebooting_devices: 0,
            users: if self.with_user { vec![user()] } else { Vec::new() },
            udp_port: 0,
            ..Config::default()
        }
    }

    fn mrtg_config(&self, network: &SimulatedNetwork) -> String {
        let settings = MrtgSettings {
            work_directory: self.work_directory.clone(),
            interval: Duration::from_secs(self.interval_seconds),
            more: String::new(),
            with_sites: false,
        };
        let text = network.mrtg_config(&settings);
        if !self.with_user {
            return text;
        }
        let options = format!(
            "EnableSnmpV3: yes\nSnmpOptions: username=>'{USER}',authprotocol=>'sha256',\
             authpassword=>'{PASSWORD}',privprotocol=>'aes',privpassword=>'{PASSWORD}'\n"
        );
        options + &text.replace(":1:3:1:2\n", ":1:3:1:3\n")
    }
}
