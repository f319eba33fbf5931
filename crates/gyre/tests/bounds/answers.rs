//! Answers longer than memory are written while they are made.

use super::place::{Place, told};

/// Address space that is too small for a whole answer.
const MEMORY_MIB: u64 = 400;

fn place() -> Place {
    let place = Place::new();
    let words = ["create", "a.rrd", "--start", "920000000", "--step", "10"];
    let specs = ["DS:a:GAUGE:60:U:U", "RRA:AVERAGE:0.5:1:1000"];
    place.works(&[&words[..], &specs].concat());
    place.works(&["update", "a.rrd", "920000010:1", "920000020:2"]);
    place
}

/// The output of a command that runs in a script.
fn seen(place: &Place, script: &str, words: &[&str]) -> String {
    let output = place.shell(MEMORY_MIB, script, words);
    assert!(output.status.success(), "{words:?}: {}", told(&output));
    assert_eq!(told(&output), "", "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// 308 million rows: the first ones are printed at once, and closing the pipe ends the program.
#[test]
fn a_fetch_prints_as_it_goes() {
    let place = place();
    let head = seen(
        &place,
        "\"$0\" \"$@\" | head -4",
        &["fetch", "a.rrd", "AVERAGE", "-r", "1", "-s", "920000000", "-e", "4000000000"],
    );
    let rows: Vec<&str> = head.lines().skip(2).collect();
    assert_eq!(rows, [" 920000010: 1.0000000000e+00", " 920000020: 2.0000000000e+00"]);
}

/// 20 million rows, of which archives hold 1,000: 640 MB of text.
#[test]
fn rows_that_no_archive_holds_take_no_memory() {
    let place = place();
    let script = "\"$0\" \"$@\" | tail -1";
    let words = ["fetch", "a.rrd", "AVERAGE", "-r", "1", "-s", "720000000", "-e", "920000019"];
    assert_eq!(seen(&place, script, &words), " 920000020: 2.0000000000e+00\n");
    let piped = "echo fetch a.rrd AVERAGE -r 1 -s 720000000 -e 920000019 | \"$0\" - | tail -2";
    let last = seen(&place, piped, &[]);
    assert!(last.starts_with(" 920000020: 2.0000000000e+00\nOK u:"), "{last}");
}

/// A database of 24 MB whose XML has 230 MB.
#[test]
fn a_dump_leaves_as_it_is_made() {
    let place = Place::new();
    let words = ["create", "a.rrd", "--start", "920000000", "--step", "1"];
    let specs = ["DS:a:GAUGE:60:U:U", "RRA:AVERAGE:0.5:1:3000000"];
    place.works(&[&words[..], &specs].concat());
    let seen = |script: &str| {
        let output = place.shell(200, script, &["dump", "a.rrd"]);
        assert!(output.status.success(), "{}", told(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(seen("\"$0\" \"$@\" | tail -1"), "</rrd>\n");
    seen("\"$0\" \"$@\" a.xml");
    assert_eq!(seen("tail -1 a.xml"), "</rrd>\n");
    let whole = place.shell(4000, "\"$0\" dump a.rrd | cmp - a.xml", &[]);
    assert!(whole.status.success(), "{}", told(&whole));
}

/// A table of a million rows and 30 columns: 240 MB of numbers, 750 MB of text.
#[test]
fn a_table_leaves_as_it_is_made() {
    let place = place();
    let mut words = vec!["xport", "-s", "910000000", "-e", "920000000", "-m", "10000000"];
    words.push("DEF:a=a.rrd:a:AVERAGE");
    words.extend(["XPORT:a"; 30]);
    for json in [false, true] {
        let script = "\"$0\" \"$@\" | tail -1";
        let mut words = words.clone();
        words.extend(json.then_some("--json"));
        let output = place.shell(700, script, &words);
        assert_eq!(told(&output), "");
        let last = String::from_utf8(output.stdout).unwrap();
        assert_eq!(last, if json { "}\n" } else { "</xport>\n" });
    }
}
