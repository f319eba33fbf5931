//! Real rrdtools of other machines, whose files gyre must read: Debian's packages, unpacked below
//! `target/foreign` and run by emulators.
//!
//! They are not installed, because an rrdtool of another architecture would replace this machine's.
//! apt is asked with a configuration of its own which packages rrdtool needs on an empty machine.
//! It changes no package of this machine, and needs no root.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{Outcome, cargo};

/// A kind of machine.
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    /// Debian's name for it.
    debian: &'static str,
    /// Releases of Debian that have it with this layout. The next one is tried if a release cannot
    /// be had, for example while a mirror is being updated.
    suites: &'static [&'static str],
    /// The directory of its libraries.
    triplet: &'static str,
    /// The loader of its programs.
    loader: &'static str,
    emulator: &'static str,
}

/// Machines whose file layouts differ from ours and from each other.
pub(crate) const MACHINES: [Machine; 4] = [
    Machine {
        name: "i386",
        debian: "i386",
        suites: &["bookworm"],
        triplet: "i386-linux-gnu",
        loader: "usr/lib/i386-linux-gnu/ld-linux.so.2",
        emulator: "qemu-i386",
    },
    Machine {
        name: "armhf",
        debian: "armhf",
        suites: &["bookworm"],
        triplet: "arm-linux-gnueabihf",
        loader: "usr/lib/arm-linux-gnueabihf/ld-linux-armhf.so.3",
        emulator: "qemu-arm",
    },
    // Since trixie its times have 64 bits.
    Machine {
        name: "armhf-time64",
        debian: "armhf",
        suites: &["trixie", "forky", "sid"],
        triplet: "arm-linux-gnueabihf",
        loader: "usr/lib/arm-linux-gnueabihf/ld-linux-armhf.so.3",
        emulator: "qemu-arm",
    },
    Machine {
        name: "s390x",
        debian: "s390x",
        suites: &["bookworm"],
        triplet: "s390x-linux-gnu",
        loader: "usr/lib/s390x-linux-gnu/ld64.so.1",
        emulator: "qemu-s390x",
    },
];

/// What is not tested without them.
pub(crate) const TESTS: &str = "files that other machines write, read and converted";

/// Fetches the missing ones; returns the names of those that are still missing.
pub(crate) fn provide(may_fetch: bool) -> Vec<&'static str> {
    for machine in MACHINES.iter().filter(|machine| may_fetch && !machine.is_there()) {
        eprintln!("fetching rrdtool for {}", machine.name);
        machine.fetch();
    }
    let missing = MACHINES.iter().filter(|machine| !machine.is_there());
    missing.map(|machine| machine.name).collect()
}

impl Machine {
    fn place(&self) -> PathBuf {
        cargo::root().join("target").join("foreign").join(self.name)
    }

    /// The script that runs it, which is written last.
    fn program(&self) -> PathBuf {
        self.place().join("rrdtool")
    }

    pub(crate) fn is_there(&self) -> bool {
        self.program().is_file()
    }

    /// Fetches it and prints why it failed, if it did; the caller reports that it is missing.
    fn fetch(&self) {
        for suite in self.suites {
            match self.fetch_from(suite) {
                Ok(()) => return,
                Err(reason) => eprintln!("{} of {suite}: {reason}", self.name),
            }
        }
    }

    fn fetch_from(&self, suite: &str) -> Outcome {
        let place = self.place();
        let told = |error: std::io::Error| format!("{}: {error}", place.display());
        if place.exists() {
            std::fs::remove_dir_all(&place).map_err(told)?; // what was cut short
        }
        for directory in ["root", "state/lists/partial", "cache/archives/partial"] {
            std::fs::create_dir_all(place.join(directory)).map_err(told)?;
        }
        let write = |name: &str, text: &str| std::fs::write(place.join(name), text).map_err(told);
        write("status", "")?;
        write("sources.list", &format!("deb {} {suite} main\n", mirror()?))?;
        write("apt.conf", &self.apt_configuration())?;
        self.apt_get(&["update", "--quiet=2"])?;
        self.apt_get(&["install", "--quiet=2", "--yes", "--download-only", "rrdtool"])?;
        self.unpack()?;
        self.write_program().map_err(told)
    }

