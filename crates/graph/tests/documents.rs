//! PDF and EPS: other programs draw them as our own PNG, and find their texts.
#![allow(clippy::disallowed_methods)] // it writes files and starts programs

#[path = "common/picture.rs"]
#[allow(dead_code)]
mod picture;
#[path = "common/traffic.rs"]
mod traffic;

use std::path::{Path, PathBuf};
use std::process::Command;

use picture::Picture;

/// How far the channels of a block may be off on average, of 255: texts have other edges, and EPS mixes translucent colours with
/// what it knows to lie below.
const MEAN_MAX: f64 = 7.0;

/// The sides of blocks: within one, a thin line may lie on another pixel.
const BLOCK_PIXELS: usize = 4;

/// Lines lie where they belong: in a PNG alone they would be moved to whole pixels.
const UNFITTED: &str = "--no-gridfit";

const CASES: [&str; 8] = [
    "-s end-1d AREA:inb#00cc00:In LINE1:outb#0000ff:Out",
    "-s end-1d -E AREA:inb#00cc0080:In LINE2:outb#0000ff:Out:dashes=8,4",
    "-s end-1d AREA:inb#cc0000#ffff00:In AREA:outb#0000cc:Out:STACK",
    "-s end-1d AREA:inb#cc0000ff#0000ff20:In AREA:outb#00cccc40#cc00cc:Out",
    "-s end-1d -m 2 AREA:inb#ff0000:In AREA:outb#00ff0080:Out:STACK HRULE:1e7#000:Limit",
    "-s end-1d -R mono --right-axis 1:0 --right-axis-label Other VRULE:1789950000#f0f:Then \
        AREA:inb#ff000080:In AREA:outb#00ff0080:Out LINE3:outb#ffffff80",
    "-s end-1d -P -t Title -n LEGEND:11:sans TICK:inb#ff000040:-0.2 LINE1:outb#0000ff:<b>Bold</b> \
        COMMENT:<u>under</u><i>slanted</i>x<sup>2</sup>",
    "-s end-1d -j -w 500 -h 150 AREA:inb#00cc00",
];

struct Room(tempfile::TempDir);

impl Room {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let (out, err) = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it)).into();
    assert!(output.status.success() && err.is_empty(), "{command:?}: {out}{err}");
    out.into_owned()
}

/// The mean difference of the channels of blocks of pixels.
fn mean_difference(ours: &Picture, theirs: &Picture) -> f64 {
    assert_eq!((ours.width, ours.height), (theirs.width, theirs.height));
    let (ours, theirs) = (blocks(ours), blocks(theirs));
    let sum: f64 = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).sum();
    sum / ours.len() as f64
}

/// The means of the channels of each block.
fn blocks(picture: &Picture) -> Vec<f64> {
    let across = picture.width.div_ceil(BLOCK_PIXELS);
    let mut sums = vec![[0.0; 4]; across * picture.height.div_ceil(BLOCK_PIXELS)];
    for (at, pixel) in picture.pixels.iter().enumerate() {
        let (x, y) = (at % picture.width, at / picture.width);
        let block = &mut sums[y / BLOCK_PIXELS * across + x / BLOCK_PIXELS];
        let counted = pixel.iter().map(|channel| f64::from(*channel)).chain([1.0]);
        block.iter_mut().zip(counted).for_each(|(sum, value)| *sum += value);
    }
    sums.iter()
        .flat_map(|[red, green, blue, count]| [red / count, green / count, blue / count])
        .collect()
}

fn compare(case: &str, drawn: &Path) {
    let ours = Picture::read(&traffic::image(case, &[UNFITTED]));
    let theirs = Picture::read(&std::fs::read(drawn).expect("a picture"));
    let mean = mean_difference(&ours, &theirs);
    assert!(mean < MEAN_MAX, "{case}: {mean}");
}

