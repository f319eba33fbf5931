//! `gyre run` over a simulated network of SNMPv3: devices are measured as the user that mrtg.cfg
//! names; what is wrong with another user is told, and no secret is.
#![allow(clippy::disallowed_methods)] // A network on loopback and a process.

use simnet::{Config, MrtgSettings, SimulatedNetwork, system_clock};
use snmp::{AuthProtocol, Authentication, Key, Privacy, PrivacyProtocol, Secret, User};
use std::process::Command;
use std::time::Duration;

const AUTHENTICATION: &str = "first hidden";
const PRIVACY: &str = "second hidden";

fn monitor() -> User {
    let key = |password: &str| Key::Password(Secret::new(password));
    let (auth, privacy) = (AuthProtocol::Sha256, PrivacyProtocol::Aes128);
    let authentication = Authentication { protocol: auth, key: key(AUTHENTICATION) };
    let privacy = Privacy { protocol: privacy, key: key(PRIVACY) };
    User::new(b"monitor", Some(authentication), Some(privacy)).unwrap()
}

fn network() -> SimulatedNetwork {
    let config = Config {
        devices: 4,
        ports: 8,
        slow_devices: 0,
        dead_devices: 0,
        rebooting_devices: 1,
        reboot_every: Duration::from_secs(5),
        udp_port: 0,
        users: vec![monitor()],
        ..Config::default()
    };
    SimulatedNetwork::start(&config, system_clock).unwrap()
}

/// A target of the first device, as its target is but with other options.
fn target(network: &SimulatedNetwork, name: &str, options: &str) -> String {
    let address = network.devices()[0].address;
    format!(
        "Target[{name}]: 1:any@{address}:1:3:1:3\nMaxBytes[{name}]: 1000\nTitle[{name}]: {name}\n\
         SnmpOptions[{name}]: {options}\n"
    )
}

#[test]
fn devices_are_measured_as_their_user_and_a_wrong_one_is_told_without_its_secret() {
    let network = network();
    let directory = tempfile::tempdir().unwrap();
    let text = network.mrtg_config(&MrtgSettings {
        work_directory: directory.path().display().to_string(),
        interval: Duration::from_secs(2),
        more: target(&network, "odd", "username=>'monitor',authpassword=>'third hidden'")
            + &target(&network, "absurd", "username=>'monitor',authprotocol=>'md5'"),
        with_sites: false,
    });
    let user = "SnmpOptions: username=>'monitor',authprotocol=>'sha256',\
        authpassword=>'first hidden',privprotocol=>'aes',privpassword=>$ENV{PRIVACY}\n";
    let text = user.to_owned() + &text.replace(":1:3:1:2", ":1:3:1:3");
    let configuration = directory.path().join("mrtg.cfg");
    std::fs::write(&configuration, text).unwrap();
    let output = Command::new("timeout")
        .args(["60", env!("CARGO_BIN_EXE_gyre"), "run"])
        .arg(&configuration)
        .args(["--no-web", "--rrd-files", "--cycles=4"])
        .env("PRIVACY", PRIVACY)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("cycle ")).collect();
    assert_eq!(lines.len(), 4, "{said}");
    let first = network.devices()[0].address;
    for line in &lines {
        assert!(line.contains("4 of 5 devices answered"), "{line}");
        assert!(line.contains(&format!(", refuse their user: {first}")), "{line}");
    }
    assert!(said.contains("restarted: "), "a restart does not lose the engine:\n{said}");
    assert!(said.contains(
        "target absurd is not measured: SNMPv3 user monitor: \
         authprotocol without authpassword or authkey"
    ));
    assert!(!said.contains("hidden"), "{said}");
}
