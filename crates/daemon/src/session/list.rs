//! LIST.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rrdcached::server::Answer;
use rustix::io::Errno;

use super::turn::Turn;
use super::{Stop, bounds};
use crate::service::Service;

/// The root of these paths is the base directory.
pub(super) fn list(
    turn: &mut Turn<'_, '_, '_>,
    is_recursive: bool,
    written: &[u8],
) -> Result<(), Stop> {
    let below = written.strip_prefix(b"/").unwrap_or(written);
    let spelled = turn.spelled(below);
    let gathering = turn.service.turn_to_list();
    match listed(turn.service, is_recursive, below) {
        Ok(names) => {
            let names = bounds::seen(&turn.service.paths, turn.scope, written, names);
            let mut answer = Answer::default();
            names.iter().for_each(|name| answer.line(name.as_bytes()));
            drop((names, gathering));
            turn.tell(&answer, b"RRDs")
        }
        Err(error) => {
            let reason = rrdtool::system_words(&error);
            let words = [b"List ", &spelled[..], b": ", reason.as_bytes()].concat();
            turn.fail(&words);
            Ok(())
        }
    }
}

fn listed(service: &Service, is_recursive: bool, below: &[u8]) -> io::Result<Vec<String>> {
    // As rrdcached, wherever it would lead to.
    if below.windows(2).any(|pair| pair == b"..") {
        return Err(Errno::ACCESS.into());
    }
    let paths = &service.paths;
    let directory = paths.base().join(OsStr::from_bytes(below));
    let is_open = |path: &Path| paths.is_open(path);
    if !service.shelf.has_directories() {
        return service.shelf.list(&directory, is_recursive, &is_open);
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
    service.shelf.list(&directory, is_recursive, &is_open)
}
