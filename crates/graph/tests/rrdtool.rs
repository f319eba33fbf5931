//! Sizes, limits, legends and printed numbers, held against a live rrdtool.
#![allow(clippy::disallowed_methods)] // it starts rrdtool and writes its database

mod common;

use std::fmt::Write as _;
use std::path::Path;

use graph::{Arguments, Drawing, Undrawn, draw};
use jiff::tz::TimeZone;
use rrd::Timestamp;

/// The time of the last update, a Monday afternoon.
const END: i64 = 1_789_999_800;

/// MRTG's own definition of a database, with 60 days of traffic and a gap.
fn database(directory: &Path) -> String {
    let file = directory.join("traffic.rrd").to_string_lossy().into_owned();
    let start = END - 60 * 86_400;
    let mut create = format!("create {file} --start {start} --step 300");
    create.push_str(" DS:ds0:COUNTER:600:0:12500000 DS:ds1:COUNTER:600:0:12500000");
    for cf in ["AVERAGE", "MAX"] {
        let _ = write!(create, " RRA:{cf}:0.5:1:800 RRA:{cf}:0.5:6:800");
        let _ = write!(create, " RRA:{cf}:0.5:24:800 RRA:{cf}:0.5:288:800");
    }
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    common::rrdtool(&words(&create)).expect("rrdtool creates");
    let (mut incoming, mut outgoing, mut noise) = (0_u64, 0_u64, 1_u64);
    let mut updates = vec!["update".to_owned(), file.clone()];
    for time in (start + 300..=END).step_by(300) {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let day = (time as f64 / 86_400.0 * std::f64::consts::TAU - 2.0).sin() + 1.3;
        incoming += (day * 2.4e8 * (0.8 + (noise >> 40) as f64 / 4e7)) as u64;
        outgoing += (day * 0.9e8 * (0.6 + (noise >> 44) as f64 / 2e6)) as u64;
        match END - time {
            44_000..50_000 => updates.push(format!("{time}:U:U")),
            _ => updates.push(format!("{time}:{incoming}:{outgoing}")),
        }
    }
    for chunk in updates[2..].chunks(2000) {
        let command = [&updates[..2], chunk].concat();
        common::rrdtool(&command).expect("rrdtool updates");
    }
    file
}

struct Bench {
    _directory: tempfile::TempDir,
    file: String,
    image: String,
}

impl Bench {
    fn new() -> Option<Self> {
        oracle::program("rrdtool", "graphs against rrdtool's own")?;
        let directory = tempfile::tempdir().expect("a directory");
        let file = database(directory.path());
        let image = directory.path().join("image").to_string_lossy().into_owned();
        Some(Self { _directory: directory, file, image })
    }

    fn words(&self, line: &str) -> Vec<String> {
        let quoted = |word: &str| word.replace('~', " ").replace("FILE", &self.file);
        line.split_whitespace().map(quoted).collect()
    }

    fn ours(&self, arguments: &[String]) -> Result<Drawing, Undrawn<String>> {
        let now = Timestamp::from_seconds(END);
        draw(&Arguments::read(arguments)?, now, &TimeZone::UTC, &mut |requests| {
            requests.iter().map(common::fetch).collect()
        })
    }

    /// Compares everything that `graphv` tells of one graph.
    fn compare(&self, line: &str) {
        let arguments = self.words(line);
        let theirs = common::graphv(&self.image, &arguments).expect(line);
        let ours = self.ours(&arguments).expect(line);
        let number = |key: &str| theirs.get(key).and_then(|text| text.parse::<f64>().ok());
        for (key, value) in [
            ("image_width", f64::from(ours.width)),
            ("image_height", f64::from(ours.height)),
            ("graph_left", f64::from(ours.graph_left)),
            ("graph_top", f64::from(ours.graph_top)),
            ("graph_width", f64::from(ours.graph_width)),
            ("graph_height", f64::from(ours.graph_height)),
        ] {
            assert_eq!(number(key), Some(value), "{key} of {line}");
        }
        for (key, value) in [("value_min", ours.value_min), ("value_max", ours.value_max)] {
            let expected = number(key).expect(key);
            let near = (expected - value).abs() <= 1e-9 * expected.abs().max(1e-12);
            assert!(near, "{key} of {line}: {expected} and {value}");
        }
        for (nth, text) in ours.printed.iter().enumerate() {
            let expected = &theirs[&format!("print[{nth}]")];
            assert!(same_text(expected, text), "{line}: {expected:?} and {text:?}");
        }
        self.compare_legend(line, &theirs, &ours);
    }

