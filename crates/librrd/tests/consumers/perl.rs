//! RRDs, the Perl module by which MRTG, Munin, SmokePing and Cacti's scripts use librrd.

use std::path::Path;
use std::process::Command;

use crate::library::{BOTH, Library, assert_same, place, program};

/// Debian's own interpreter: only that one sees the modules of Debian's packages.
const PERL: &str = "/usr/bin/perl";

/// Whether the module is there; tells what is therefore not tested.
pub(crate) fn has_module() -> bool {
    let found = Path::new(PERL).exists()
        && Command::new(PERL).args(["-MRRDs", "-e", "1"]).status().unwrap().success();
    // The oracle's way to fail or to tell: no program has this name.
    found || oracle::program("librrds-perl", "Perl's RRDs with our library").is_some()
}

#[test]
fn every_function_answers_alike() {
    if !has_module() {
        return;
    }
    let said = BOTH.map(|library| said(library, "every_function.pl"));
    assert_same(&said[0], &said[1]);
}

fn said(library: Library, script: &str) -> String {
    let place = place();
    let mut command = library.command(Path::new(PERL));
    library.said(command.arg(program(script)).current_dir(place.path()))
}

/// What the module says after `RRDs::graphv`: not yet, in words, and no crash.
#[test]
fn what_is_not_there_yet_says_so() {
    if !has_module() {
        return;
    }
    let script = "use RRDs; my $all = RRDs::graphv('-', 'PRINT:x'); print RRDs::error";
    let said = Library::Ours.said(Library::Ours.command(Path::new(PERL)).args(["-e", script]));
    assert_eq!(said, "rrd_graph_v is not supported yet; rrd_graph is");
}
