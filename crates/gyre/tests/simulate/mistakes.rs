//! Wrong arguments: one clear error each, with its exit code.

use super::{directory, error, simulate};

#[test]
fn misuse_is_told_by_code() {
    let misuse = simulate(&["--cache", "arc"]);
    assert_eq!(misuse.status.code(), Some(2));
    let said = String::from_utf8(misuse.stderr).unwrap();
    let expected = "gyre simulate: --cache: expected lru, fifo, clock, 2q, linux, found arc\n\
                    `gyre simulate --help` tells more\n";
    assert_eq!(said, expected);
    let help = simulate(&["--help"]);
    assert!(help.status.success() && help.stdout.starts_with(b"usage: gyre simulate"));
    for option in ["--days", "--group", "--trace"] {
        assert_eq!(error(&[option]).1, 2, "{option}");
    }
    let step = error(&["--step", "0"]);
    assert_eq!(step, ("--step: step size: value must be positive".into(), 2));
}

#[test]
fn what_cannot_be_simulated_is_named() {
    let directory = directory();
    let junk = directory.path().join("junk.rrd");
    std::fs::write(&junk, b"no database").unwrap();
    let junk = junk.to_str().unwrap();
    let of_group = format!("3 {junk}");
    let nowhere = "/nowhere/at.rrd";
    let cases: [(&[&str], &str); 11] = [
        (&[nowhere], nowhere),
        (&[junk], junk),
        (&["--group", "2 60", "--group", &of_group], junk),
        (&["DS:a:GAUGE:9:U:U"], "you must define at least one Round Robin Archive"),
        (&["--group", "1", "--group", "1 DS:a:GAUGE:9:U:U"], "group 2: you must define"),
        (&["DS:a:NONSENSE:9:U:U", "RRA:LAST:0:1:9"], "NONSENSE"),
        (&["--files", "4000000000"], "2^30 pages"),
        (&["--files", "1000000", "--pages", "1000000"], "2^32 pages"),
        (&["--record", "/nowhere"], "/nowhere"),
        (&["--record", junk, "--page", "8192"], "--page"),
        (&["--write-trace", "/nowhere/trace"], "/nowhere/trace"),
    ];
    for (words, named) in cases {
        let (reason, code) = error(words);
        assert!(reason.contains(named) && code == 1, "{words:?}: {reason} {code}");
        let output = simulate(words);
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1, "{words:?}");
    }
    let plot = ["--plot", "/nowhere/plot.svg", "--pages", "2", "--days", "1"];
    assert!(error(&plot).0.starts_with("writing /nowhere/plot.svg: "));
}

/// A valid heading of a trace, for traces with errors further on.
const HEADING: &str = "gyre page trace 1\nfiles 2 data 2 metadata 1\n";

/// Checks that a trace gives exactly the expected error.
fn assert_fault(trace: &str, expected: &str) {
    let directory = directory();
    let path = directory.path().join("trace");
    std::fs::write(&path, trace).unwrap();
    let name = path.to_str().unwrap();
    let (reason, code) = error(&["--trace", name, "--pages", "2"]);
    assert!(reason.starts_with(&format!("{name}: {expected}")), "{reason}\n{expected}");
    assert_eq!(code, 1);
}

#[test]
fn every_fault_of_a_traces_heading_is_named_with_its_line() {
    let cases = [
        ("", "line 1: expected \"gyre page trace 1\", found nothing"),
        ("PK\x03\n", "line 1: expected \"gyre page trace 1\", found \"PK\\x03\""),
        (
            "gyre page trace 1\n",
            "line 2: expected files N data PAGES metadata PAGES, found nothing",
        ),
        (
            "gyre page trace 1\n0 r0\n",
            "line 2: expected files N data PAGES metadata PAGES, found \"0 r0\"",
        ),
        (
            "gyre page trace 1\nfiles 0 data 2 metadata 0\n",
            "line 2: expected files with pages, all together fewer than 1073741824, found \
             \"files 0 data 2 metadata 0\"",
        ),
    ];
    for (trace, expected) in cases {
        assert_fault(trace, expected);
    }
}

#[test]
fn every_fault_of_a_traces_events_is_named_with_its_line() {
    let long = format!("0{}\n", " r0".repeat(1 << 19));
    let cases = [
        ("at noon\n", "line 3: expected at SECONDS, found \"at noon\""),
        ("0 r0\n\nat\n", "line 5: expected at SECONDS, found \"at\""),
        ("count 1\n", "line 3: expected files, at, count or the number of a file, found \"count\""),
        ("0 r3\n", "line 3: expected r or w and pages from 0 to 2, found \"r3\""),
        ("0 w1-0\n", "line 3: expected r or w and pages from 0 to 2, found \"w1-0\""),
        ("0 x1\n", "line 3: expected r or w and pages from 0 to 2, found \"x1\""),
        ("2 r0\n", "line 3: expected a file from 0 to 1, found \"2\""),
        (
            "0 r0\nfiles 1 data 1 metadata 0\n",
            "line 4: expected all files before the first event, found \"files 1 data 1 metadata 0\"",
        ),
        (&long, "line 3: expected at most 1048576 bytes, found "),
    ];
    for (events, expected) in cases {
        assert_fault(&format!("{HEADING}{events}"), expected);
    }
    let (reason, code) = error(&["--trace", "/nowhere/trace"]);
    assert!(reason.starts_with("opening /nowhere/trace: ") && code == 1, "{reason}");
}
