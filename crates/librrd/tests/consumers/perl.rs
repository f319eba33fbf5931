//! RRDs, the Perl module by which MRTG, Munin, SmokePing and Cacti's scripts use librrd.

use std::path::Path;
use std::process::Command;

use ring::{RingOptions, RingStore};
use rrd::Timestamp;
use rrd::spec::{self, Units};
use store::Store as _;

use crate::daemon::{CROSSINGS, Daemon, address, fresh};
use crate::library::{BOTH, Library, assert_same, place, program};

/// Debian's own interpreter: only that one sees the modules of Debian's packages.
pub(crate) const PERL: &str = "/usr/bin/perl";

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

#[test]
fn daemons_of_either_make_answer_alike() {
    if !has_module() {
        return;
    }
    let place = place();
    let said = CROSSINGS.map(|(library, whose)| {
        let files = place.path().join("files");
        let daemon = Daemon::start(whose, fresh(&files))?;
        let mut command = library.command(Path::new(PERL));
        command.arg(program("through_a_daemon.pl")).arg(address(&files)).current_dir(&files);
        let said = library.said(&mut command);
        drop(daemon);
        Some(said)
    });
    let [Some(debian), others @ ..] = said else { return };
    assert!(debian.contains("fetch: 1000000020 | 60 | in out | "), "{debian}");
    for (said, crossing) in others.into_iter().zip(&CROSSINGS[1..]) {
        println!("{crossing:?}");
        assert_same(&debian, &said.expect("Debian's daemon was there before"));
    }
}

/// What RRDs::graphv tells: the same keys, and the same values where they are no matter of pixels.
#[test]
fn graphv_tells_the_same() {
    if !has_module() {
        return;
    }
    let said = BOTH.map(|library| said(library, "graphv.pl"));
    assert!(said[0].contains("image: PNG") && said[0].contains("value_max"), "{}", said[0]);
    assert_same(&said[0], &said[1]);
}

const TICKS: &str = "\
update: 1
info: 0.1 0.1 3
fetch: failed: its tick is 0.1 s, and rrd_fetch counts whole seconds
last: failed: its tick is 0.1 s, and rrd_last counts whole seconds
first: failed: its tick is 0.1 s, and rrd_first counts whole seconds
";

#[test]
fn ticks_and_words_of_gyres_own_are_refused_by_name() {
    if !has_module() {
        return;
    }
    let place = place();
    let store = RingStore::create(&place.path().join("store"), RingOptions::default()).unwrap();
    let units = Units::of_step("0.1", None).unwrap();
    let words = ["DS:x:GAUGE:1:U:U", "RRA:AVERAGE:0.5:1:20"];
    let definition = spec::definition_in(units, words).unwrap();
    let start = Timestamp::from_seconds(17_000_000_000);
    store.create(Path::new("fine"), &definition, start).unwrap();
    store.close().unwrap();
    let mut command = Library::Ours.command(Path::new(PERL));
    let said = Library::Ours.said(command.arg(program("ticks.pl")).current_dir(place.path()));
    assert!(said.starts_with(TICKS), "{said}");
    let rest: Vec<&str> = said[TICKS.len()..].lines().collect();
    assert_eq!(rest.len(), 2, "{said}");
    for (line, told) in rest.iter().zip(["dump: failed: ", "words: failed: "]) {
        assert!(line.starts_with(told), "{line}");
    }
    assert!(rest[0].contains("its tick is 0.1 s") && rest[1].contains("TREND.MIN"), "{said}");
}
