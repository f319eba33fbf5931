//! The one time that everything within packages has.

use std::path::Path;
use std::process::Command;

use crate::PackError;

/// A time as all archives can hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Seconds since 1970.
    pub seconds: u32,
}

/// Names the time from outside, as <https://reproducible-builds.org> describes it.
const VARIABLE: &str = "SOURCE_DATE_EPOCH";

impl Moment {
    /// That of `SOURCE_DATE_EPOCH`, else that of the commit that is checked out in a directory.
    ///
    /// # Errors
    /// The variable holds no number of seconds, or there is no commit.
    pub fn of_source(root: &Path) -> Result<Self, PackError> {
        match std::env::var(VARIABLE) {
            Ok(text) => Self::read(&text).ok_or(PackError::Moment { found: text }),
            Err(_) => Self::of_commit(root),
        }
    }

    fn of_commit(root: &Path) -> Result<Self, PackError> {
        let mut git = Command::new("git");
        git.current_dir(root).args(["log", "-1", "--format=%ct"]);
        let output = git.output().map_err(|cause| PackError::start("git", cause))?;
        Self::read(&String::from_utf8_lossy(&output.stdout)).ok_or(PackError::Commit)
    }

    fn read(text: &str) -> Option<Self> {
        text.trim().parse().ok().map(|seconds| Self { seconds })
    }

    /// As mails and Debian's changelogs write it, in UTC.
    #[must_use]
    pub fn as_mail(self) -> String {
        self.written("%a, %d %b %Y %H:%M:%S +0000")
    }

    /// As RFC 3339 has it, in UTC.
    #[must_use]
    pub fn as_rfc3339(self) -> String {
        self.written("%Y-%m-%dT%H:%M:%SZ")
    }

    fn written(self, form: &str) -> String {
        // 32 bits of seconds are years up to 2106, which `jiff` has all of.
        let time = jiff::Timestamp::from_second(i64::from(self.seconds)).unwrap_or_default();
        time.strftime(form).to_string()
    }
}
