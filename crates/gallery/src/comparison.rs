//! Both programs draw every graph, and their pictures are compared pixel by pixel.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gallery::databases;
use gallery::definitions::{self, Definition};

use crate::arguments::Arguments;
use crate::compared::Compared;
use crate::drawing::{Drawer, Drawn};
use crate::page;
use crate::picture::{Picture, Pixel};

/// Colours that are nearer than this in each part count as one: both programs smooth edges in their
/// own way.
const NEAR: u8 = 48;
/// Pixels between two pictures that stand side by side.
const MARGIN: usize = 12;
const PAPER: Pixel = [255, 255, 255, 255];
const MARK: Pixel = [220, 0, 60, 255];

/// Draws and compares the graphs that were asked for.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let rrdtool = oracle::program("rrdtool", "the gallery")
        .ok_or("expected Debian's rrdtool, which draws beside gyre (cargo xtask oracles)")?;
    let gyre = gyre_beside()?;
    let to = &arguments.to;
    fs::create_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    let directory = tempfile::tempdir().map_err(|error| format!("a directory: {error}"))?;
    databases::make(&rrdtool, directory.path())?;
    let mut theirs = Drawer::start(&rrdtool, "rrdtool", directory.path());
    let mut ours = Drawer::start(&gyre, "gyre", directory.path());
    let chosen = definitions::all().into_iter().filter(|it| it.name.contains(&arguments.only));
    let mut found = Vec::new();
    for definition in chosen {
        let drawn =
            (theirs.draw(&definition, arguments.rounds), ours.draw(&definition, arguments.rounds));
        let compared = compare(&definition, &drawn.0, &drawn.1, to)?;
        if !arguments.as_json {
            println!("{}", compared.line());
        }
        found.push(compared);
    }
    page::write(to, &found)?;
    match arguments.as_json {
        true => println!("{}", serde_json::to_string(&found).map_err(|error| error.to_string())?),
        false => println!("{}\n{}", total(&found), to.join("index.html").display()),
    }
    Ok(())
}

/// The gyre that was built with this program.
fn gyre_beside() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let gyre = own.with_file_name("gyre");
    match gyre.is_file() {
        true => Ok(gyre),
        false => Err(format!("{}: expected gyre (cargo build)", gyre.display())),
    }
}

fn compare(
    definition: &Definition,
    theirs: &Drawn,
    ours: &Drawn,
    to: &Path,
) -> Result<Compared, String> {
    let mut compared = Compared {
        name: definition.name,
        refusals: Vec::new(),
        same_size: false,
        same_print: theirs.printed == ours.printed,
        differing: 1.0,
        rrdtool_ms: milliseconds(theirs.time),
        gyre_ms: milliseconds(ours.time),
        rrdtool_bytes: bytes_of(theirs),
        gyre_bytes: bytes_of(ours),
    };
    for (program, drawn) in [("rrdtool", theirs), ("gyre", ours)] {
        if let Err(error) = &drawn.picture {
            compared.refusals.push(format!("{program}: {error}"));
        }
    }
    if let (Ok(theirs), Ok(ours)) = (&theirs.picture, &ours.picture) {
        let (left, right) = (Picture::read(theirs)?, Picture::read(ours)?);
        compared.same_size = (left.width, left.height) == (right.width, right.height);
        let (marked, differing) = difference(&left, &right);
        compared.differing = differing;
        side_by_side(&[&left, &right, &marked])
            .write(&to.join(format!("{}.png", definition.name)))?;
    }
    Ok(compared)
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn bytes_of(drawn: &Drawn) -> u64 {
    let facts = drawn.picture.as_ref().ok().and_then(|path| fs::metadata(path).ok());
    facts.map_or(0, |facts| facts.len())
}

/// The second picture, pale, with what differs marked; and the share of pixels that do.
fn difference(left: &Picture, right: &Picture) -> (Picture, f64) {
    let (width, height) = (left.width.max(right.width), left.height.max(right.height));
    let mut marked = Picture::filled(width, height, PAPER);
    let mut count = 0;
    for y in 0..height {
        for x in 0..width {
            let same = match (left.at(x, y), right.at(x, y)) {
                (Some(one), Some(other)) => {
                    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) < NEAR)
                }
                _ => false,
            };
            let pale = |part: u8| part / 4 + 191;
            let [red, green, blue, _] = right.at(x, y).unwrap_or(PAPER);
            count += u64::from(!same);
            let shown = if same { [pale(red), pale(green), pale(blue), 255] } else { MARK };
            marked.set(x, y, shown);
        }
    }
    (marked, count as f64 / (width * height) as f64)
}

fn side_by_side(pictures: &[&Picture]) -> Picture {
    let width = pictures.iter().map(|it| it.width + MARGIN).sum::<usize>() - MARGIN;
    let height = pictures.iter().map(|it| it.height).max().unwrap_or(0);
    let mut all = Picture::filled(width, height, PAPER);
    let mut left = 0;
    for picture in pictures {
        all.lay(picture, left, 0);
        left += picture.width + MARGIN;
    }
    all
}

/// The line below all graphs.
fn total(found: &[Compared]) -> String {
    let drawn: Vec<&Compared> = found.iter().filter(|it| it.refusals.is_empty()).collect();
    let sum = |value: fn(&Compared) -> f64| drawn.iter().map(|it| value(it)).sum::<f64>();
    let (theirs, ours) = (sum(|it| it.rrdtool_ms), sum(|it| it.gyre_ms));
    format!(
        "{} of {} drawn by both, {} of one size, {} print the same; {theirs:.0} ms and {ours:.0} ms: \
         {:.1}x; {:.0} and {:.0} bytes",
        drawn.len(),
        found.len(),
        drawn.iter().filter(|it| it.same_size).count(),
        drawn.iter().filter(|it| it.same_print).count(),
        theirs / ours,
        sum(|it| it.rrdtool_bytes as f64),
        sum(|it| it.gyre_bytes as f64),
    )
}

#[cfg(test)]
mod tests {
    use super::{MARGIN, PAPER, Picture, difference, side_by_side};

    #[test]
    fn what_differs_is_marked_and_counted() {
        let left = Picture::filled(4, 2, PAPER);
        let mut right = left.clone();
        assert!(difference(&left, &right).1 == 0.0);
        right.set(1, 1, [0, 0, 0, 255]);
        let (marked, differing) = difference(&left, &right);
        assert!((differing - 1.0 / 8.0).abs() < 1e-12);
        assert_eq!(marked.at(1, 1), Some(super::MARK));
        assert_eq!(difference(&left, &Picture::filled(8, 2, PAPER)).1, 0.5);
    }

    #[test]
    fn pictures_stand_side_by_side() {
        let (small, tall) = (Picture::filled(2, 1, [1; 4]), Picture::filled(3, 4, [2; 4]));
        let all = side_by_side(&[&small, &tall]);
        assert_eq!((all.width, all.height), (5 + MARGIN, 4));
        assert_eq!((all.at(0, 0), all.at(0, 1)), (Some([1; 4]), Some(PAPER)));
        assert_eq!(all.at(2 + MARGIN, 3), Some([2; 4]));
    }
}
