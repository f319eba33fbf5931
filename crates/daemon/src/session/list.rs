//! LIST.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rrdcached::server::Answer;
use rustix::io::Errno;

use super::{Session, Stop};
use crate::connection::Output;

impl Session<'_> {
    /// The root of these paths is the base directory.
    pub(super) fn list(
        &mut self,
        is_recursive: bool,
        written: &[u8],
        out: &mut Output<'_>,
    ) -> Result<(), Stop> {
        let below = written.strip_prefix(b"/").unwrap_or(written);
        let spelled = self.spelled(below);
        let turn = self.service.turn_to_list();
        match self.listed(is_recursive, below) {
            Ok(names) => {
                let mut answer = Answer::default();
                names.iter().for_each(|name| answer.line(name.as_bytes()));
                drop((names, turn));
                self.tell(answer, b"RRDs", out)
            }
            Err(error) => {
                let reason = rrdtool::system_words(&error);
                let words = [b"List ", &spelled[..], b": ", reason.as_bytes()].concat();
                self.fail(out, &words);
                Ok(())
            }
        }
    }

    fn listed(&self, is_recursive: bool, below: &[u8]) -> io::Result<Vec<String>> {
        // As rrdcached, wherever it would lead to.
        if below.windows(2).any(|pair| pair == b"..") {
            return Err(Errno::ACCESS.into());
        }
        let paths = &self.service.paths;
        let directory = paths.base().join(OsStr::from_bytes(below));
        let is_open = |path: &Path| paths.is_open(path);
        if !self.service.shelf.has_directories() {
            return self.service.shelf.list(&directory, is_recursive, &is_open);
        }
        if let Some(pattern) = directory.to_str().filter(|text| rrdtool::list::is_pattern(text)) {
            return match is_recursive {
                true => Err(Errno::INVAL.into()),
                false => rrdtool::list::matched(pattern, &is_open),
            };
        }
        if directory.exists() && !is_open(&directory) {
            return Err(Errno::ACCESS.into());
        }
        self.service.shelf.list(&directory, is_recursive, &is_open)
    }
}
