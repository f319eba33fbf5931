//! Which pixels lines, areas, rules, grids and dashes cover, against a live rrdtool's PNG.
#![allow(clippy::disallowed_methods)] // it starts rrdtool and reads its picture

mod common;
#[path = "common/picture.rs"]
mod picture;

use std::ops::RangeInclusive;

use graph::{Arguments, draw};
use jiff::tz::TimeZone;
use picture::Picture;
use rrd::Timestamp;

/// An axis of a unit a pixel, with nothing that covers a curve.
const PLAIN: &str = "-s 1000000000 -e 1000040000 -w 400 -h 100 -l 0 -u 100 -r -g \
    --disable-rrdtool-tag -c AXIS#00000000 -c ARROW#00000000";
/// The canvas of [`PLAIN`], pixels from the left.
const CANVAS: RangeInclusive<usize> = 51..=450;

struct Bench {
    directory: tempfile::TempDir,
}

impl Bench {
    fn new() -> Option<Self> {
        oracle::program("rrdtool", "the pixels that lines cover")?;
        let bench = Self { directory: tempfile::tempdir().expect("a directory") };
        let create = format!(
            "create {} -b 1000000000 -s 300 DS:a:GAUGE:600:U:U RRA:AVERAGE:0.5:1:200",
            bench.path("a.rrd")
        );
        common::rrdtool(&words(&create)).expect("rrdtool creates");
        Some(bench)
    }

    fn path(&self, name: &str) -> String {
        self.directory.path().join(name).to_string_lossy().into_owned()
    }

    /// Both pictures of a definition: rrdtool's, then ours.
    fn draw(&self, line: &str) -> [Picture; 2] {
        let series = format!("DEF:a={}:a:AVERAGE CDEF:t=a,POP,TIME", self.path("a.rrd"));
        let words = words(&format!("{PLAIN} {series} {line}"));
        let image = self.path("image.png");
        common::graphv(&image, &words).expect(line);
        let theirs = std::fs::read(&image).expect("rrdtool's picture");
        let arguments = Arguments::read(&words).expect("valid options");
        let drawing = draw(&arguments, Timestamp::from_seconds(0), &TimeZone::UTC, &mut |asked| {
            asked.iter().map(common::fetch).collect()
        });
        [theirs, drawing.expect(line).image].map(|bytes| Picture::read(&bytes))
    }
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Pixels that are mostly red.
fn red(picture: &Picture) -> Vec<(usize, usize)> {
    let is_red = |[red, green, blue]: [u8; 3]| red > 200 && green < 120 && blue < 120;
    let pixels = picture.pixels.iter().enumerate().filter(|(_, pixel)| is_red(**pixel));
    pixels.map(|(at, _)| (at % picture.width, at / picture.width)).collect()
}

#[test]
fn lines_and_areas_cover_the_same_pixels() {
    let Some(bench) = Bench::new() else { return };
    for value in ["10", "10.25", "10.5", "10.75", "90", "0.4"] {
        for shape in ["LINE1", "LINE2", "LINE3", "AREA"] {
            let line = format!("-x none -y none LINE1:-9 {shape}:{value}#ff0000");
            let [theirs, ours] = bench.draw(&line).map(|picture| red(&picture));
            assert!(theirs.len() > 390, "{line}: {}", theirs.len());
            assert_eq!(ours, theirs, "ours first: {line}");
        }
        // rrdtool's rule ends in the middle of a pixel.
        let line = format!("-x none -y none LINE1:-9 HRULE:{value}#ff0000");
        let rows = bench.draw(&line).map(|picture| {
            let mut rows: Vec<usize> = red(&picture).into_iter().map(|(_, y)| y).collect();
            rows.dedup();
            rows
        });
        assert_eq!(rows[1], rows[0], "ours first: {line}");
    }
}

#[test]
fn steps_and_rules_stand_in_the_same_columns() {
    let Some(bench) = Bench::new() else { return };
    for seconds in [1_000_010_000, 1_000_012_345, 1_000_023_499] {
        let steps = format!("CDEF:c=t,{seconds},GT,90,10,IF -x none -y none");
        for shape in ["LINE1", "LINE2", "LINE3", "AREA"] {
            let line = format!("{steps} {shape}:c#ff0000");
            let [theirs, ours] = bench.draw(&line);
            assert_eq!(red(&ours), red(&theirs), "ours first: {line}");
        }
        let line = format!("-x none -y none LINE1:-9 VRULE:{seconds}#ff0000");
        let columns = bench.draw(&line).map(|picture| {
            let mut columns: Vec<usize> = red(&picture).into_iter().map(|(x, _)| x).collect();
            columns.dedup();
            columns
        });
        assert_eq!(columns[1], columns[0], "ours first: {line}");
    }
}

#[test]
fn grids_lie_on_the_same_pixels() {
    let Some(bench) = Bench::new() else { return };
    let solid = "--grid-dash 1:0 -c GRID#00000000 -c MGRID#ff0000";
    for grid in ["-x none -y 7:1", "-x none -y 12.5:1", "-y none", "-x none -h 97 -y 10:1"] {
        let line = format!("{solid} {grid} LINE1:-9");
        // Lines of the grid are paler than curves.
        let rosy = bench.draw(&line).map(|picture| {
            let is_rosy = |[red, green, _]: [u8; 3]| red > 240 && green < 160;
            let (x, y) = (CANVAS.start() + 91, 60);
            let row = CANVAS.filter(|x| is_rosy(picture.pixels[y * picture.width + x]));
            let rows = 0..picture.height;
            let column = rows.filter(|y| is_rosy(picture.pixels[y * picture.width + x]));
            (row.collect::<Vec<_>>(), column.collect::<Vec<_>>())
        });
        assert!(rosy[0].0.len() + rosy[0].1.len() > 5, "{grid}: {rosy:?}");
        assert_eq!(rosy[1], rosy[0], "ours first: {grid}");
    }
}

/// The lengths of the red runs along a row of the canvas.
fn runs(picture: &Picture, row: usize) -> Vec<usize> {
    let is_red = |x: &usize| {
        let [red, green, _] = picture.pixels[row * picture.width + x];
        red > 200 && green < 128
    };
    let columns: Vec<usize> = (15..=414).filter(is_red).collect();
    columns.chunk_by(|a, b| a + 1 == *b).map(<[usize]>::len).collect()
}

#[test]
fn dashes_have_the_same_lengths() {
    let Some(bench) = Bench::new() else { return };
    for dashes in ["dashes", "dashes=10,5", "dashes=10,5:dash-offset=7", "dashes=8,4,2,4"] {
        for shape in ["LINE1", "LINE2", "LINE3", "HRULE"] {
            let line = format!("-x none -y none LINE1:-9 {shape}:10#ff0000::{dashes}");
            let [theirs, ours] = bench.draw(&line).map(|picture| runs(&picture, 105));
            assert!(theirs.len() > 20, "{line}: {theirs:?}");
            assert_eq!(ours.len(), theirs.len(), "{line}: {ours:?}, rrdtool's {theirs:?}");
            let near = ours.iter().zip(&theirs).all(|(one, other)| one.abs_diff(*other) <= 1);
            assert!(near, "{line}: {ours:?}, rrdtool's {theirs:?}");
        }
    }
}
