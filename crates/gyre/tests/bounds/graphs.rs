//! Graphs and tables over all of time: their memory is bounded by the pixels, or they are refused.

use std::fs;

use super::place::{Place, told};

/// Address space that is enough for each graph.
const MEMORY_MIB: u64 = 400;

fn place() -> Place {
    let place = Place::new();
    let words = ["create", "a.rrd", "--start", "920000000", "--step", "10"];
    let specs = ["DS:a:GAUGE:60:U:U", "RRA:AVERAGE:0.5:1:1000"];
    place.works(&[&words[..], &specs].concat());
    let words = ["create", "b.rrd", "--start", "920000000", "--step", "77"];
    place.works(&[&words[..], &["DS:a:GAUGE:99:U:U", "RRA:AVERAGE:0.5:1:10"]].concat());
    place.works(&["update", "a.rrd", "920000010:1", "920000020:2"]);
    place
}

/// All of the time that there is: 308 million rows of the database's one archive.
const ALL_OF_TIME: [&str; 4] = ["-s", "920000000", "-e", "4000000000"];
const DEF: &str = "DEF:a=a.rrd:a:AVERAGE";
const LINE: &str = "LINE:a#ff0000";

#[test]
fn a_graph_over_all_of_time_takes_what_its_pixels_take() {
    let place = place();
    for options in [
        "",
        "--x-grid SECOND:1:SECOND:1:SECOND:1:0:%X",
        "--x-grid SECOND:1:SECOND:1:SECOND:1:4000000000:%c",
        "--x-grid YEAR:1:SECOND:1:MONTH:1000000:9223372036854775807:%X%X%X%X%X",
        "--y-grid 0.000000001:1",
        "--y-grid 1e-300:4294967295 -u 1e300",
        "-Y -u 1e300 -l -1e300 -r",
        "-o -u 1e300 -l 1e-300 -r",
        "-w 20000",
        "-h 20000",
        "-m 10",
        "-T 999999999",
        "DEF:fine=a.rrd:a:AVERAGE:step=10 LINE:fine#0000ff",
        "-L 2147483647",
    ] {
        let mut words = vec!["graph", "a.png"];
        words.extend(ALL_OF_TIME);
        words.extend(options.split(' ').filter(|word| !word.is_empty()));
        words.extend([DEF, LINE, "TICK:a#00ff00:1:x", "HRULE:1#0000ff", "GPRINT:a:MAX:%lf"]);
        let memory_mib = if options.starts_with("-w") { 1000 } else { MEMORY_MIB };
        let output = place.gyre(memory_mib, &words);
        assert!(output.status.success(), "{options}: {}", told(&output));
        assert!(fs::metadata(place.path().join("a.png")).unwrap().len() < 10_000_000, "{options}");
    }
}

#[test]
fn what_cannot_be_bounded_is_refused() {
    let place = place();
    let large: [(&str, &[&str]); 4] = [
        ("above 20000 pixels", &["-w", "100000", DEF, LINE]),
        ("is too large", &["-w", "20000", "-h", "20000", DEF, LINE]),
        ("is too large", &["-m", "1000", DEF, LINE]),
        (
            "of 1 s in common",
            &["-w", "401", DEF, "DEF:b=b.rrd:a:AVERAGE:step=77", "CDEF:c=a,b,+", "LINE:c#ff0000"],
        ),
    ];
    for (part, request) in large {
        let error = place.refused(&[&["graph", "new.png"][..], &ALL_OF_TIME, request].concat());
        assert!(error.contains(part), "{request:?}: {error}");
    }
    for request in [
        "-m 9223372036854775807 DEF:a=a.rrd:a:AVERAGE XPORT:a",
        "-m 50000000 DEF:a=a.rrd:a:AVERAGE XPORT:a XPORT:a XPORT:a XPORT:a",
    ] {
        let request: Vec<&str> = request.split(' ').collect();
        place.refused(&[&["xport"][..], &ALL_OF_TIME, &request].concat());
    }
}

/// Several long series together are refused when they exceed the memory of one, in any order.
#[test]
fn series_share_one_bound() {
    let place = place();
    let mut words = vec!["xport".to_owned()];
    words.extend(["-s", "920000000", "-e", "1520000000"].map(str::to_owned));
    words.extend(["-m", "60000000", "DEF:a=a.rrd:a:AVERAGE"].map(str::to_owned));
    words.extend((0..10).map(|nth| format!("CDEF:c{nth}=a,{nth},+")));
    words.push("XPORT:c9".into());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = place.gyre(4000, &words);
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("more than 268435456 values"), "{}", told(&output));
}
