//! Both programs over one database.

use std::fmt;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A directory with the database `a.rrd`: sources `a`, which is unknown for a while, and `b`.
pub(crate) struct Place {
    directory: TempDir,
    rrdtool: Option<PathBuf>,
}

/// What a program did.
#[derive(PartialEq)]
pub(crate) struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
    /// The bytes of the file `picture`.
    picture: Option<Vec<u8>>,
}

impl Outcome {
    pub(crate) fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// Whether another program did the same. Blanks do not count: rrdtool puts commas of JSON on
    /// lines of their own.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        let bare = |outcome: &Self| {
            let bytes = outcome.picture.iter().flatten().copied();
            bytes.filter(|byte| !byte.is_ascii_whitespace()).collect::<Vec<u8>>()
        };
        (self.code, &self.stdout, &self.stderr) == (other.code, &other.stdout, &other.stderr)
            && bare(self) == bare(other)
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let picture = self.picture.as_deref().unwrap_or_default();
        let begin = String::from_utf8_lossy(picture.get(..700).unwrap_or(picture));
        write!(to, "{:?} {:?} {:?}", self.code, self.stdout, self.stderr)?;
        write!(to, " {} bytes: {begin:?}", picture.len())
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        symlink(env!("CARGO_BIN_EXE_gyre"), directory.path().join("rrdtool")).unwrap();
        let place = Self { directory, rrdtool: oracle::program("rrdtool", "graphs of two values") };
        let sources = "DS:a:GAUGE:600:U:U DS:b:GAUGE:600:U:U";
        let archives = "RRA:AVERAGE:0.5:1:200 RRA:AVERAGE:0.5:6:100 RRA:MAX:0.5:6:100";
        place.make(&format!("create a.rrd -b 1000000000 -s 300 {sources} {archives}"));
        let update = |row: i64| {
            let a = if (40..44).contains(&row) { "U".into() } else { (row * row % 37).to_string() };
            format!(" {}:{a}:{}", 1_000_000_000 + row * 300, row % 11)
        };
        place.make(&format!("update a.rrd{}", (1..=100).map(update).collect::<String>()));
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Runs gyre as rrdtool.
    pub(crate) fn ours(&self, words: &[String]) -> Outcome {
        self.run(&self.path().join("rrdtool"), words)
    }

    /// Runs Debian's rrdtool, if it is there.
    pub(crate) fn theirs(&self, words: &[String]) -> Option<Outcome> {
        Some(self.run(self.rrdtool.as_deref()?, words))
    }

    pub(crate) fn make(&self, line: &str) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let made = self.ours(&words);
        assert!(made.is_success(), "{line}: {made:?}");
    }

    fn run(&self, program: &Path, words: &[String]) -> Outcome {
        let picture = self.path().join("picture");
        let _ = fs::remove_file(&picture);
        let mut command = Command::new(program);
        command.args(words).current_dir(self.path()).env_clear().stdin(Stdio::null());
        // West of Greenwich, so that --utc tells.
        command.envs([("TZ", "America/New_York"), ("LC_ALL", "C"), ("HOME", "/root")]);
        let output = command.output().unwrap();
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            picture: fs::read(&picture).ok(),
        }
    }
}
