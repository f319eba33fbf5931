//! Secrets: they come from files, the environment and systemd's credentials, and a run shows them
//! nowhere.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use snmp::{AuthProtocol, Authentication, Key, Privacy, PrivacyProtocol, Secret, User};

use super::{Operated, configuration, network};

const COMMUNITY: &str = "Hush1community";
const AUTHENTICATION: &str = "Hush2password";
const PRIVACY: &str = "Hush3password";
const WRONG: &str = "Hush4wrong";

fn user() -> User {
    let key = |password: &str| Key::Password(Secret::new(password));
    let authentication =
        Authentication { protocol: AuthProtocol::Sha256, key: key(AUTHENTICATION) };
    let privacy = Privacy { protocol: PrivacyProtocol::Aes128, key: key(PRIVACY) };
    User::new(b"monitor", Some(authentication), Some(privacy)).unwrap()
}

fn secret_file(directory: &Path, name: &str, text: &str, mode: u32) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    path
}

/// A target that is a program, and the program of its threshold: each writes down its environment.
fn programs(directory: &Path) -> String {
    let place = directory.display();
    let script =
        |name: &str| format!("env > {place}/{name}.new; mv {place}/{name}.new {place}/{name}");
    let alarm = format!("#!/bin/sh\n{}\n", script("alarm"));
    secret_file(directory, "raise", &alarm, 0o700);
    format!(
        "\nTarget[program]: `{}; echo 5; echo 7`\nMaxBytes[program]: 9\nTitle[program]: program\n\
         Options[program]: gauge\nThreshMaxI[program]: 1\nThreshProgI[program]: {place}/raise\n",
        script("target")
    )
}

