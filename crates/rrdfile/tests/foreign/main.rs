//! Files of other machines, written by the real rrdtools of these machines.
//!
//! `tests/golden/*.txt` are commands; `tests/golden/MACHINE/*.rrd` are the files that they made on
//! a machine, and `*.out` the output of that machine's rrdtool for them. `native` is this kind of
//! machine. `cargo xtask foreign && GYRE_BLESS=1 cargo test -p rrdfile --test foreign` makes them
//! again.
#![allow(clippy::disallowed_methods)] // the test reads its golden files

mod bless;
mod hostile;
mod twins;

use std::path::{Path, PathBuf};
use std::sync::Once;

use oracle::FOREIGN_MACHINES;
use rrdfile::{Architecture, ByteOrder, to_native};

/// The files that are made on each machine, and the functions of their archives.
const SCRIPTS: [(&str, &[&str]); 4] = [
    ("plain", &["AVERAGE", "MIN", "MAX", "LAST"]),
    ("kinds", &["AVERAGE", "MAX"]),
    ("forecast", &["AVERAGE", "HWPREDICT", "SEASONAL", "DEVSEASONAL", "DEVPREDICT", "FAILURES"]),
    ("moving", &["AVERAGE", "MHWPREDICT", "SEASONAL", "DEVSEASONAL", "DEVPREDICT", "FAILURES"]),
];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("golden")
}

fn frozen(machine: &str, script: &str) -> Vec<u8> {
    static BLESSED: Once = Once::new();
    BLESSED.call_once(|| {
        if std::env::var_os("GYRE_BLESS").is_some() {
            bless::all();
        }
    });
    let path = directory().join(machine).join(script).with_extension("rrd");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every frozen file of another machine.
fn all() -> impl Iterator<Item = (&'static str, &'static str, Vec<u8>)> {
    let scripts = |machine| SCRIPTS.map(|(script, _)| (machine, script, frozen(machine, script)));
    FOREIGN_MACHINES.into_iter().flat_map(scripts)
}

fn architecture_of(machine: &str) -> Architecture {
    let narrow = Architecture { long_bytes: 4, time_bytes: 4, ..Architecture::NATIVE };
    match machine {
        "native" => Architecture::NATIVE,
        "i386" => Architecture { alignment_max: 4, ..narrow },
        "armhf" => narrow,
        "armhf-time64" => Architecture { time_bytes: 8, ..narrow },
        "s390x" => Architecture { order: ByteOrder::Big, ..Architecture::NATIVE },
        other => panic!("nothing is known of {other}"),
    }
}

#[test]
fn the_machine_is_told_by_its_file() {
    for (machine, script, file) in all() {
        let expected = architecture_of(machine);
        assert_eq!(Architecture::of(&file), Ok(expected), "{machine}/{script}");
        assert!(Architecture::is_foreign(&file[..128]), "{machine}/{script}");
    }
    for (script, _) in SCRIPTS {
        let file = frozen("native", script);
        assert_eq!(Architecture::of(&file), Ok(Architecture::NATIVE));
        assert!(!Architecture::is_foreign(&file[..128]));
    }
    assert_eq!(architecture_of("s390x").to_string(), "64-bit big-endian");
    let expected = "32-bit little-endian of 32-bit times and fields aligned to 4";
    assert_eq!(architecture_of("i386").to_string(), expected);
}

#[test]
fn what_is_native_stays_as_it_is() {
    for (machine, script, file) in all() {
        let once = to_native(&file).unwrap();
        let again = to_native(&once.bytes).unwrap();
        assert_eq!(again.architecture, Architecture::NATIVE, "{machine}/{script}");
        assert!(again.bytes == once.bytes, "{machine}/{script}");
        let read = again.header().unwrap();
        // Compared as text, in which unknown values are equal.
        assert_eq!(format!("{read:?}"), format!("{:?}", once.header().unwrap()));
        assert_eq!(read.layout.file_bytes(), once.bytes.len() as u64);
    }
}