    fn compare_legend(
        &self,
        line: &str,
        theirs: &std::collections::BTreeMap<String, String>,
        ours: &Drawing,
    ) {
        let count = theirs.keys().filter(|key| key.starts_with("legend[")).count();
        assert_eq!(ours.legend.len(), count, "legends of {line}");
        for (nth, text) in ours.legend.iter().enumerate() {
            assert_eq!(theirs[&format!("legend[{nth}]")], text.text, "{line}");
            let coords = &theirs[&format!("coords[{nth}]")];
            let edges: Vec<f64> = coords.split(',').filter_map(|edge| edge.parse().ok()).collect();
            assert!((edges[0] - text.left).abs() <= 1.0, "{line}: {text:?} at {coords}");
            assert!((edges[2] - text.right).abs() <= 1.0, "{line}: {text:?} at {coords}");
            let (top, bottom) = (text.middle - text.height / 2.0, text.middle + text.height / 2.0);
            let slack = if line.starts_with("-P") { 4.0 } else { 1.0 }; // of raised texts
            assert!((edges[1] - top).abs() <= slack, "{line}: {text:?} at {coords}");
            assert!((edges[3] - bottom).abs() <= 1.0, "{line}: {text:?} at {coords}");
        }
    }
}

/// Equal, or equal but for the digits that `rrdtool fetch` does not print.
fn same_text(expected: &str, text: &str) -> bool {
    let number = |text: &str| {
        let digits = text.trim().trim_end_matches(|c: char| !c.is_ascii_digit());
        digits.parse::<f64>().ok()
    };
    let near = match (number(expected), number(text)) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-8 * a.abs(),
        _ => false,
    };
    let tail = |text: &str| text.trim_start_matches(|c: char| !c.is_alphabetic()).to_owned();
    expected == text || (near && expected.len() == text.len() && tail(expected) == tail(text))
}

/// What MRTG's readers draw: bits in and out, maxima behind averages.
const TRAFFIC: &str = "-t Traffic~Analysis~for~eth0 -v Bits~per~second \
    DEF:in=FILE:ds0:AVERAGE DEF:out=FILE:ds1:AVERAGE DEF:inmax=FILE:ds0:MAX \
    CDEF:inb=in,8,* CDEF:outb=out,8,* CDEF:maxb=inmax,8,* \
    AREA:inb#00cc00:In~ GPRINT:inb:MAX:Max~%6.2lf~%sb/s GPRINT:inb:AVERAGE:Average~%6.2lf~%sb/s \
    GPRINT:inb:LAST:Current~%6.2lf~%sb/s\\l LINE1:outb#0000ff:Out GPRINT:outb:MAX:Max~%6.2lf~%Sb/s \
    GPRINT:outb:AVERAGE:Average~%6.2lf~%Sb/s GPRINT:outb:LAST:Current~%6.2lf~%Sb/s\\l \
    LINE1:maxb#006600:Peak PRINT:maxb:MAX:%le PRINT:inb:AVERAGE:%.10lg PRINT:outb:MIN:%12.3lf|";

#[test]
fn the_four_graphs_of_mrtg() {
    let Some(bench) = Bench::new() else { return };
    for span in ["-s~end-33h", "-s~end-8d", "-s~end-33d", "-s~end-400d", "-s~end-6h"] {
        let (flag, start) = span.split_once('~').expect("two words");
        for size in ["-w 500 -h 150", "-w 400 -h 100", "-w 620 -h 200 -D"] {
            bench.compare(&format!("{flag} {start} -e {END} {size} {TRAFFIC}"));
        }
    }
}

