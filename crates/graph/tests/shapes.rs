//! Lines, areas and ticks, pixel by pixel against a live rrdtool.
#![allow(clippy::disallowed_methods)] // it starts rrdtool and writes its database

mod common;
#[path = "common/picture.rs"]
mod picture;

use std::fmt::Write as _;

use graph::{Arguments, draw};
use jiff::tz::TimeZone;
use picture::Picture;
use rrd::Timestamp;

const END: i64 = 1_789_998_900;

/// Three days of values between 1 and 6, and two hours of none.
fn database(file: &str) {
    let start = END - 3 * 86_400;
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let create = format!(
        "create {file} --start {start} --step 300 DS:v:GAUGE:600:U:U RRA:AVERAGE:0.5:1:900"
    );
    common::rrdtool(&words(&create)).expect("rrdtool creates");
    let mut update = format!("update {file}");
    for time in (start + 300..=END).step_by(300) {
        let noise = (time / 300 * 7919 % 13) as f64 / 10.0;
        let value = 3.0 + 2.0 * (time as f64 / 8000.0).sin() + noise;
        match END - time {
            44_000..50_000 => write!(update, " {time}:U"),
            _ => write!(update, " {time}:{value}"),
        }
        .expect("a string takes everything");
    }
    common::rrdtool(&words(&update)).expect("rrdtool updates");
}

/// Pictures take fewer bytes than rrdtool's, in both formats.
#[test]
fn pictures_are_small() {
    let Some(_) = oracle::program("rrdtool", "the bytes of pictures") else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).to_string_lossy().into_owned();
    let (file, image) = (path("v.rrd"), path("image"));
    database(&file);
    for line in [
        "-w 500 -h 150 -t Traffic -v bits AREA:v#00cc00:In LINE1:w#0000ff:Out",
        "-w 500 -h 150 -E AREA:v#00cc00:In LINE1:w#0000ff:Out GPRINT:v:MAX:%6.2lf",
        "-w 900 -h 400 AREA:v#ff0000 AREA:w#00ff0080::STACK AREA:v#0000ff::STACK LINE2:w#000",
        "-w 900 -h 400 -E AREA:v#ff0000 AREA:w#00ff0080::STACK AREA:v#0000ff::STACK LINE2:w#000",
        "-w 500 -h 150 AREA:v#ff0000#00ff00",
    ] {
        for format in ["PNG", "SVG", "PDF", "EPS"] {
            let define = format!("-a {format} -e {END} DEF:v={file}:v:AVERAGE CDEF:w=v,0.6,*");
            let words = format!("{define} {line}");
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            common::graphv(&image, &words).expect(line);
            let theirs = std::fs::metadata(&image).expect("rrdtool's picture").len();
            let ours = ours(&words).len() as u64;
            assert!(ours < theirs, "{format} {line}: {ours} bytes, rrdtool's {theirs}");
        }
    }
}

impl Picture {
    /// How many pixels have no like among the nine pixels at their place in the other picture:
    /// both programs smooth edges in their own way.
    fn strangers_in(&self, other: &Self) -> usize {
        let places = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        places.filter(|(x, y)| !other.has_near(*x, *y, self.pixels[y * self.width + x])).count()
    }

    fn has_near(&self, x: usize, y: usize, color: [u8; 3]) -> bool {
        let rows = y.saturating_sub(1)..=(y + 1).min(self.height - 1);
        let like = |pixel: &[u8; 3]| pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 130);
        rows.into_iter().any(|row| {
            let columns = x.saturating_sub(1)..=(x + 1).min(self.width - 1);
            self.pixels[row * self.width..][columns].iter().any(like)
        })
    }
}

fn ours(words: &[String]) -> Vec<u8> {
    let now = Timestamp::from_seconds(END);
    let arguments = Arguments::read(words).expect("valid options");
    let drawing = draw(&arguments, now, &TimeZone::UTC, &mut |requests| {
        requests.iter().map(common::fetch).collect()
    });
    drawing.unwrap_or_else(|error| panic!("{words:?}: {error}")).image
}

/// Draws one definition with both programs and looks for pixels that only one of them has.
fn compare(file: &str, image: &str, line: &str) {
    let plain = "-x none -y none -g --disable-rrdtool-tag -w 150 -h 60 -c ARROW#f3f3f3";
    let words = format!("{plain} -e {END} DEF:v={file}:v:AVERAGE {line}");
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    common::graphv(image, &words).expect(line);
    let theirs = Picture::read(&std::fs::read(image).expect("rrdtool's picture"));
    let ours = Picture::read(&ours(&words));
    assert_eq!((ours.width, ours.height), (theirs.width, theirs.height), "{line}");
    let (only_ours, only_theirs) = (ours.strangers_in(&theirs), theirs.strangers_in(&ours));
    let most = ours.pixels.len() / 250;
    assert!(only_ours <= most, "{line}: {only_ours} pixels are ours alone");
    assert!(only_theirs <= most, "{line}: {only_theirs} pixels are rrdtool's alone");
}