    /// A configuration of apt for an empty machine.
    fn apt_configuration(&self) -> String {
        let place = self.place();
        let place = place.display();
        format!(
            "APT::Architecture \"{debian}\";\n\
             APT::Architectures {{ \"{debian}\"; }};\n\
             APT::Install-Recommends \"false\";\n\
             APT::Sandbox::User \"\";\n\
             Acquire::Languages \"none\";\n\
             Acquire::Retries \"3\";\n\
             Dir::State \"{place}/state\";\n\
             Dir::State::status \"{place}/status\";\n\
             Dir::Cache \"{place}/cache\";\n\
             Dir::Etc::sourcelist \"{place}/sources.list\";\n\
             Dir::Etc::sourceparts \"/dev/null\";\n",
            debian = self.debian,
        )
    }

    fn apt_get(&self, arguments: &[&str]) -> Outcome {
        let mut command = Command::new("apt-get");
        command.args(arguments).stdin(Stdio::null());
        command.env("APT_CONFIG", self.place().join("apt.conf"));
        cargo::run(&mut command)
    }

    fn unpack(&self) -> Outcome {
        let archives = self.place().join("cache").join("archives");
        let told = |error: std::io::Error| format!("{}: {error}", archives.display());
        for entry in std::fs::read_dir(&archives).map_err(told)? {
            let package = entry.map_err(told)?.path();
            if package.extension().is_some_and(|extension| extension == "deb") {
                let mut command = Command::new("dpkg-deb");
                command.arg("--extract").arg(&package).arg(self.place().join("root"));
                cargo::run(&mut command)?;
                std::fs::remove_file(&package).map_err(told)?;
            }
        }
        Ok(())
    }

    /// Writes the script that runs it like a native program.
    fn write_program(&self) -> std::io::Result<()> {
        let root = self.place().join("root");
        // Some packages still name /lib instead of /usr/lib.
        let loader = [self.loader, self.loader.trim_start_matches("usr/")]
            .map(|path| root.join(path))
            .into_iter()
            .find(|path| path.exists())
            .ok_or_else(|| std::io::Error::other(format!("no {} was unpacked", self.loader)))?;
        let is_at_home = cfg!(target_arch = "x86_64") && self.debian == "i386";
        let emulator = if is_at_home { "" } else { self.emulator };
        let script = format!(
            "#!/bin/sh\nexec {emulator} {loader} --library-path \
             {root}/usr/lib/{triplet}:{root}/lib/{triplet} {root}/usr/bin/rrdtool \"$@\"\n",
            loader = loader.display(),
            root = root.display(),
            triplet = self.triplet,
        );
        let unfinished = self.place().join("rrdtool.new");
        std::fs::write(&unfinished, script)?;
        std::fs::set_permissions(&unfinished, std::fs::Permissions::from_mode(0o755))?;
        std::fs::rename(&unfinished, self.program())
    }
}

/// The mirror of this machine's Debian packages.
fn mirror() -> Result<String, String> {
    let output = Command::new("apt-get")
        .args(["indextargets", "--format", "$(REPO_URI)"])
        .args(["Created-By: Packages", "Origin: Debian", "Label: Debian", "Component: main"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("apt-get: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let first = text.lines().next().map(str::to_owned);
    first.ok_or_else(|| "this machine has no packages of Debian".into())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::MACHINES;

    #[test]
    fn each_machine_has_its_own_place() {
        let mut places: Vec<_> = MACHINES.iter().map(super::Machine::place).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), MACHINES.len());
        assert!(places.iter().all(|place| place.parent().is_some_and(Path::is_absolute)));
    }
}