#[test]
fn options_and_limits() {
    let Some(bench) = Bench::new() else { return };
    let window = format!("-s end-2d -e {END} DEF:a=FILE:ds0:AVERAGE");
    for line in [
        "LINE1:a#ff0000",
        "LINE1:a#ff0000 -l 0",
        "LINE1:a#ff0000 -l 0 -u 1e7 -r",
        "LINE1:a#ff0000 -u 1e5 -r",
        "LINE1:a#ff0000 -u 1e9",
        "LINE1:a#ff0000 -A",
        "LINE1:a#ff0000 -J",
        "LINE1:a#ff0000 -M",
        "LINE1:a#ff0000 -y 250000:2",
        "LINE1:a#ff0000 -y none",
        "LINE1:a#ff0000 -x none",
        "LINE1:a#ff0000 -x HOUR:1:HOUR:6:HOUR:6:0:%H",
        "LINE1:a#ff0000 -X 0 -L 9",
        "LINE1:a#ff0000:gone -g",
        "LINE1:a#ff0000 -j",
        "LINE1:a#ff0000 -b 1024 -W watermark",
        "LINE1:a#ff0000 -n DEFAULT:10 -t title -v unit",
        "LINE1:a#ff0000:x -n LEGEND:12 -n TITLE:14 -t title",
        "LINE1:a#ff0000 --disable-rrdtool-tag",
        "LINE1:a#ff0000 --right-axis 2:1",
        "LINE1:a#ff0000 --right-axis 2:1 --right-axis-label r -D -w 600 -h 200",
        "LINE1:a#ff0000 --right-axis-label r -n UNIT:11:",
        "LINE1:a#ff0000:x --right-axis 2:1 --legend-position=east",
        "CDEF:n=0,a,- AREA:n#00ff00:below LINE2:a#0000ff:above:STACK",
        "CDEF:n=0,a,- AREA:n#00ff00 LINE2:a#0000ff",
        "CDEF:n=a,0,* LINE1:n#00ff00",
        "CDEF:n=a,0,*,7,+ LINE1:n#00ff00",
        "CDEF:n=a,UNKN,+ LINE1:n#00ff00",
        "CDEF:n=a,1e9,/ LINE1:n#00ff00",
        "LINE1:5#00ff00:five HRULE:3#ff0000:three\\r",
        "AREA:a#00ff00:one COMMENT:two COMMENT:three",
        "AREA:a#00ff00:one\\l COMMENT:two\\s COMMENT:three\\c COMMENT:four\\r COMMENT:five\\j",
        "AREA:a#00ff00:one TEXTALIGN:center COMMENT:two COMMENT:three\\l COMMENT:four",
        "AREA:a#00ff00:one\\g COMMENT:two~~\\g COMMENT:three COMMENT:four~",
        "AREA:a#00ff00:one\\l COMMENT:\\u COMMENT:two\\r",
        "AREA:a#00ff00:a\\tb COMMENT:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa COMMENT:bbbbbbbbbb",
        "LINE1:a#ff0000 VRULE:1789990000#ff0000:in VRULE:5#ff0000:out",
        "VDEF:m=a,MAXIMUM VDEF:l=a,LAST VDEF:t=a,TOTAL VDEF:p=a,95,PERCENT LINE1:m#ff0000:max \
         PRINT:m:%lf PRINT:l:%lf PRINT:t:%lf PRINT:p:%lf PRINT:m:%H-%M:strftime",
        "VDEF:m=a,MINIMUM VDEF:f=a,FIRST VDEF:v=a,AVERAGE VDEF:q=a,50,PERCENTNAN \
         VDEF:d=a,STDEV VDEF:s=a,LSLSLOPE VDEF:i=a,LSLINT VDEF:c=a,LSLCORREL LINE1:a#0f0 \
         PRINT:m:%lf PRINT:f:%lf PRINT:v:%lf PRINT:q:%lf PRINT:d:%.4lf PRINT:s:%.4lf \
         PRINT:i:%.4lf PRINT:c:%.4lf",
        "DEF:b=FILE:ds0:AVERAGE:step=1800 DEF:c=FILE:ds1:MAX:step=7200:reduce=MIN \
         CDEF:d=b,c,+ CDEF:e=a,d,- LINE1:e#00ff00:e PRINT:d:AVERAGE:%lf PRINT:e:MAX:%lf \
         PRINT:c:LAST:%lf PRINT:b:MIN:%lf",
        "DEF:b=FILE:ds0:AVERAGE:start=1789900000:end=start+5h LINE1:b#00ff00 PRINT:b:AVERAGE:%lf",
        "-S 3600 LINE1:a#00ff00 PRINT:a:AVERAGE:%lf%s PRINT:a:LAST:%5.1lf%S PRINT:a:MIN:%lf%S%%",
    ] {
        bench.compare(&format!("{window} {line}"));
    }
}

#[test]
fn overfull_lines_of_the_legend() {
    let Some(bench) = Bench::new() else { return };
    for code in ["", "\\l", "\\n", "\\r", "\\c", "\\j", "\\s", "\\g", "\\u"] {
        for width in [200, 300, 500] {
            let long = "COMMENT:bbbbbbbbbbbbbbbbbbbb COMMENT:ccccccccccccccccc";
            bench.compare(&format!(
                "-s end-2d -e {END} -w {width} DEF:a=FILE:ds0:AVERAGE \
                 LINE:a#ff0000:aaaaaaaaaaaaaaaa {long}{code} COMMENT:ddd COMMENT:eeeeeeeeeee"
            ));
        }
    }
}

