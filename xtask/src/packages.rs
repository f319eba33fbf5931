//! The programs that our tests compare gyre with, and their Debian packages.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Outcome;

/// A program or file that some tests need.
pub(crate) struct Need {
    pub(crate) package: &'static str,
    presence: Presence,
    /// What is not tested without it.
    pub(crate) tests: &'static str,
}

/// How to check that a need is met.
enum Presence {
    Program(&'static str),
    File(&'static str),
    /// A program that must succeed with these arguments. Debian's own interpreters are given by
    /// path, because only they find the modules of its packages.
    Success(&'static str, &'static [&'static str]),
}

use Presence::{File, Program, Success};

/// All needs of the tests.
pub(crate) const NEEDS: &[Need] = &[
    need("rrdtool", Program("rrdtool"), "files, updates and graphs against rrdtool"),
    need("rrdcached", Program("rrdcached"), "its protocol"),
    need(
        "librrds-perl",
        Success("/usr/bin/perl", &["-MRRDs", "-e", "1"]),
        "mrtg writing .rrd files, our librrd under Perl",
    ),
    need(
        "python3-rrdtool",
        Success("/usr/bin/python3", &["-c", "import rrdtool"]),
        "our files read from Python, our librrd under it",
    ),
    need(
        "librrd-dev",
        File("/usr/include/rrd_format.h"),
        "our librrd under programs that were made for Debian's",
    ),
    need("lua-rrd", File("/usr/lib/x86_64-linux-gnu/lua/5.1/rrd.so"), "our librrd under Lua"),
    need("lua5.1", Program("lua5.1"), "Lua's module of rrdtool"),
    need("ruby-rrd", Success("/usr/bin/ruby", &["-e", "require 'RRD'"]), "our librrd under Ruby"),
    need("mrtg", Program("mrtg"), "one configuration under mrtg and gyre"),
    need("munin", Program("munin-check"), "our librrd under Munin updating and drawing"),
    need("smokeping", Program("smokeping"), "our librrd under SmokePing drawing"),
    need(
        "collectd-core",
        Program("collectd"),
        "our librrd under collectd, and what collectd sends to agents' sockets",
    ),
    need("binutils", Program("nm"), "the exported names of our librrd"),
    need("snmpd", Program("snmpd"), "polling a real SNMP agent"),
    need("snmp", Program("snmpbulkwalk"), "the simulated network read by net-snmp"),
    need(
        "qemu-user",
        Program("qemu-s390x"),
        "rrdtools of other machines, whose files ours must read",
    ),
    need(
        "locales",
        File("/usr/share/i18n/locales/de_DE"),
        "that no locale's decimal comma reaches what gyre prints",
    ),
    need("mariadb-server", Program("mariadbd"), "rows in a real MariaDB"),
    need("mariadb-client", Program("mariadb"), "what gyre wrote, read by MariaDB's own client"),
    need(
        "postgresql",
        Success("/bin/sh", &["-c", "ls /usr/lib/postgresql/*/bin/initdb"]),
        "rows in a real PostgreSQL",
    ),
    need("sqlite3", Program("sqlite3"), "what gyre wrote, read by SQLite's own program"),
    need(
        "libdbd-mysql",
        File("/usr/lib/x86_64-linux-gnu/dbd/libdbdmysql.so"),
        "graphs of rows in MariaDB against rrdtool",
    ),
    need(
        "libdbd-pgsql",
        File("/usr/lib/x86_64-linux-gnu/dbd/libdbdpgsql.so"),
        "graphs of rows in PostgreSQL against rrdtool",
    ),
    need(
        "libdbd-sqlite3",
        File("/usr/lib/x86_64-linux-gnu/dbd/libdbdsqlite3.so"),
        "graphs of rows in SQLite against rrdtool",
    ),
    need("python3-venv", Success("python3", &["-c", "import ensurepip"]), "DuckDB and pyarrow"),
    need(
        "victoria-metrics",
        Program("victoria-metrics"),
        "what gyre wrote as line protocol, read by a database",
    ),
    need("prometheus", Program("prometheus"), "PromQL and its answers against Prometheus"),
    need(
        "prometheus-alertmanager",
        Program("prometheus-alertmanager"),
        "alerts against Alertmanager",
    ),
    need(
        "graphite-web",
        Success("/usr/bin/python3", &["-c", "import django, graphite"]),
        "Graphite's functions and answers against graphite-web",
    ),
    need(
        "graphite-carbon",
        Program("carbon-cache"),
        "Graphite's answers against graphite-web over what carbon keeps",
    ),
    need("man-db", Program("lexgrog"), "the manual as man -k has it"),
    need("groff", Program("groff"), "the manual read by man, its warnings included"),
    need("mandoc", Program("mandoc"), "the manual read by mandoc"),
    need("zsh", Program("zsh"), "completions in zsh"),
    need("fish", Program("fish"), "completions in fish"),
    need("openssl", Program("openssl"), "databases reached by TLS"),
    need("strace", Program("strace"), "programs of gyre run that a kill does not end"),
    need("systemd", Program("systemd-analyze"), "our systemd units"),
    need("chromium", Program("chromium"), "the pages in a browser"),
    need("nodejs", Program("node"), "the pages used in a browser"),
    need("npm", Program("npm"), "the pages used in a browser"),
    need("poppler-utils", Program("pdftoppm"), "graphs as PDF, drawn and read by others"),
    need("ghostscript", Program("gs"), "graphs as EPS, drawn by others"),
    need(
        "fonts-hosny-amiri",
        File("/usr/share/fonts/opentype/fonts-hosny-amiri/Amiri-Regular.ttf"),
        "Arabic texts in graphs",
    ),
    need(
        "fonts-lohit-deva",
        File("/usr/share/fonts/truetype/lohit-devanagari/Lohit-Devanagari.ttf"),
        "texts in Devanagari in graphs",
    ),
    need(
        "fonts-vlgothic",
        File("/usr/share/fonts/truetype/vlgothic/VL-Gothic-Regular.ttf"),
        "Japanese texts in graphs",
    ),
    need(
        "fonts-dejavu-core",
        File("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"),
        "text in graphs and screenshots",
    ),
];

/// The needs of fuzzing apart from cargo.
pub(crate) const FUZZ_NEEDS: &[Need] = &[need("g++", Program("c++"), "the fuzz targets")];

/// The needs of packages for another machine than this one.
pub(crate) const PACKAGE_NEEDS: &[Need] = &[
    need("gcc-aarch64-linux-gnu", Program("aarch64-linux-gnu-gcc"), "packages for arm64"),
    need(
        "libc6-dev-arm64-cross",
        File("/usr/aarch64-linux-gnu/include/stdlib.h"),
        "packages for arm64",
    ),
];

/// The needs of trials of packages.
pub(crate) const INSTALL_NEEDS: &[Need] = &[
    need("debootstrap", Program("debootstrap"), "packages in a clean Debian"),
    need("rpm", Program("rpm"), "packages of rpm"),
    need("rpmlint", Program("rpmlint"), "what rpm's checker says of packages"),
    need("lintian", Program("lintian"), "what Debian's checker says of packages"),
    need("qemu-user", Program("qemu-aarch64"), "the program for arm64"),
];

const fn need(package: &'static str, presence: Presence, tests: &'static str) -> Need {
    Need { package, presence, tests }
}

impl Need {
    pub(crate) fn is_met(&self) -> bool {
        match self.presence {
            Program(name) => find(name).is_some(),
            File(path) => Path::new(path).exists(),
            Success(program, arguments) => Command::new(program)
                .args(arguments)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success()),
        }
    }
}

/// Installs missing packages if that is permitted; returns what is still missing.
pub(crate) fn provide(needs: &[Need], may_install: bool) -> Vec<&Need> {
    let missing = || needs.iter().filter(|need| !need.is_met()).collect();
    let absent: Vec<&Need> = missing();
    if absent.is_empty() || !may_install || !can_install() {
        return absent;
    }
    if let Err(reason) = install(&absent) {
        eprintln!("{reason}"); // what is missing then is told below
    }
    missing()
}

/// Whether this is a Debian-like system on which we are root.
pub(crate) fn can_install() -> bool {
    rustix::process::geteuid().is_root() && find("apt-get").is_some()
}

fn install(needs: &[&Need]) -> Outcome {
    let packages: Vec<&str> = needs.iter().map(|need| need.package).collect();
    eprintln!("installing {}", packages.join(" "));
    let _ban = ServiceBan::impose(Path::new("/usr/sbin/policy-rc.d"));
    apt_get(&["update", "--quiet=2"])?;
    let options = ["install", "--yes", "--quiet=2", "--no-install-recommends"];
    apt_get(&[&options[..], &packages[..]].concat())
}

/// Runs apt-get so that it asks no question and starts no daemon.
fn apt_get(arguments: &[&str]) -> Outcome {
    let mut command = Command::new("apt-get");
    command.args(arguments).stdin(Stdio::null());
    command.env("DEBIAN_FRONTEND", "noninteractive");
    // invoke-rc.d starts no service in the single-user run level.
    command.env("RUNLEVEL", "1");
    crate::cargo::run(&mut command)
}

/// While it lives, packages start no service where systemd runs, which asks this file alone. What
/// the machine itself says there stays.
struct ServiceBan<'a>(Option<&'a Path>);

impl<'a> ServiceBan<'a> {
    fn impose(policy: &'a Path) -> Self {
        let options = OpenOptions::new().write(true).create_new(true).mode(0o755).open(policy);
        let written = options.and_then(|mut file| file.write_all(b"#!/bin/sh\nexit 101\n"));
        Self(written.is_ok().then_some(policy))
    }
}

impl Drop for ServiceBan<'_> {
    fn drop(&mut self) {
        if let Some(policy) = self.0 {
            let _ = std::fs::remove_file(policy); // somebody may have removed it
        }
    }
}

/// A program in PATH, or where Debian installs daemons.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/usr/bin".into()])
        .map(|place| place.join(name))
        .find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::{FUZZ_NEEDS, NEEDS, Need, Presence, ServiceBan, provide};

