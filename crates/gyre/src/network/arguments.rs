//! The command line of `gyre network`.

use std::ffi::{OsStr, OsString};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::time::Duration;

use options::{CommandLine, Misuse, Value, checked, option, switch};
use simnet::{FaultError, MrtgVersion, Rule, Versions};

pub(super) const LINE: CommandLine<Arguments> = CommandLine {
    synopsis: "gyre network [OPTIONS]\n       gyre network control PATH [COMMAND...]",
    summary: "Simulates a network: devices that answer real SNMP, each at an address of its own on \
              loopback. Other machines cannot reach it. It runs until a signal or --for ends it, \
              and then says what it answered and what processor time that took.",
    options: &[
        checked("--devices", "N", "the number of devices (100)", |it, value| {
            it.devices = value.number_u32(1..=DEVICES_MAX)?;
            Ok(())
        }),
        checked("--ports", "N", "the number of interfaces of each device (48)", |it, value| {
            it.ports = value.number_u32(1..=PORTS_MAX)?;
            Ok(())
        }),
        switch("--all-up", "no interface is down (one in twelve or so is)", |it| it.all_up = true),
        checked(
            "--seed",
            "N",
            "the same number is the same network with the same traffic (1)",
            |it, value| {
                it.seed = value.number(0..=u64::MAX)?;
                Ok(())
            },
        ),
        checked(
            "--address-base",
            "ADDRESS",
            "the address before that of the first device (127.16.0.0)",
            |it, value| {
                it.address_base = value.parsed("an address of loopback")?;
                Ok(())
            },
        ),
        checked(
            "--udp-port",
            "PORT",
            "the UDP port of all devices; 0 for a free one (16161)",
            |it, value| {
                it.udp_port = value.parsed("a port")?;
                Ok(())
            },
        ),
        checked("--community", "NAME", "the community that may read (public)", |it, value| {
            it.community = community(&value)?;
            Ok(())
        }),
        checked(
            "--versions",
            "LIST",
            "the versions with a community that are answered: 1, 2c, both with a comma, or none \
             (1,2c)",
            |it, value| {
                it.versions = versions(&value)?;
                Ok(())
            },
        ),
        option(
            "--users",
            "FILE",
            "also answer SNMPv3, to the users of this file, one a line as in snmpd.conf: createUser \
             NAME [AUTHENTICATION SECRET [PRIVACY [SECRET]]]",
            |it, value| it.users = Some(value.path()),
        ),
        checked(
            "--message-max",
            "BYTES",
            "the longest answer; longer ones are tooBig, or end earlier (1472)",
            |it, value| {
                it.response_bytes_max = value.number(MESSAGE_BYTES)? as usize;
                Ok(())
            },
        ),
        checked(
            "--fault",
            "KIND[=VALUE]:DEVICES",
            "a fault of some devices, see below; may be given several times",
            |it, value| {
                let text = value.text()?;
                let rule = text.parse::<Rule>();
                it.faults.push(rule.map_err(|error| Misuse::lacks("--fault", unfit(&error)))?);
                Ok(())
            },
        ),
        option(
            "--control",
            "PATH",
            "take commands at a Unix socket of this path, for `gyre network control`; for -, from \
             standard input, whose end ends the network",
            |it, value| it.control = Some(Control::at(value.path())),
        ),
        option(
            "--mrtg-config",
            "FILE",
            "write an mrtg.cfg of the network's interfaces to this file",
            |it, value| it.mrtg_config = Some(value.path()),
        ),
        option(
            "--work-dir",
            "DIRECTORY",
            "the WorkDir in that file (the directory that the file is in)",
            |it, value| it.work_directory = Some(value.path()),
        ),
        checked("--interval", "SECONDS", "the Interval in that file (300)", |it, value| {
            it.interval = Duration::from_secs(value.number(1..=INTERVAL_SECONDS_MAX)?);
            Ok(())
        }),
        checked(
            "--mrtg-version",
            "VERSION",
            "the version in that file: 1, 2c, or 3, as the first user of --users (2c)",
            |it, value| {
                it.mrtg_version = mrtg_version(&value)?;
                Ok(())
            },
        ),
        switch("--json", "print each line as JSON", |it| it.is_json = true),
        checked("--for", "SECONDS", "end after this time", |it, value| {
            it.duration = Some(Duration::from_secs(value.number(1..=u64::from(u32::MAX))?));
            Ok(())
        }),
    ],
    notes: "\
devices, by their places from 1 or by their addresses:
  all    10%    7    3-9    127.16.0.7    1,3-9,127.16.0.12

faults:
  dead                    answers nothing
  loss=PERCENT%           so many answers are lost
  latency=MS[+JITTER]     answers so many milliseconds late, and at random up to JITTER more
  too-big=BYTES           says tooBig to what takes more, to GETBULK, too
  bulk=silent             does not answer GETBULK; bulk=error says genErr, bulk=nonsense repeats
                          what was asked
  reboot[=SECONDS]        restarts (then): sysUpTime and counters from 0, engineBoots one more
  renumber[=SECONDS]      restarts (then), and its interfaces have other indexes
  wrap=SECONDS            restarts, and its 32-bit counters wrap so much later
  narrow                  has no 64-bit counters
  source                  answers from another address
  clock=SECONDS           has a sysUpTime that is wrong by so much; -60 is a minute too little
  walk=short              ends walks among the interfaces; walk=endless adds rows without end,
                          walk=loop goes back to the first row
  cut                     sends half of each answer
  wrong-id                answers with the id of another request
  repeat=N                sends each answer N times

commands, with --control, a line each:
  fault KIND[=VALUE]:DEVICES
                          gives devices a fault
  mend KIND:DEVICES       takes it from them; mend all:DEVICES takes all faults
  list                    shows the faults that devices have, and restarts that are to come
  status                  says what was asked and answered so far
  help                    shows these lines
  end                     ends the network

signals:
  SIGINT, SIGTERM, SIGHUP  end
",
};