#[test]
fn legends_at_every_edge() {
    let Some(bench) = Bench::new() else { return };
    let texts = "COMMENT:head\\l AREA:a#ff0000:one COMMENT:two\\l LINE:a#00ff00:three~three\\l \
        LINE:a#0000ff:four GPRINT:a:MAX:%6.2lf%s\\r COMMENT:foot\\c";
    for position in ["north", "south", "west", "east"] {
        for direction in ["topdown", "bottomup", "bottomup2"] {
            for further in ["", "-D", "-g", "--disable-rrdtool-tag", "-t title -v vert -W mark"] {
                bench.compare(&format!(
                    "-s end-2d -e {END} -w 600 -h 200 --legend-position={position} \
                     --legend-direction={direction} {further} DEF:a=FILE:ds0:AVERAGE {texts}"
                ));
            }
        }
        bench.compare(&format!(
            "-s end-2d -e {END} --legend-position {position} DEF:a=FILE:ds0:AVERAGE LINE:a#f00"
        ));
    }
}

#[test]
fn markup_has_rrdtools_widths() {
    let Some(bench) = Bench::new() else { return };
    for text in [
        "<b>aaaa</b>bb<i>cc</i>",
        "a<big>bbbb<big>ccc</big></big>",
        "x<small>aaaa</small><sup>bb</sup>cc<sub>dd</sub>",
        "<span~size='x-large'>aaaa</span><span~size='12288'>bb</span><tt>c</tt>",
        "<span~font='Sans~12'>AVAVA</span><u>dd</u><s>ee</s>",
        "<span~foreground='red'~weight='bold'~underline='single'>aaaa</span>",
        "&lt;&amp;&gt;&#65;~aaa",
    ] {
        bench.compare(&format!(
            "-P -s end-2d -e {END} -t <b>title</b> -v <i>v</i> -W <u>w</u> \
             DEF:a=FILE:ds0:AVERAGE LINE:a#f00:{text} COMMENT:{text}\\l COMMENT:end"
        ));
    }
    let refused = bench.words(&format!(
        "-P -s end-2d -e {END} DEF:a=FILE:ds0:AVERAGE LINE:a#f00:<blink>a</blink>"
    ));
    let error = bench.ours(&refused).expect_err("an unknown tag").to_string();
    assert_eq!(error, "the markup of '  <blink>a</blink>' is not understood");
}

/// Names that fontconfig answers with DejaVu Sans and DejaVu Sans Mono on Debian.
#[test]
fn fonts_have_rrdtools_widths() {
    let Some(bench) = Bench::new() else { return };
    let texts = "AREA:a#ff0000:AVAVA~ToTo~iiWW COMMENT:é~ß~0123456789~%~@,.\\l \
        GPRINT:a:MAX:Max\\t%6.2lf~%s COMMENT:abcdefghijklmnopqrstuvwxyz";
    for family in [
        "",
        "DejaVu~Sans",
        "DejaVu~Sans~Mono",
        "Sans",
        "monospace",
        "Sans~Bold",
        "DejaVu~Sans~Mono~Bold",
        "No~Such~Family",
    ] {
        for size in [6.0, 8.0, 9.5, 12.0, 17.0] {
            bench.compare(&format!(
                "-s end-2d -e {END} -w 500 -t two\\nlines -v label -W mark \
                 -n DEFAULT:{size}:{family} DEF:a=FILE:ds0:AVERAGE {texts}"
            ));
            bench.compare(&format!(
                "-s end-2d -e {END} -w 500 -n AXIS:{size}:{family} -n LEGEND:0:{family} \
                 DEF:a=FILE:ds0:AVERAGE {texts}"
            ));
        }
    }
}