    #[test]
    fn the_ban_of_services_goes_away_and_leaves_the_machines_own() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let policy = directory.path().join("policy-rc.d");
        let ban = ServiceBan::impose(&policy);
        let asked = std::process::Command::new(&policy).status().expect("it can be run");
        assert_eq!(asked.code(), Some(101));
        drop(ban);
        assert!(!policy.exists());
        std::fs::write(&policy, "the machine's own").expect("it is written");
        drop(ServiceBan::impose(&policy));
        assert_eq!(std::fs::read(&policy).expect("it stays"), b"the machine's own");
    }

    #[test]
    fn each_package_is_named_once() {
        let mut names: Vec<_> = NEEDS.iter().chain(FUZZ_NEEDS).map(|n| n.package).collect();
        names.sort_unstable();
        let many = names.len();
        names.dedup();
        assert_eq!(names.len(), many);
    }

    #[test]
    fn what_is_missing_is_named() {
        let needs = [
            Need {
                package: "no-such-package",
                presence: Presence::Program("no-such-program"),
                tests: "nothing",
            },
            Need {
                package: "dash",
                presence: Presence::Success("sh", &["-c", "exit 0"]),
                tests: "nothing",
            },
        ];
        let missing = provide(&needs, false);
        let names: Vec<_> = missing.iter().map(|need| need.package).collect();
        assert_eq!(names, ["no-such-package"]);
    }
}
