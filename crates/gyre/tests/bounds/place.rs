//! A directory in which gyre runs within limits.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Processor seconds that a command may take, so that a hang fails instead of running forever.
const SECONDS: u64 = 60;

/// A directory in which gyre runs.
pub(crate) struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Runs `gyre` with at most this much address space; a panic or an abort fails the test.
    pub(crate) fn gyre(&self, memory_mib: u64, words: &[&str]) -> Output {
        let output = self.shell(memory_mib, "exec \"$0\" \"$@\"", words);
        assert_eq!(output.status.signal(), None, "{words:?}: {}", told(&output));
        assert!(matches!(output.status.code(), Some(0..=2)), "{words:?}: {}", told(&output));
        output
    }

    /// Runs a script in which `"$0" "$@"` is the command, within the same limit.
    pub(crate) fn shell(&self, memory_mib: u64, script: &str, words: &[&str]) -> Output {
        let memory_kib = memory_mib * 1024;
        let script = format!("ulimit -v {memory_kib}; ulimit -t {SECONDS}; {script}");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_gyre")]).args(words);
        command.current_dir(self.path()).env_remove("RRDCACHED_ADDRESS").env("TZ", "UTC");
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// Runs a command that must succeed.
    pub(crate) fn works(&self, words: &[&str]) {
        let output = self.gyre(4000, words);
        assert!(output.status.success(), "{words:?}: {}", told(&output));
    }

    /// Runs a command that must be refused in one line, and leave no new file behind. Returns the
    /// line.
    pub(crate) fn refused(&self, words: &[&str]) -> String {
        let before = self.names();
        let output = self.gyre(1000, words);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {}", told(&output));
        let error = told(&output);
        let one_line = error.starts_with("ERROR: ") && error.trim_end().lines().count() == 1;
        assert!(one_line, "{words:?}: {error}");
        assert_eq!(self.names(), before, "{words:?}: {error}");
        error
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// A command's standard error.
pub(crate) fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
