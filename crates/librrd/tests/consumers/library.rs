//! The two libraries, and programs under each.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

/// Seconds after which a program is ended that hangs.
const PATIENCE: &str = "120";

/// Whose library a program gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    Debian,
    Ours,
}

pub(crate) const BOTH: [Library; 2] = [Library::Debian, Library::Ours];

/// A directory in which our library has the names that programs ask for. Anybody may read it: some
/// programs do not run as root.
static OURS: LazyLock<TempDir> = LazyLock::new(|| {
    let directory = place();
    let readable = Permissions::from_mode(0o755);
    fs::set_permissions(directory.path(), readable).expect("permissions of our own directory");
    let library = directory.path().join("librrd.so.8");
    let linked = fs::hard_link(built(), &library);
    linked.or_else(|_| fs::copy(built(), &library).map(drop)).expect("the library in its place");
    symlink("librrd.so.8", directory.path().join("librrd.so")).expect("a name for the library");
    directory
});

/// An empty directory. Its name begins with a letter: collectd has no others.
pub(crate) fn place() -> TempDir {
    tempfile::Builder::new().prefix("librrd-").tempdir().expect("an empty directory")
}

/// The directory of [`OURS`].
pub(crate) fn directory() -> &'static Path {
    OURS.path()
}

/// What cargo built for this test: it lies beside the test itself.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a place");
    let library = test.with_file_name("librrd_abi.so");
    assert!(library.is_file(), "{} is missing", library.display());
    library
}

/// Our own headers.
pub(crate) fn include() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include")
}

/// A script or source of these tests.
pub(crate) fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)
}

impl Library {
    /// A command that ends by itself, in UTC and the C locale, with this library below it.
    pub(crate) fn command(self, program: &Path) -> Command {
        let mut command = Command::new("timeout");
        command.arg("--foreground").arg(PATIENCE).arg(program);
        self.set(&mut command);
        command
    }

    /// Has a command load this library.
    pub(crate) fn set(self, command: &mut Command) {
        command.env("TZ", "UTC").env("LC_ALL", "C").env_remove("RRDCACHED_ADDRESS");
        command.env_remove("LD_LIBRARY_PATH").stdin(Stdio::null());
        if self == Self::Ours {
            command.env("LD_LIBRARY_PATH", directory());
        }
    }

    /// What a command of this library's says, on both of its outputs.
    pub(crate) fn said(self, command: &mut Command) -> String {
        let output = command.output().expect("the program starts");
        let said = text(&output);
        assert!(output.status.success(), "{self:?}: {}\n{said}", output.status);
        said
    }
}

/// Standard output, then standard error.
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// Asserts that two texts are equal, line by line, so that the first difference is told.
pub(crate) fn assert_same(debian: &str, ours: &str) {
    for (nth, (theirs, our)) in debian.lines().zip(ours.lines()).enumerate() {
        assert_eq!(our, theirs, "line {}", nth + 1);
    }
    assert_eq!(ours, debian);
}
