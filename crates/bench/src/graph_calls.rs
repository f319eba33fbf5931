//! The gallery's graphs from Perl: `RRDs::graph` with Debian's librrd, and with gyre's in its place.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use gallery::{databases, definitions};

use crate::librrd::{PERL, place_library};
use crate::report::Row;

const SCRIPT: &str = include_str!("graph_calls.pl");

/// Lets both libraries draw all graphs in turn, `rounds` times, each in a process of its own.
///
/// # Errors
/// A database is not made, the library does not build, or a graph is refused.
pub(crate) fn measure(rrdtool: &Path, rounds: usize, target: f64) -> Result<Row, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let library = directory.path().join("library");
    databases::make(rrdtool, directory.path())?;
    place_library(&library)?;
    let mut graphs = String::new();
    for definition in definitions::all() {
        // A String takes everything.
        let _ = writeln!(graphs, "{} {}", definition.name, definition.line());
    }
    let mut seconds: [Vec<f64>; 2] = Default::default();
    for _ in 0..rounds {
        seconds[0].push(drawn(directory.path(), &graphs, None)?);
        seconds[1].push(drawn(directory.path(), &graphs, Some(&library))?);
    }
    Ok(Row::of_turns("gallery through RRDs::graph", "s", "librrd", &seconds).times(target))
}

/// The seconds that all graphs take, with Debian's library or with the one in `library`.
fn drawn(directory: &Path, graphs: &str, library: Option<&Path>) -> Result<f64, String> {
    let mut command = Command::new(PERL);
    command.args(["-e", SCRIPT]).current_dir(directory).env_remove("LD_LIBRARY_PATH");
    command.env("TZ", "UTC").env("LC_ALL", "C").env_remove("RRDCACHED_ADDRESS");
    if let Some(library) = library {
        command.env("LD_LIBRARY_PATH", library);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |error: std::io::Error| format!("{PERL}: {error}");
    let mut child = command.spawn().map_err(failed)?;
    // The script reads all before it writes anything.
    if let Some(mut words) = child.stdin.take() {
        words.write_all(graphs.as_bytes()).map_err(failed)?;
    }
    let output = child.wait_with_output().map_err(failed)?;
    let said = String::from_utf8_lossy(&output.stdout);
    let elapsed = said.split_whitespace().next().and_then(|word| word.parse().ok());
    match (output.status.success(), elapsed) {
        (true, Some(seconds)) => Ok(seconds),
        _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
