//! An agent whose values the test sets.

use std::fs;
use std::net::UdpSocket;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::super::{Process, Programs};
use super::site::{ALARM, Site, write_program};

const ROOT: &str = "1.3.6.1.4.1.8072.9999.7";

/// snmpd asks it for every value; there is none without a file.
const VALUES: &str = r#"#!/bin/sh
case $1 in
-g) file=${0%/*}/value.${2##*.} ;;
*) exit ;;
esac
test -e "$file" && echo "$2" && cat "$file"
"#;

/// A directory with an snmpd that answers with values from files.
pub(super) struct Agent {
    pub(super) directory: PathBuf,
    target: String,
    _snmpd: Process,
}

impl Agent {
    pub(super) fn start(programs: &Programs, name: &str) -> Self {
        let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let directory =
            std::env::temp_dir().join(format!("gyre-alarms-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        write_program(&directory.join("values"), VALUES);
        let config = directory.join("snmpd.conf");
        let text = format!(
            "rocommunity public 127.0.0.1\nagentAddress udp:{address}\n\
             pass .{ROOT} /bin/sh {}/values\n",
            directory.display()
        );
        fs::write(&config, text).unwrap();
        let snmpd = Command::new("timeout")
            .arg("120")
            .arg(&programs.snmpd)
            .args(["-f", "-C", "-c"])
            .arg(&config)
            .arg("-Lf")
            .arg(directory.join("snmpd.log"))
            .env("SNMP_PERSISTENT_DIR", &directory)
            .env("MIBS", "")
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let target = format!("{ROOT}.1&{ROOT}.2:public@127.0.0.1:{}:::::2", address.port());
        let agent = Self { directory, target, _snmpd: Process(snmpd) };
        fs::write(agent.directory.join("value.3"), "gauge\n1\n").unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        // snmpd keeps the answer to the last question for 30 s, so this one is not asked again.
        let get =
            ["-v2c", "-c", "public", "-t1", "-r0", &address.to_string(), &format!("{ROOT}.3")];
        while !Command::new(&programs.snmpget)
            .args(get)
            .env("MIBS", "")
            .stderr(Stdio::null())
            .output()
            .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Gauge32: 1"))
        {
            assert!(Instant::now() < deadline, "snmpd does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        agent
    }

    /// The answers from now on: type and value.
    pub(super) fn answer(&self, values: [Option<&str>; 2]) {
        for (nth, value) in (1..).zip(values) {
            let path = self.directory.join(format!("value.{nth}"));
            match value {
                Some(value) => fs::write(path, format!("{value}\n")).unwrap(),
                None => drop(fs::remove_file(path)),
            }
        }
    }

    /// A directory with programs, and in it a configuration: that text with its words replaced.
    pub(super) fn site(&self, name: &str, text: &str, more: &[(&str, &str)]) -> Site {
        let directory = self.directory.join(name);
        for each in ["work", "marks"] {
            fs::create_dir_all(directory.join(each)).unwrap();
        }
        for each in ["in", "out", "okin", "okout", "odd"] {
            write_program(&directory.join(each), ALARM);
        }
        let mut text = text.to_owned();
        let own = [("DIR", &*directory.display().to_string()), ("AGENT", &*self.target)];
        for (word, by) in more.iter().chain(&own) {
            text = text.replace(word, by);
        }
        fs::write(directory.join("site.cfg"), text).unwrap();
        Site { directory }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}
