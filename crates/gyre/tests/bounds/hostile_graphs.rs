//! Definitions of graphs that are wrong or boundless: rrdtool's words where it has some, a picture
//! or one clear line elsewhere, in bounded time and memory.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use super::place::{Place, told};

const WINDOW: [&str; 4] = ["-s", "1000000000", "-e", "1000010000"];
const DEF: &str = "DEF:a=a.rrd:d:AVERAGE";
const LINE: &str = "LINE:1#ff0000:x";
/// Address space that is enough for each of them.
const MEMORY_MIB: u64 = 500;

fn place() -> Place {
    let place = Place::new();
    let specs = ["-b", "1000000000", "DS:d:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:200"];
    place.works(&[&["create", "a.rrd", "-s", "300"][..], &specs].concat());
    place.works(&["update", "a.rrd", "1000000300:1", "1000000600:5"]);
    place
}

/// What rrdtool answers well: it refuses it in words of its own, or draws.
const ANSWERED: [&str; 49] = [
    "-w -5",
    "-w 0",
    "-h -1000000000",
    "-w abc",
    "-m 0",
    "-m -1",
    "-m x",
    "-m 1x",
    "-T x",
    "-T 1x",
    "-n LEGEND",
    "-n LEGEND:",
    "-n LEGEND:x:",
    "-n LEGEND:nan:",
    "-n LEGEND:inf:",
    "-n LEGEND::Sans",
    "-n HEADLINE:7:",
    "-c CANVAS#",
    "-c CANVAS",
    "-c CANVAS#gg0000",
    "-c CANVAS#fff",
    "--grid-dash 1:x",
    "-b 1001",
    "-f %n",
    "-f %s%s",
    "LINE:a#",
    "LINE:a#f",
    "LINE:a#ffff",
    "LINE:a#fffffff",
    "LINE:a#gggggg",
    "LINE:a#ff0000:x:dashes=1,",
    "LINE:a#ff0000:x:dashes=1,,2",
    "LINE:a#ff0000:x:dashes=1x",
    "LINE:a#ff0000:x:dashes=x",
    "LINE:a#ff0000:x:dash-offset=x",
    "GPRINT:a:MAX:%n",
    "GPRINT:a:MAX:%s",
    "GPRINT:a:MAX:%lf%n",
    "GPRINT:a:MAX:%lf%s%s",
    "GPRINT:a:MAX:%*lf",
    "GPRINT:a:MAX:%1$lf",
    "PRINT:a:MAX:%d",
    "PRINT:a:MAX:%",
    "CDEF:b=a,1000000000,COPY LINE:b#ff0000",
    "CDEF:b=a,1000000000,REV LINE:b#ff0000",
    "CDEF:b=a,1000000000,SORT LINE:b#ff0000",
    "CDEF:b=a,1000000000,AVG LINE:b#ff0000",
    "CDEF:b=a,1000000000,INDEX LINE:b#ff0000",
    "CDEF:b=a,a,2,1000000000,ROLL LINE:b#ff0000",
];

#[test]
fn mistakes_are_answered_as_rrdtool_does() {
    let Some(rrdtool) = oracle::program("rrdtool", "its words for graphs that are wrong") else {
        return;
    };
    let place = place();
    for mistake in ANSWERED {
        let mut words = vec!["graph", "a.png"];
        words.extend(WINDOW.into_iter().chain([DEF, LINE]).chain(mistake.split(' ')));
        let ours = place.gyre(MEMORY_MIB, &words);
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 3000000; ulimit -t 20; exec \"$0\" \"$@\""]).arg(&rrdtool);
        command.args(&words).current_dir(place.path()).env("TZ", "UTC").stdin(Stdio::null());
        let theirs = command.output().unwrap();
        assert_eq!(told(&ours), told(&theirs), "{mistake}");
        assert_eq!(ours.status.code(), theirs.status.code(), "{mistake}");
    }
}

/// Words that rrdtool crashes on, or takes all memory and time for.
#[test]
fn boundless_graphs_are_refused_in_one_line() {
    let place = place();
    for (part, words) in [
        ("width above 1000000 pixels", "-w 1000000000 LINE:a#ff0000"),
        ("width above 20000 pixels", "-w 20001 LINE:a#ff0000"),
        ("height above 20000 pixels", "-h 1000000 LINE:a#ff0000"),
        ("pixels is too large", "-w 20000 -h 20000 LINE:a#ff0000"),
        ("pixels is too large", "-m 1000000000 LINE:a#ff0000"),
        ("width below 10 pixels", "-w 99999999999999999999 LINE:a#ff0000"),
        ("invalid format string", "GPRINT:a:MAX:%999999999lf LINE:a#ff0000"),
        ("invalid format string", "PRINT:a:MAX:%.999999999lf"),
    ] {
        let mut request = vec!["graph", "a.png"];
        request.extend(WINDOW.into_iter().chain([DEF]).chain(words.split(' ')));
        let error = place.refused(&request);
        assert!(error.contains(part), "{words}: {error}");
    }
}

