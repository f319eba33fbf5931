//! Simulated devices answer users of SNMPv3: net-snmp's tools read them with every protocol.
#![allow(clippy::disallowed_methods)] // The network listens on loopback; the oracle is a process.

use simnet::{Config, SimulatedNetwork, system_clock};
use snmp::{AuthProtocol, Authentication, Key, Privacy, PrivacyProtocol, Secret, User};
use std::io::Write;
use std::process::{Command, Output};
use std::time::Duration;

const AUTHENTICATION: &str = "an authentication";
const PRIVACY: &str = "a privacy secret";

/// A user and the options of net-snmp's tools for it.
struct Account {
    user: User,
    options: Vec<String>,
}

fn account(auth: Option<AuthProtocol>, privacy: Option<PrivacyProtocol>) -> Account {
    let key = |password: &str| Key::Password(Secret::new(password));
    let name = format!("{auth:?}-{privacy:?}").replace(['(', ')'], "");
    let mut options = vec!["-u".to_owned(), name.clone()];
    let level = match (auth, privacy) {
        (None, _) => "noAuthNoPriv",
        (_, None) => "authNoPriv",
        (_, Some(_)) => "authPriv",
    };
    options.extend(["-l".to_owned(), level.to_owned()]);
    if let Some(auth) = auth {
        options.extend(["-a".into(), auth.to_string(), "-A".into(), AUTHENTICATION.into()]);
    }
    if let Some(privacy) = privacy {
        options.extend(["-x".into(), privacy.to_string(), "-X".into(), PRIVACY.into()]);
    }
    let user = User::new(
        name.as_bytes(),
        auth.map(|protocol| Authentication { protocol, key: key(AUTHENTICATION) }),
        privacy.map(|protocol| Privacy { protocol, key: key(PRIVACY) }),
    );
    Account { user: user.unwrap(), options }
}

fn accounts() -> Vec<Account> {
    let mut accounts = vec![account(None, None)];
    for auth in AuthProtocol::ALL {
        let privacies = PrivacyProtocol::ALL.into_iter().map(Some).chain([None]);
        accounts.extend(privacies.map(|privacy| account(Some(auth), privacy)));
    }
    accounts
}

fn network(accounts: &[Account]) -> SimulatedNetwork {
    let config = Config {
        udp_port: 0,
        devices: 2,
        ports: 8,
        slow_devices: 0,
        dead_devices: 0,
        rebooting_devices: 1,
        reboot_every: Duration::from_secs(3600),
        users: accounts.iter().map(|account| account.user.clone()).collect(),
        ..Config::default()
    };
    SimulatedNetwork::start(&config, system_clock).unwrap()
}

/// Runs a tool of net-snmp; `None` if it is not installed, which in CI is a failure.
fn tool(program: &str, options: &[String], rest: &[&str]) -> Option<Output> {
    let run = Command::new("timeout")
        .args(["60", program, "-v3", "-r1", "-t2", "-On", "-Oe"])
        .args(options)
        .args(rest)
        .env("MIBS", "")
        .env("LANG", "C")
        .env("SNMP_PERSISTENT_DIR", std::env::temp_dir())
        .output()
        .unwrap();
    if run.status.code() == Some(127) {
        assert!(std::env::var("CI").is_err(), "{program} must be installed in CI");
        // Not by `eprintln!`, which the test harness swallows.
        let _ = writeln!(std::io::stderr(), "NOT TESTED: {program} is missing: it read no device");
        return None;
    }
    Some(run)
}

#[test]
fn every_combination_of_protocols_is_read_by_net_snmp() {
    let accounts = accounts();
    let network = network(&accounts);
    for (nth, account) in accounts.iter().enumerate() {
        let device = &network.devices()[nth % 2];
        let address = device.address.to_string();
        let name = ["1.3.6.1.2.1.1.5.0"];
        let rest = [&[&*address], &name[..]].concat();
        let Some(got) = tool("snmpget", &account.options, &rest) else { return };
        let (said, wrong) =
            (String::from_utf8_lossy(&got.stdout), String::from_utf8_lossy(&got.stderr));
        assert_eq!(
            said.trim(),
            format!(".1.3.6.1.2.1.1.5.0 = STRING: \"{}\"", device.name),
            "{:?} {wrong}",
            account.options
        );
        if nth % 6 == 1 {
            let table = [&*address, "1.3.6.1.2.1.2.2"];
            let Some(walked) = tool("snmpbulkwalk", &account.options, &table) else { return };
            let rows = String::from_utf8_lossy(&walked.stdout).lines().count();
            assert_eq!(rows % 8, 0, "eight ports");
            assert!(rows >= 8 * 15, "{rows} rows");
        }
    }
}

#[test]
fn net_snmp_says_what_is_wrong_with_a_user() {
    let right = account(Some(AuthProtocol::Sha256), Some(PrivacyProtocol::Aes128));
    let lower = account(Some(AuthProtocol::Md5), None);
    let stranger = account(Some(AuthProtocol::Md5), Some(PrivacyProtocol::Des));
    let network = network(&[right, lower]);
    let address = network.devices()[0].address.to_string();
    let changed = |account: &Account, from: &str, to: &str| {
        let change = |option: &String| option.replace(from, to);
        account.options.iter().map(change).collect::<Vec<_>>()
    };
    let right = account(Some(AuthProtocol::Sha256), Some(PrivacyProtocol::Aes128));
    let lower = account(Some(AuthProtocol::Md5), None);
    let too_high =
        [lower.options, vec!["-l".into(), "authPriv".into(), "-X".into(), PRIVACY.into()]];
    let cases = [
        (stranger.options, "Unknown user name"),
        (changed(&right, AUTHENTICATION, "another secret"), "Authentication failure"),
        (changed(&right, PRIVACY, "another secret"), "Decryption error"),
        (too_high.concat(), "Unsupported security level"),
    ];
    for (options, expected) in cases {
        let Some(run) = tool("snmpget", &options, &[&address, "1.3.6.1.2.1.1.5.0"]) else {
            return;
        };
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(said.contains(expected), "{options:?}: {said}");
    }
}
