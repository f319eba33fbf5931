//! A Debian below a directory, with Debian's own rrdtool and rrdcached.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

/// What Debian has there before gyre comes.
const PACKAGES: &str = "systemd rrdtool rrdcached librrds-perl curl ca-certificates";

/// A machine that goes away with the test.
pub(crate) struct Debian {
    root: tempfile::TempDir,
}

/// Only one test at a time makes the system that all copy.
static FIRST: Mutex<()> = Mutex::new(());

impl Debian {
    /// A copy of a clean system, which is fetched once. `None` without the program that fetches it.
    pub(crate) fn new() -> Option<Self> {
        let debootstrap = oracle::program("debootstrap", "packages in a clean Debian")?;
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/package");
        std::fs::create_dir_all(&target).unwrap();
        let clean = target.join("debian");
        let guard = FIRST.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !clean.exists() {
            fetch(&debootstrap, &clean);
        }
        drop(guard);
        let root = tempfile::tempdir_in(&target).unwrap();
        let copied = Command::new("cp").arg("-a").arg(clean.join(".")).arg(root.path()).status();
        assert!(copied.unwrap().success());
        Some(Self { root })
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// What a script prints; it must succeed.
    pub(crate) fn says(&self, script: &str) -> String {
        let output = run(self.root(), script);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}\n{said}\n{errors}");
        said
    }

    /// Installs packages by dpkg, from a directory within, as `apt install ./*.deb` does.
    pub(crate) fn install(&self, packages: &[PathBuf]) {
        let place = self.root().join("packages");
        let _ = std::fs::remove_dir_all(&place);
        std::fs::create_dir(&place).unwrap();
        for package in packages {
            std::fs::copy(package, place.join(package.file_name().unwrap())).unwrap();
        }
        self.says("dpkg --install /packages/*.deb && rm -r /packages");
    }
}

/// Runs a script within: mounts and processes that it leaves go away with it.
fn run(root: &Path, script: &str) -> Output {
    let whole = format!("mount -t proc proc /proc && {script}");
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork", "--kill-child", "chroot"]).arg(root);
    command.args(["sh", "-ec", &whole]);
    command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("LC_ALL", "C.UTF-8");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command.output().unwrap()
}

/// Fetches a system from where this machine's own packages come, under another name until it is
/// whole.
fn fetch(debootstrap: &Path, clean: &Path) {
    let half = clean.with_extension("half");
    let _ = std::fs::remove_dir_all(&half);
    let mut command = Command::new(debootstrap);
    command.args(["--variant=minbase", &release()]).arg(&half).arg(mirror());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    // Services are for machines that boot.
    let policy = "printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d && \
                  chmod +x /usr/sbin/policy-rc.d";
    let install = "apt-get install --quiet=2 --yes --no-install-recommends";
    let output = run(&half, &format!("{policy} && {install} {PACKAGES} && apt-get clean"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::rename(&half, clean).unwrap();
}

/// The name of the release that this machine has.
fn release() -> String {
    let text = std::fs::read_to_string("/etc/os-release").unwrap();
    let name = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    name.expect("a release of Debian").to_owned()
}

/// Where apt fetches the release's packages.
fn mirror() -> String {
    let mut command = Command::new("apt-get");
    command.args(["indextargets", "--format", "$(SITE) $(RELEASE)", "Created-By: Packages"]);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let wanted = release();
    let of_release = |line: &str| {
        let (site, release) = line.split_once(' ')?;
        (release == wanted).then(|| site.to_owned())
    };
    text.lines().find_map(of_release).expect("apt knows where the release's packages are")
}