#[test]
fn errors_have_rrdtools_words() {
    let Some(bench) = Bench::new() else { return };
    let window = format!("-s end-2d -e {END} DEF:a=FILE:ds0:AVERAGE");
    for line in [
        "CDEF:b=a,foo,+",
        "CDEF:a=a,2,*",
        "CDEF:b",
        "CDEF:b=1,2,+",
        "DEF:b=FILE:no:AVERAGE LINE1:b#f00",
        "DEF:b=FILE:ds0:FOO",
        "DEF:b=FILE",
        "DEF:b",
        "FOO:a",
        "foo",
        "LINE:z#ff0000",
        "AREA",
        "AREA:a#ff0000:leg:STOCK",
        "LINEx:a#00ff00",
        "LINE1:#ff0000",
        "GPRINT:a:MAX:%d",
        "GPRINT:a:MAX:%s%s",
        "GPRINT:a:MAX",
        "GPRINT:a:FOO:%lf",
        "GPRINT:zz:MAX:%lf",
        "PRINT:a:MAX:%lf%lf",
        "PRINT:a:MAX:%n",
        "PRINT:a:MAX:xx",
        "PRINT:a:MAX:",
        "PRINT:a:MAX:%*lf",
        "PRINT:a:MAX:%s%lf",
        "VDEF:v=a,FOO",
        "VDEF:v=a",
        "VDEF:v=zz,MAXIMUM",
        "VDEF:v=a,PERCENT",
        "VDEF:v=a,x,PERCENT",
        "VDEF:v=a,200,PERCENT",
        "VDEF:v=a,5,MAXIMUM",
        "--bogus",
        "-w abc",
        "-h 9",
        "-c FOO#112233",
        "-c BACK",
        "-c BACK#",
        "-c BACK#f0",
        "-c BACK#12345z",
        "-c BACK#ff0000a",
        "-c BACK#xyz",
        "--legend-position foo",
        "--left-axis-formatter foo",
        "--right-axis-formatter foo",
        "--left-axis-format %d",
        "--right-axis-format %lf%s",
        "--right-axis 0:1",
        "--right-axis 1",
        "--right-axis 1:x",
        "--legend-direction foo",
        "AREA:a#f00#0f0:leg:gradheight=x",
        "AREA:a#f00#0f0:leg:gradheight=5z",
        "-n FOO:8",
        "-n TITLE",
        "-a GIF",
        "-x foo",
        "-y foo",
        "-y 0:1",
        "-y 1:0",
        "HRULE:x#ff0000",
        "COMMENT",
        "COMMENT:a:b",
        "TEXTALIGN",
        "TEXTALIGN:foo",
        "TICK:a",
        "STACK:a#ff0000",
        "-o -l 0",
        "DEF:b=FILE:ds0:AVERAGE:step=0",
        "DEF:b=FILE:ds0:AVERAGE:foo=0",
        "DEF:b=FILE:ds0:AVERAGE:reduce=FOO",
        "-m 0",
        "-b 1",
        "-R foo",
        "-G foo",
        "-l foo",
        "-u 3x",
        "--grid-dash x",
        "--units foo",
        "LINE1:a#ff0000:a\\q",
        "VRULE:a#ff0000",
    ] {
        let arguments = bench.words(&format!("{window} {line} LINE1:a#ff0000"));
        let theirs = common::graphv(&bench.image, &arguments).expect_err(line);
        let ours = bench.ours(&arguments).expect_err(line).to_string();
        assert_eq!(ours.trim_end(), theirs.trim_end(), "{line}");
    }
}

