//! The systemd units: understood by systemd, and hardened.
#![allow(clippy::disallowed_methods)] // the test starts systemd-analyze

use std::path::{Path, PathBuf};
use std::process::Command;

/// The exposure that `systemd-analyze security` may find at most, in tenths: from 0 to 100.
const EXPOSURE_MAX: u32 = 15;

#[test]
fn systemd_understands_them() {
    let Some(analyze) = oracle::program("systemd-analyze", "the systemd units") else { return };
    let directory = tempfile::tempdir().unwrap();
    let units = installed_in(directory.path());
    let output = Command::new(analyze).arg("verify").args(&units).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
}

#[test]
fn the_service_is_hardened() {
    let Some(analyze) = oracle::program("systemd-analyze", "the systemd units") else { return };
    let directory = tempfile::tempdir().unwrap();
    let units = installed_in(directory.path());
    let service = units.iter().find(|unit| unit.extension().is_some_and(|it| it == "service"));
    let output = Command::new(analyze)
        .args(["security", "--offline=true", "--no-pager"])
        .arg(format!("--threshold={EXPOSURE_MAX}"))
        .arg(service.unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// The units as an installation has them, but for the place of the binary.
fn installed_in(directory: &Path) -> Vec<PathBuf> {
    let packaged = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/systemd");
    ["gyre-rrdcached.service", "gyre-rrdcached.socket"]
        .map(|name| {
            let text = std::fs::read_to_string(packaged.join(name)).unwrap();
            let unit = directory.join(name);
            std::fs::write(&unit, text.replace("/usr/bin/gyre", env!("CARGO_BIN_EXE_gyre")))
                .unwrap();
            unit
        })
        .into()
}
