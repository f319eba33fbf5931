//! Packages of rpm, in a database of its own over a root of its own.

use std::path::Path;
use std::process::Command;

use crate::debian::Debian;
use crate::packages::{at_hand, earlier};

/// What rpm says; it must succeed. Other packages are not asked for: the root is a Debian's, of which
/// the database of rpm knows nothing.
fn rpm(root: &Path, words: &[&str], packages: &[std::path::PathBuf]) -> String {
    let program = oracle::program("rpm", "packages of rpm").expect("asked for before");
    let mut command = Command::new(program);
    command.arg("--root").arg(root).args(words).args(packages);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "rpm {words:?}\n{said}\n{errors}");
    said
}

#[test]
#[ignore = "it fetches a Debian: cargo xtask package --try"]
fn a_life_of_the_packages_by_rpm() {
    if oracle::program("rpm", "packages of rpm").is_none() {
        return;
    }
    let Some(debian) = Debian::new() else { return };
    debian.says("dpkg --purge --force-all rrdtool rrdcached");
    let root = debian.root();
    rpm(root, &["--initdb"], &[]);
    rpm(root, &["--install", "--nodeps"], &earlier(".rpm"));
    assert!(debian.says("rrdtool --version").contains("answered by gyre"));
    debian.says("echo OPTIONS=--no-web >>/etc/default/gyre-run");

    rpm(root, &["--upgrade", "--nodeps"], &at_hand(".rpm"));
    let told = rpm(root, &["--query", "--all", "--queryformat", "%{NAME} %{VERSION}\n"], &[]);
    let mut names: Vec<&str> = told.lines().collect();
    names.sort_unstable();
    let version = env!("CARGO_PKG_VERSION");
    let expected = ["gyre", "gyre-compat", "librrd8-gyre"].map(|name| format!("{name} {version}"));
    assert_eq!(names, expected);
    assert!(debian.says("cat /etc/default/gyre-run").ends_with("OPTIONS=--no-web\n"));
    assert!(debian.says("ldconfig -p").contains("/usr/lib64/gyre/librrd.so.8"));
    // The operator's change is all that differs from what was packed.
    let verified = rpm_verifies(root);
    assert_eq!(verified, ["/etc/default/gyre-run"], "{verified:?}");

    rpm(root, &["--erase", "--nodeps", "gyre-compat", "librrd8-gyre", "gyre"], &[]);
    assert_eq!(debian.says("command -v gyre rrdtool || true"), "");
    assert!(!debian.says("ldconfig -p").contains("/gyre/"));
    assert!(debian.says("cat /etc/default/gyre-run.rpmsave").ends_with("OPTIONS=--no-web\n"));
    assert_eq!(debian.says("find /usr -name '*gyre*'"), "");
}

/// The files that are not as they were packed.
fn rpm_verifies(root: &Path) -> Vec<String> {
    let mut command = Command::new("rpm");
    command.arg("--root").arg(root).args(["--verify", "--nodeps", "--all"]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let path = |line: &str| line.split_whitespace().last().unwrap_or_default().to_owned();
    said.lines().map(path).collect()
}