#[test]
fn a_keyword_takes_its_own_options_alone() {
    let Some(bench) = Bench::new() else { return };
    let window = format!("-s end-2d -e {END} DEF:a=FILE:ds0:AVERAGE LINE1:a#0000ff:a");
    for taken in [
        "TICK:a#ff0000:0.5",
        "TICK:a#ff0000:0.5:",
        "TICK:a#ff0000:0.5:leg",
        "TICK:a#ff0000:0.5:legend=leg",
        "TICK:a#ff0000:legend=leg:0.5",
        "TICK:a#ff0000:fraction=0.5",
        "TICK:a#ff0000:fraction=0.5:leg",
        "TICK:a#ff0000:leg:fraction=0.5",
        "TICK:fraction=0.5:a#ff0000:leg",
        "TICK:a#ff0000:-0.5",
        "TICK:a#ff0000:1.5",
        "TICK:a#ff0000:0",
        "TICK:a#ff0000:+.5",
        "TICK:a:0.5",
        "TICK:a:0.5:leg",
        "TICK:a#:0.5",
        "TICK:a#ff0000:0.5:STACK",
        "TICK:a#ff0000:0.5:skipscale",
        "TICK:a#ff0000:0.5:gradheight=3",
        "TICK:a#ff0000:0.5:dashes",
        "AREA:a#ff0000:dashes=3",
        "AREA:a#ff0000:leg:gradheight=4",
        "AREA:a#ff0000::STACK",
        "STACK:a#ff0000:STACK",
        "HRULE:1#ff0000:STACK",
        "HRULE:1#ff0000:leg:dashes=3",
    ] {
        let arguments = bench.words(&format!("{window} {taken}"));
        let theirs = common::graphv(&bench.image, &arguments).expect(taken);
        let ours = bench.ours(&arguments).expect(taken);
        assert_eq!(theirs["image_height"], ours.height.to_string(), "{taken}");
        // rrdtool leaves a tick's legend no room for its box.
        let ours: Vec<&str> = ours.legend.iter().map(|text| text.text.trim()).collect();
        let theirs = theirs.iter().filter(|(key, _)| key.starts_with("legend["));
        let theirs: Vec<&str> = theirs.map(|(_, text)| text.trim()).collect();
        assert_eq!(ours, theirs, "{taken}");
    }
    let refused = |line: &str| {
        let arguments = bench.words(&format!("{window} {line}"));
        let theirs = common::graphv(&bench.image, &arguments).expect_err(line);
        (theirs, bench.ours(&arguments).expect_err(line).to_string())
    };
    for line in [
        "TICK:a",
        "TICK:a#ff0000",
        "TICK:a#ff0000:legend=leg",
        "TICK:a#ff0000:0.5:leg:more",
        "TICK:a#ff0000:0.5::",
        "TICK:a#ff0000:0.2:legend=leg:more",
        "TICK:a#ff0000:0.5:leg:STACK",
        "TICK:a#ff0000:0.5:leg:dashes",
        "AREA:a#ff0000:leg:dashes",
        "LINE:a#ff0000:leg:gradheight=4",
        "LINE:a#ff0000:legend=leg:more",
        "STACK:a#ff0000:leg:skipscale",
    ] {
        let (theirs, ours) = refused(line);
        assert_eq!(ours.trim_end(), theirs.trim_end(), "{line}");
    }
    // rrdtool names the series instead of what is no number.
    for line in ["TICK:a#ff0000:", "TICK:a#ff0000:leg", "TICK:a#ff0000::leg", "TICK:a:0.5x"] {
        let (theirs, ours) = refused(line);
        assert_eq!(theirs.trim_end(), "error parsing number a", "{line}");
        let found = line.split(':').nth(2).unwrap_or_default();
        assert_eq!(ours, format!("error parsing number {found}"));
    }
}

/// The grid lines in an SVG: their dashed strokes of a width, as `M x y L x y` or `M x y V y`.
fn vertical_lines(svg: &str, width: &str) -> Vec<i64> {
    let mut lines: Vec<i64> = svg
        .split("<path")
        .filter(|path| path.contains("dasharray") && path.contains(width))
        .filter_map(|path| {
            let data =
                path.split_once(" d=\"M")?.1.split_once('"')?.0.replace(['L', 'V', 'H'], " ");
            let numbers: Vec<f64> = data.split_whitespace().map_while(|n| n.parse().ok()).collect();
            let vertical = match numbers[..] {
                [x, _, to, _] => x == to,
                [..] => path.contains('V'),
            };
            vertical.then(|| numbers.first().map(|x| *x as i64))?
        })
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Seconds a pixel with every layout of the time axis but those with weeks.
#[test]
fn time_grids_from_minutes_to_ten_years() {
    let Some(bench) = Bench::new() else { return };
    for seconds_per_pixel in [
        1, 3, 7, 20, 45, 90, 150, 240, 450, 700, 1382, 2000, 2800, 15_000, 20_000, 135_000,
        150_000, 250_000, 500_000, 900_000,
    ] {
        for width in [400, 500] {
            let start = END - seconds_per_pixel * width;
            let arguments =
                bench.words(&format!("-s {start} -e {END} -w {width} -a SVG LINE1:0#ff0000"));
            common::graphv(&bench.image, &arguments).expect("rrdtool draws");
            let theirs = std::fs::read_to_string(&bench.image).expect("an SVG file");
            let ours = bench.ours(&arguments).expect("gyre draws").image;
            let ours = String::from_utf8(ours).expect("UTF-8");
            for (their_width, our_width) in [
                ("stroke-width:0.4;", "stroke-width=\"0.4\""),
                ("stroke-width:0.6;", "stroke-width=\"0.6\""),
            ] {
                let theirs = vertical_lines(&theirs, their_width);
                assert!(!theirs.is_empty(), "{seconds_per_pixel}");
                let ours = vertical_lines(&ours, our_width);
                assert_eq!(ours, theirs, "{their_width} at {seconds_per_pixel} s a pixel");
            }
        }
    }
}