#[test]
fn immoderate_graphs_are_drawn_in_bounds() {
    let place = place();
    for words in [
        "-n LEGEND:1e30: LINE:a#ff0000:x",
        "-n DEFAULT:100000: LINE:a#ff0000:x",
        "-n DEFAULT:-3: LINE:a#ff0000:x",
        "-n LEGEND:8:NoSuchFontAnywhere LINE:a#ff0000:x",
        "-T 1e300 LINE:a#ff0000:a\\tb",
        "-T -5 LINE:a#ff0000:a\\tb",
        "-L 2147483647 LINE:a#ff0000:x",
        "--left-axis-format %n%s%n LINE:a#ff0000:x",
        "--week-fmt %n%s LINE:a#ff0000:%n%s",
        "COMMENT:%n%s%n LINE:a#ff0000",
        "CDEF:b=a,1000000000,TREND LINE:b#ff0000",
        "CDEF:b=a,1e300,TRENDNAN LINE:b#ff0000",
        "CDEF:b=a,-5,TREND LINE:b#ff0000",
        "LINE:a#ff0000:x:dashes=1e300,1e300",
        "LINE:a#ff0000:x:dashes=0,0",
        "SHIFT:a:1000000000 LINE:a#ff0000",
    ] {
        let mut request = vec!["graph", "a.png"];
        request.extend(WINDOW.into_iter().chain([DEF]).chain(words.split(' ')));
        let output = place.gyre(MEMORY_MIB, &request);
        let error = told(&output);
        let is_line = error.starts_with("ERROR: ") && error.trim_end().lines().count() == 1;
        assert!(output.status.success() || is_line, "{words}: {error}");
    }
}

/// Commands of pipe mode may be longer than the words of a process.
#[test]
fn long_commands_are_answered_in_bounds() {
    let place = place();
    let repeated = |word: &str, count: usize| word.repeat(count);
    for (answer, elements) in [
        ("ERROR: too many elements", repeated(" LINE:1#ff0000:x", 1_000_000)),
        ("OK", format!(" LINE:a#ff0000:{}", repeated("x", 1_000_000))),
        ("OK", format!(" LINE:a#ff0000:x:dashes={}1", repeated("1,", 1_000_000))),
        ("ERROR: the markup of", format!(" -P LINE:a#ff0000:{}", repeated("<b>", 100_000))),
        ("ERROR: ", format!(" CDEF:b=a{} LINE:b#ff0000", repeated(",DUP", 1_000_000))),
        ("ERROR: ", format!(" CDEF:b={}200000,REV LINE:b#ff0000", repeated("a,", 200_000))),
        ("ERROR: ", format!(" VDEF:b=a,{} LINE:b#ff0000", repeated("9", 1_000_000))),
        ("OK", format!(" -t {0} -v {0} -W {0} LINE:a#ff0000", repeated("y", 1_000_000))),
        ("ERROR: ", format!(" -n LEGEND:200: LINE:a#ff0000{}", repeated(" COMMENT:x\\l", 5_000))),
    ] {
        let [start, from, end, to] = WINDOW;
        let command = format!("graph a.png {start} {from} {end} {to} {DEF}{elements}\nquit\n");
        fs::write(place.path().join("commands"), command).unwrap();
        // This name makes it rrdtool.
        let script = "ln -sf \"$0\" rrdtool && exec ./rrdtool - < commands";
        let output = place.shell(MEMORY_MIB * 2, script, &[]);
        let said = String::from_utf8_lossy(&output.stdout);
        let is_verdict = |line: &&str| line.starts_with("OK") || line.starts_with("ERROR");
        let said = said.lines().find(is_verdict).unwrap_or("nothing");
        let beginning: String = elements.chars().take(60).collect();
        assert!(said.starts_with(answer), "{beginning}: {:.300} {:.300}", said, told(&output));
        assert!(said.len() < 10_000, "{beginning}: {} bytes", said.len());
    }
}

/// A picture that cannot be written, or whose program is killed in the midst, leaves the old one.
#[test]
fn no_half_picture_gets_the_name() {
    let place = place();
    let words = ["graph", "a.png", "-s", "1000000000", "-e", "1000010000", DEF, "AREA:a#ff0000:x"];
    place.works(&words);
    let whole = fs::read(place.path().join("a.png")).unwrap();
    assert!(whole.len() > 600, "{}", whole.len());
    // One block of 512 bytes is less than the picture.
    let killed = place.shell(4000, "ulimit -f 1; exec \"$0\" \"$@\"", &words);
    assert!(killed.status.signal().is_some() || !killed.status.success(), "{}", told(&killed));
    let refused = place.shell(4000, "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"", &words);
    assert_eq!(refused.status.code(), Some(1), "{}", told(&refused));
    assert!(told(&refused).contains("a.png"), "{}", told(&refused));
    assert_eq!(fs::read(place.path().join("a.png")).unwrap(), whole);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
}