#[test]
fn poppler_draws_and_reads_pdf() {
    let Some(pdftoppm) = oracle::program("pdftoppm", "graphs as PDF, drawn") else { return };
    let Some(pdftotext) = oracle::program("pdftotext", "graphs as PDF, read") else { return };
    let room = Room::new();
    let (file, drawn) = (room.path("graph.pdf"), room.path("drawn"));
    for case in CASES {
        let document = traffic::image(case, &["-a", "PDF", UNFITTED]);
        std::fs::write(&file, &document).expect("a file");
        run(Command::new(&pdftoppm)
            .args(["-r", "72", "-png", "-singlefile"])
            .arg(&file)
            .arg(&drawn));
        compare(case, &drawn.with_extension("png"));
        let text = run(Command::new(&pdftotext).arg("-layout").arg(&file).arg("-"));
        for words in ["Bits/s", "Max", "mark"].iter().filter(|_| !case.contains("-j ")) {
            assert!(text.contains(words), "{case}: {words}: {text}");
        }
    }
}

#[test]
fn ghostscript_draws_eps() {
    let Some(gs) = oracle::program("gs", "graphs as EPS") else { return };
    let room = Room::new();
    let (file, drawn) = (room.path("graph.eps"), room.path("drawn.png"));
    let quiet = ["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dEPSCrop"];
    // Fine pixels, and each of the picture from 16 of them: of clips ghostscript smooths no edges.
    let smooth = ["-r288", "-dDownScaleFactor=4"];
    for case in CASES {
        let document = traffic::image(case, &["-a", "EPS", UNFITTED]);
        std::fs::write(&file, &document).expect("a file");
        let output = format!("-sOutputFile={}", drawn.display());
        let mut command = Command::new(&gs);
        run(command.args(quiet).args(smooth).args(["-sDEVICE=png16m", &output]).arg(&file));
        compare(case, &drawn);
        let mut command = Command::new(&gs);
        let text =
            run(command.args(quiet).args(["-sDEVICE=txtwrite", "-sOutputFile=-"]).arg(&file));
        assert!(case.contains("-j ") || text.contains("Max"), "{case}: {text}");
    }
}

/// What every reader of such files looks for, without one.
#[test]
fn documents_are_whole_and_have_the_size_of_the_image() {
    for case in CASES {
        let picture = Picture::read(&traffic::image(case, &[UNFITTED]));
        let pdf = traffic::image(case, &["-a", "PDF", UNFITTED]);
        assert_eq!(
            pdf,
            traffic::image(case, &["-a", "PDF", UNFITTED]),
            "{case}: other bytes each time"
        );
        let text = String::from_utf8_lossy(&pdf);
        assert!(text.starts_with("%PDF-1.") && text.trim_end().ends_with("%%EOF"), "{case}");
        let size = format!("/MediaBox[0 0 {} {}]", picture.width, picture.height);
        assert!(text.contains(&size), "{case}: {size}");
        assert!(!text.contains("Date"), "{case}");
        let eps = traffic::image(case, &["-a", "EPS", UNFITTED]);
        assert_eq!(
            eps,
            traffic::image(case, &["-a", "EPS", UNFITTED]),
            "{case}: other bytes each time"
        );
        assert!(eps.is_ascii(), "{case}");
        let text = String::from_utf8_lossy(&eps);
        assert!(text.starts_with("%!PS-Adobe-3.0 EPSF-3.0\n") && text.ends_with("%%EOF\n"));
        let size = format!("%%BoundingBox: 0 0 {} {}\n", picture.width, picture.height);
        assert!(text.contains(&size), "{case}: {size}");
        assert!(!text.contains("Date"), "{case}");
        let words = text.split_whitespace();
        let saves = words.clone().filter(|word| *word == "q").count();
        assert_eq!(saves, words.filter(|word| *word == "Q").count(), "{case}");
        assert!(text.lines().all(|line| line.len() < 400), "{case}: a long line");
    }
}