/// The environment that a program wrote down.
fn seen(directory: &Path, name: &str) -> String {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        match std::fs::read_to_string(directory.join(name)) {
            Ok(text) => return format!("\n{text}"),
            Err(_) => assert!(Instant::now() < deadline, "{name} does not run"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_shows_no_secret_wherever_it_came_from() {
    let network = network(|config| {
        config.community = COMMUNITY.to_owned();
        config.users = vec![user()];
    });
    let directory = tempfile::tempdir().unwrap();
    let text = configuration(&network, directory.path());
    assert!(text.contains(COMMUNITY), "what is replaced is there");
    let first = network.devices()[0].address;
    let more = |name: &str, target: &str, options: &str| {
        format!(
            "\nTarget[{name}]: {target}\nMaxBytes[{name}]: 1\nTitle[{name}]: {name}\n{options}\n"
        )
    };
    let at = format!("@{first}:1:3:1");
    let options = "username=>'monitor',authprotocol=>'sha256',authpassword=>'$v3-auth',\
        privprotocol=>'aes',privpassword=>'$V3_PRIVACY'";
    let text = text.replace(COMMUNITY, "$core")
        + &more("three", &format!("1:any{at}:3"), &format!("SnmpOptions[three]: {options}"))
        + &more("wrong", &format!("1:{WRONG}{at}:2"), "")
        + &more("odd", &format!("1:$nowhere{at}:2"), "")
        + &programs(directory.path());
    std::fs::write(directory.path().join("mrtg.cfg"), text).unwrap();
    let lines = secret_file(directory.path(), "lines", &format!("core={COMMUNITY}\n"), 0o600);
    let credentials = directory.path().join("credentials");
    std::fs::create_dir(&credentials).unwrap();
    secret_file(&credentials, "v3-auth", &format!("{AUTHENTICATION}\n"), 0o400);
    let lines = format!("--secrets={}", lines.display());
    let mut run = Operated::start(
        directory.path(),
        &[&lines, "--secrets=credentials", "--secrets=env"],
        &[
            ("PLAIN", "plain"),
            ("V3_PRIVACY", PRIVACY),
            ("CREDENTIALS_DIRECTORY", credentials.to_str().unwrap()),
        ],
    );
    // Four devices with the community, and the first once more as a user and with a wrong one.
    // Making the keys of a user may take longer than a cycle.
    let cycle = run.said.wait_for("\"devices_answered\":5,");
    assert!(cycle.contains("\"devices\":6,"), "{cycle}");
    run.signal("HUP");
    run.event("reload");
    // The programs see all but the secrets, and where they are.
    let mut shown = ["target", "alarm"].map(|name| seen(directory.path(), name)).concat();
    assert_eq!(shown.matches("\nPLAIN=plain\n").count(), 2, "{shown}");
    assert!(!shown.contains("CREDENTIALS_DIRECTORY"), "{shown}");
    for path in [
        "/",
        "/status",
        "/t/three",
        "/t/wrong",
        "/api/status.json",
        "/api/targets.json",
        "/api/targets/three.json",
        "/metrics?devices=all",
    ] {
        shown += &run.get(path);
    }
    shown += &run.status(&["--all"]).1;
    let command_line = std::fs::read(format!("/proc/{}/cmdline", run.process.id())).unwrap();
    shown += &String::from_utf8_lossy(&command_line);
    let events = run.end();
    shown += &events.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let remark = "target odd is not measured: its community: there is no secret nowhere in ";
    assert!(shown.contains(remark), "{shown}");
    assert!(!shown.contains("Hush"), "{shown}");
}

#[test]
fn errors_about_secrets_show_none() {
    let network = network(|config| config.community = COMMUNITY.to_owned());
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mrtg.cfg");
    let text = configuration(&network, directory.path());
    let open = secret_file(directory.path(), "open", &format!("core={COMMUNITY}\n"), 0o644);
    let said = |text: &str, words: &[&str]| {
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
        let command = command.arg("run").arg(&file).args(["--no-web", "--once"]).args(words);
        let output = command.env_remove("CREDENTIALS_DIRECTORY").output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(!said.contains("Hush"), "{said}");
        said
    };
    let open = format!("--secrets={}", open.display());
    assert!(said(&text, &[&open]).contains("open: it has mode 0644"));
    assert!(said(&text, &[&open, "--log=json"]).contains("\"event\":\"failed\""));
    assert!(said(&text, &["--secrets=credentials"]).contains("no CREDENTIALS_DIRECTORY"));
    assert!(said(&text, &["--secrets=/nowhere"]).contains("/nowhere: cannot be read"));
    // Mistakes in the lines that have secrets.
    let wrong = [
        format!("Target[x]: 1:{COMMUNITY}\n"),
        format!("Target[x]: 1:{COMMUNITY}@\n"),
        format!("Target[x]: one:{COMMUNITY}@h\n"),
        format!("Target[x]: 1:{COMMUNITY}@h:port\n"),
        format!("Target[x]: 1:{COMMUNITY}@h + (1:{COMMUNITY}@h\n"),
        // Continued without a blank in front.
        format!("1:{COMMUNITY}@h\n"),
        format!("SnmpOptions: username=>'a',\nauthpassword=>'{COMMUNITY}'\n"),
        format!("SnmpOptions: username=>'a',\n'authpassword' => '{COMMUNITY}'\n"),
        format!("SnmpOptions[x]: authpassword=>{COMMUNITY}\nTarget[x]: 1:a@h:::::3\n"),
        format!("SnmpOptions: username=>'a' authpassword=>'{COMMUNITY}'\n"),
        format!("SnmpOptions: authpassword='{COMMUNITY}'\n"),
    ];
    for lines in wrong {
        let whole = format!("WorkDir: {}\nTitle[_]: t\nMaxBytes[_]: 1\n{lines}", file.display());
        std::fs::write(&file, &whole).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
        let command = command.arg("run").arg(&file).args(["--no-web", "--once"]);
        let output = command.output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!said.contains("Hush"), "{lines}: {said}");
        assert!(!said.is_empty(), "{lines}");
    }
}