/// Where commands come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Control {
    StandardInput,
    /// A Unix socket of this path.
    Socket(PathBuf),
}

impl Control {
    fn at(path: PathBuf) -> Self {
        if path == OsStr::new("-") { Self::StandardInput } else { Self::Socket(path) }
    }
}

/// The longest interval of MRTG's.
const INTERVAL_SECONDS_MAX: u64 = 3600;
const DEVICES_MAX: u32 = 1_000_000;
const PORTS_MAX: u32 = 100_000;
/// RFC 3417 asks for 484; UDP carries no more than the last.
const MESSAGE_BYTES: std::ops::RangeInclusive<u64> = 484..=65_507;

/// The parsed options.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arguments {
    pub(super) devices: u32,
    pub(super) ports: u32,
    pub(super) seed: u64,
    pub(super) address_base: Ipv4Addr,
    pub(super) udp_port: u16,
    pub(super) community: String,
    pub(super) all_up: bool,
    pub(super) versions: Versions,
    pub(super) users: Option<PathBuf>,
    pub(super) response_bytes_max: usize,
    pub(super) faults: Vec<Rule>,
    pub(super) control: Option<Control>,
    pub(super) mrtg_config: Option<PathBuf>,
    pub(super) mrtg_version: MrtgVersion,
    /// `None`: where the configuration is.
    pub(super) work_directory: Option<PathBuf>,
    pub(super) interval: Duration,
    pub(super) is_json: bool,
    /// `None`: until a signal ends it.
    pub(super) duration: Option<Duration>,
}

impl Default for Arguments {
    fn default() -> Self {
        let usual = simnet::Config::default();
        Self {
            devices: usual.devices,
            ports: usual.ports,
            seed: usual.seed,
            address_base: usual.address_base,
            udp_port: usual.udp_port,
            community: usual.community,
            all_up: false,
            versions: usual.versions,
            users: None,
            response_bytes_max: usual.response_bytes_max,
            faults: Vec::new(),
            control: None,
            mrtg_config: None,
            mrtg_version: MrtgVersion::V2c,
            work_directory: None,
            interval: Duration::from_secs(300),
            is_json: false,
            duration: None,
        }
    }
}

/// Parses the arguments of `gyre network`; `None` if they ask for help.
pub(super) fn parse(
    words: impl IntoIterator<Item = OsString>,
) -> Result<Option<Arguments>, Misuse> {
    let Some((wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    if let Some(operand) = operands.first() {
        return Err(Misuse::words("options alone", operand.display()));
    }
    if wanted.work_directory.is_some() && wanted.mrtg_config.is_none() {
        return Err(Misuse::goes_with("--work-dir", "--mrtg-config"));
    }
    if wanted.mrtg_version == MrtgVersion::V3 && wanted.users.is_none() {
        return Err(Misuse::goes_with("--mrtg-version=3", "--users"));
    }
    let Versions { v1, v2c } = wanted.versions;
    if !v1 && !v2c && wanted.users.is_none() {
        return Err(Misuse::goes_with("--versions=none", "--users"));
    }
    Ok(Some(wanted))
}

fn versions(value: &Value) -> Result<Versions, Misuse> {
    let (v1, v2c) = match value.text()? {
        "none" => (false, false),
        "1" => (true, false),
        "2c" => (false, true),
        "1,2c" | "2c,1" => (true, true),
        _ => return Err(value.wrong("1, 2c, 1,2c or none")),
    };
    Ok(Versions { v1, v2c })
}

fn mrtg_version(value: &Value) -> Result<MrtgVersion, Misuse> {
    match value.text()? {
        "1" => Ok(MrtgVersion::V1),
        "2c" | "2" => Ok(MrtgVersion::V2c),
        "3" => Ok(MrtgVersion::V3),
        _ => Err(value.wrong("1, 2c or 3")),
    }
}

/// The reason behind the `expected` that begins every error of a command line.
fn unfit(error: &FaultError) -> String {
    let text = error.to_string();
    text.strip_prefix("expected ").map_or(text.clone(), str::to_owned)
}

/// A community. It is copied into configuration files unchanged. The error does not repeat it: it
/// is a secret.
fn community(value: &Value) -> Result<String, Misuse> {
    let is_plain =
        |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let community = value.text().ok().filter(is_plain);
    let misuse = || Misuse::lacks("--community", "letters and digits");
    community.map(str::to_owned).ok_or_else(misuse)
}
