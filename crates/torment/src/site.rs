//! The paths of a world, and gyre's commands for it.
//!
//! ```text
//! ROOM/socket log shadow/ ...      ours, on this machine's disk
//! DATA/base/  journal/  ring/      gyre's: below the room, or on a disk that fails
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::Checked;
use crate::world::{Kept, World};

/// The paths of a world, and the tested program.
pub(crate) struct Site {
    gyre: PathBuf,
    pub(crate) room: PathBuf,
    pub(crate) data: PathBuf,
    pub(crate) kept: Kept,
}

impl Site {
    /// Makes the directories.
    pub(crate) fn new(gyre: &Path, room: &Path, data: &Path, kept: Kept) -> Checked<Self> {
        let (gyre, room, data) = (gyre.into(), room.into(), data.into());
        let site = Self { gyre, room, data, kept };
        for directory in [site.base(), site.data.join("journal")] {
            fs::create_dir_all(&directory)
                .map_err(|error| format!("{}: {error}", directory.display()))?;
        }
        Ok(site)
    }

    /// The directory of files, or the base directory of a ring store's names.
    pub(crate) fn base(&self) -> PathBuf {
        self.data.join("base")
    }

    pub(crate) fn ring(&self) -> PathBuf {
        self.data.join("ring")
    }

    /// The path of a database, for the verbs.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        match self.kept {
            Kept::Files => self.base().join(name),
            Kept::Ring => self.ring().join(name),
        }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.room.join("socket")
    }

    /// The file with the standard error of the daemon and of all commands.
    pub(crate) fn log(&self) -> PathBuf {
        self.room.join("log")
    }

    /// A command of gyre that is killed when this program ends.
    pub(crate) fn gyre(&self) -> Command {
        // Only the kernel can do that if this program is killed itself.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(&self.gyre);
        command.env("TZ", "UTC").env("LC_ALL", "C").current_dir(&self.room);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Starts the daemon with the world's options.
    pub(crate) fn start_daemon(&self, world: &World) -> Checked<Child> {
        let _ = fs::remove_file(self.socket()); // a daemon that was killed leaves it
        let mut command = self.gyre();
        command.args(["rrdcached", "-g", "-t", "2", "-V", "LOG_WARNING", "--sync", world.sync]);
        command.args(["-w", &world.write_after_seconds.to_string(), "-l"]);
        command.arg(format!("unix:{}", self.socket().display()));
        command.arg("-b").arg(self.base()).arg("-p").arg(self.room.join("pid"));
        match self.kept {
            Kept::Files => command.args(["-B", "-R", "-j"]).arg(self.data.join("journal")),
            Kept::Ring => command.arg("--store").arg(self.ring()),
        };
        self.spawn(command.stderr(self.open_log()?))
    }

    /// Makes the ring store if it does not exist.
    pub(crate) fn make_ring(&self, world: &World) -> Checked<()> {
        let mut command = self.gyre();
        command.args(["store", "create"]).args(self.pace(world)).arg(self.ring());
        self.succeed(command)
    }

    /// The options for the pace of a new store.
    pub(crate) fn pace(&self, world: &World) -> [String; 4] {
        let (cycles, rows) = (world.flush_cycles.to_string(), world.tile_rows.to_string());
        ["--flush-cycles".into(), cycles, "--tile-rows".into(), rows]
    }

    pub(crate) fn spawn(&self, command: &mut Command) -> Checked<Child> {
        command.spawn().map_err(|error| format!("{command:?}: {error}"))
    }

    /// Runs a command, which must succeed.
    pub(crate) fn succeed(&self, command: Command) -> Checked<()> {
        let told = format!("{command:?}");
        let output = self.output(command)?;
        match output.status.success() {
            true => Ok(()),
            false => Err(format!("{told}: {}", text_of(&output))),
        }
    }

    /// Runs a command.
    pub(crate) fn output(&self, mut command: Command) -> Checked<Output> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        match said.contains("panicked") {
            true => Err(format!("{command:?}: {said}")),
            false => Ok(output),
        }
    }

    /// Opens the log for appending.
    pub(crate) fn open_log(&self) -> Checked<fs::File> {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.log());
        log.map_err(|error| format!("{}: {error}", self.log().display()))
    }

    /// Fails if a process of this world has panicked.
    pub(crate) fn check_log(&self) -> Checked<()> {
        let said = fs::read(self.log()).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        match said.lines().find(|line| line.contains("panicked")) {
            Some(line) => Err(format!("gyre panicked: {line}")),
            None => Ok(()),
        }
    }
}

/// The exit status and the output of a command.
pub(crate) fn text_of(output: &Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    format!("{}\n{}\n{}", output.status, out.trim_end(), error.trim_end())
}