fn compare_all(lines: &[&str]) {
    let Some(_) = oracle::program("rrdtool", "shapes against rrdtool's own") else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).to_string_lossy().into_owned();
    let (file, image) = (path("v.rrd"), path("image"));
    database(&file);
    for line in lines {
        compare(&file, &image, line);
    }
}

/// Constants, gaps, a number that is no number, and stacks.
const SHAPES: [&str; 9] = [
    "CDEF:k=v,0,*,2,+ AREA:k#ff0000",
    "CDEF:k=v,0,*,2,+ LINE2:k#ff0000 LINE1:v#0000ff",
    "CDEF:k=v,0,*,2,+ AREA:k#ff0000 AREA:v#00ff0080::STACK LINE3:k#000000::STACK",
    "CDEF:g=TIME,7200,%,3600,LT,v,UNKN,IF AREA:g#ff0000 AREA:v#00ff00::STACK LINE:v#0000ff",
    "CDEF:g=TIME,7200,%,3600,LT,v,UNKN,IF LINE2:v#ff0000 LINE2:g#00ff00::STACK",
    "CDEF:n=v,-1,* AREA:n#ff0000 AREA:v#00ff00 AREA:n#0000ff::STACK",
    "CDEF:i=v,4,GT,INF,v,IF AREA:i#ff0000 LINE2:i#0000ff",
    "CDEF:i=v,2,LT,NEGINF,v,IF AREA:i#ff0000 AREA:1#00ff00::STACK LINE2:i#0000ff",
    "CDEF:b=v,1000000000,* LINE2:v#ff0000 AREA:b#0000ff::skipscale",
];

#[test]
fn shapes_with_steps() {
    compare_all(&SHAPES.map(|line| format!("-s end-1d -l0 -u5 {line}")).each_ref().map(|it| &**it));
}

#[test]
fn shapes_with_slopes() {
    let line = |line| format!("-s end-1d -E -l0 -u5 {line}");
    compare_all(&SHAPES.map(line).each_ref().map(|it| &**it));
}

#[test]
fn shapes_beyond_rigid_limits() {
    compare_all(&[
        "-s end-6h -r -l0 -u1 AREA:v#ff0000 AREA:2#00ff00::STACK",
        "-s end-6h -r -l0 -u1 -E AREA:v#ff0000 AREA:2#00ff00::STACK",
        "-s end-6h -r -l7 -u9 AREA:v#ff0000 AREA:4#00ff00::STACK",
        "-s end-1d -r -l2 -u3 LINE2:v#ff0000",
        "-s end-1d -r -l2 -u3 -E LINE2:v#ff0000",
        "-s end-1d -r -l-9 -u-4 CDEF:n=v,-1,* AREA:n#ff0000 LINE1:n#0000ff",
    ]);
}

#[test]
fn gradients_have_heights() {
    compare_all(&[
        "-s end-6h -l0 -u8 AREA:v#ff0000#0000ff",
        "-s end-6h -l0 -u8 AREA:v#ff0000#0000ff::gradheight=15",
        "-s end-6h -l0 -u8 AREA:v#ff0000#0000ff::gradheight=0",
        "-s end-6h -l0 -u8 AREA:v#ff0000#0000ff::gradheight=-30",
        "-s end-1d -l0 -u8 -E AREA:v#ff0000#0000ff40::gradheight=0",
        "-s end-1d -l0 -u8 AREA:v#f00#0000ff80::gradheight=10 LINE:v#000:x",
    ]);
}

#[test]
fn ticks_and_rules() {
    compare_all(&[
        "-s end-6h CDEF:t=v,3,GT LINE:v#0000ff TICK:t#ff0000:0.3 TICK:t#00ff0080:-0.2",
        "-s end-6h CDEF:t=v,3,GT,UNKN,v,IF LINE:v#0000ff TICK:t#ff0000:1",
        "-s end-6h -l0 LINE:v#0000ff HRULE:2#ff0000 VRULE:1789990000#00ff00",
    ]);
}

#[test]
fn colours_in_short() {
    compare_all(&[
        "AREA:v#f00 LINE2:v#00f",
        "AREA:v#0a38 LINE2:v#00fc",
        "AREA:v#0a LINE2:v#00ff0",
        "AREA:v#123456789 LINE2:v#xyz HRULE:2#",
        "-c BACK#fc0 -c CANVAS#1238 LINE2:v#f00",
        "-c BACK#ff8800zz LINE2:v#f00",
    ]);
}

#[test]
fn without_grid_fit_nothing_is_moved() {
    compare_all(&[
        "-N -s end-6h -l0 AREA:v#ff0000 LINE1:v#000000 HRULE:2#00ff00 VRULE:1789990000#00ff00",
        "-N -s end-6h -l0 -E AREA:v#ff0000 LINE1:v#000000",
    ]);
}
