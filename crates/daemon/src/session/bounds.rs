//! Requests of clients that may name some databases only.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use access::Scope;
use rrdcached::server::Request;

use crate::paths::Paths;

/// Why a request is not for such a client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Beyond<'r> {
    /// It is about all databases.
    All,
    /// It names one that the client may not name, whether or not there is one.
    Name(&'r [u8]),
}

/// Looks at what a request names. Paths lead where they lead in truth, also over links.
pub(super) fn check<'r>(
    paths: &Paths,
    scope: &Scope,
    request: &Request<'r>,
) -> Result<(), Beyond<'r>> {
    if scope.is_everything() {
        return Ok(());
    }
    let sees = |name: &'r [u8]| match is_within(paths, scope, name) {
        true => Ok(()),
        false => Err(Beyond::Name(name)),
    };
    match request {
        Request::Update { path, .. }
        | Request::Flush(path)
        | Request::Pending(path)
        | Request::Forget(path)
        | Request::Info(path)
        | Request::First(path, _)
        | Request::Last(path)
        | Request::Suspend(path)
        | Request::Resume(path)
        | Request::Tune(path, _)
        | Request::Dump(path, _) => sees(path),
        Request::Fetch(fetch) => sees(fetch.path),
        Request::Create(create) => {
            let others = create.sources.iter().chain(&create.template);
            [&create.path].into_iter().chain(others).try_for_each(|name| sees(name))
        }
        Request::List { path, .. } => match sees_directory(scope, path) {
            true => Ok(()),
            false => Err(Beyond::Name(path)),
        },
        Request::FlushAll
        | Request::Queue
        | Request::Stats
        | Request::SuspendAll
        | Request::ResumeAll
        | Request::Call { .. } => Err(Beyond::All),
        Request::Help(_)
        | Request::Ping
        | Request::Wrote
        | Request::Batch
        | Request::EndOfBatch
        | Request::Auth(_)
        | Request::Quit => Ok(()),
    }
}

fn is_within(paths: &Paths, scope: &Scope, written: &[u8]) -> bool {
    // What may not be reached at all is told so later, in the same words.
    let Ok(place) = paths.resolve(written) else { return false };
    name(paths, &place).is_some_and(|name| scope.sees(name))
}

/// The name behind the base directory.
fn name<'p>(paths: &Paths, place: &'p Path) -> Option<&'p str> {
    place.strip_prefix(paths.base()).ok()?.to_str()
}

fn sees_directory(scope: &Scope, written: &[u8]) -> bool {
    let below = below(written);
    OsStr::from_bytes(below).to_str().is_some_and(|name| scope.sees_directory(name))
}

/// A directory as LIST names it, without slashes around it.
fn below(written: &[u8]) -> &[u8] {
    let below = written.strip_prefix(b"/").unwrap_or(written);
    below.strip_suffix(b"/").unwrap_or(below)
}

/// Of the names in a directory, those that the client may see where they lead.
pub(super) fn seen(
    paths: &Paths,
    scope: &Scope,
    directory: &[u8],
    names: Vec<String>,
) -> Vec<String> {
    if scope.is_everything() {
        return names;
    }
    let directory = String::from_utf8_lossy(below(directory));
    let is_seen = |written: &String| {
        let written = match &*directory {
            "" => written.trim_end_matches('/').to_owned(),
            directory => format!("{directory}/{}", written.trim_end_matches('/')),
        };
        let Ok(place) = paths.resolve(written.as_bytes()) else { return false };
        name(paths, &place).is_some_and(|name| scope.sees(name) || scope.sees_directory(name))
    };
    names.into_iter().filter(is_seen).collect()
}
