//! A configuration with its programs, and what a round leaves there.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::super::Programs;
use super::sink::Taken;

/// Each program tells its name, its arguments and some of its variables.
pub(super) const ALARM: &str = r#"#!/bin/sh
line=${0##*/}
for word; do line="$line|$word"; done
printf '%s|%s|%s|%s\n' "$line" "${THRESH_DESC-none}" "${HWTHRESH_DESC-none}" "${PLACE-none}" \
    >> "${0%/*}/log"
"#;

pub(super) fn write_program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// What one of the two programs works on.
pub(super) struct Site {
    pub(super) directory: PathBuf,
}

/// What a round left.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Left {
    /// What the programs told.
    pub(super) calls: Vec<String>,
    pub(super) marks: Vec<String>,
    pub(super) mails: Vec<Taken>,
}

impl Site {
    pub(super) fn configuration(&self) -> PathBuf {
        self.directory.join("site.cfg")
    }

    fn start(&self, mut command: Command) -> Child {
        let said = fs::File::create(self.directory.join("said")).unwrap();
        command
            .env("LANG", "C")
            .env("LC_ALL", "C")
            .env_remove("PLACE")
            .stdin(Stdio::null())
            .stdout(said.try_clone().unwrap())
            .stderr(said)
            .spawn()
            .unwrap()
    }

    pub(super) fn mrtg(&self, programs: &Programs) -> Child {
        let mut command = Command::new("timeout");
        command.arg("60").arg(&programs.mrtg).arg(self.configuration());
        self.start(command)
    }

    pub(super) fn gyre(&self) -> Child {
        let mut command = Command::new("timeout");
        command.args(["60", env!("CARGO_BIN_EXE_gyre"), "run"]).arg(self.configuration());
        command.args(["--once", "--rrd-files", "--listen", "127.0.0.1:0"]);
        self.start(command)
    }

    /// What the last round left, without this site's directory; its log is emptied.
    pub(super) fn left(&self, mails: &[Taken], sender: &str) -> Left {
        let log = self.directory.join("log");
        let told = fs::read_to_string(&log).unwrap_or_default();
        let _ = fs::remove_file(&log);
        let mut calls: Vec<String> = told.lines().map(str::to_owned).collect();
        let entries = fs::read_dir(self.directory.join("marks")).unwrap();
        let mut marks: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let own = mails.iter().filter(|mail| mail.from == sender);
        let mut mails: Vec<Taken> = own
            .map(|mail| Taken {
                from: String::new(),
                text: mail.text.replace(sender, "SENDER"),
                to: mail.to.clone(),
            })
            .collect();
        calls.sort();
        marks.sort();
        mails.sort();
        Left { calls, marks, mails }
    }

    /// Gives all targets a database that was updated last when the running step began.
    pub(super) fn remember(&self, past: &Path) {
        for target in ["plain", "share", "silent", "odd", "forecast"] {
            fs::copy(past, self.directory.join(format!("work/{target}.rrd"))).unwrap();
        }
    }

    pub(super) fn said(&self) -> String {
        fs::read_to_string(self.directory.join("said")).unwrap_or_default()
    }
}
