//! The share of the files that have so many resident pages or fewer: as a table, a drawing in text,
//! or a plot.

use std::io::{self, Write as _};
use std::path::PathBuf;

use graph::{Axis, Legend, Panel, Plot, Scale};
use pagecache::Distribution;
use serde_json::json;

use super::json;
use super::look::Look;
use super::show::{BOLD, Face, Show};
use super::table::put_total;
use super::total::Total;
use crate::json_lines;
use figures::count;

/// Lines of the table.
const LINES_MAX: usize = 24;
/// Columns and lines of the drawing.
const COLUMNS: usize = 64;
const LINES: usize = 10;

pub(super) struct ShowDistribution {
    plot: Option<PathBuf>,
    as_json: bool,
    face: Face,
    found: Distribution,
}

impl ShowDistribution {
    pub(super) fn new(plot: Option<PathBuf>, as_json: bool, face: Face) -> Self {
        Self { plot, as_json, face, found: Distribution::default() }
    }
}

impl Show for ShowDistribution {
    fn file(&mut self, _out: &mut Vec<u8>, _path: &[u8], look: Look) {
        // A file whose pages are unknown is left out; the total counts such files.
        if let Some(counts) = look.counts {
            self.found.add(counts.resident_pages);
        }
    }

    fn end(&mut self, out: &mut Vec<u8>, total: &Total) -> io::Result<()> {
        if self.as_json {
            json_lines::put_line(out, &self.json());
            json_lines::put_line(out, &json::total(total));
        } else {
            self.table(out);
            draw(out, &self.found);
            put_total(out, total);
        }
        match &self.plot {
            Some(path) => self.plot(path),
            None => Ok(()),
        }
    }
}

impl ShowDistribution {
    fn json(&self) -> serde_json::Value {
        let steps = self.found.steps();
        let steps: Vec<_> = steps
            .map(|(pages, files, below)| json!({ "pages": pages, "files": files, "up_to": below }))
            .collect();
        json!({ "distribution": { "files": self.found.files(), "steps": steps } })
    }

    fn table(&self, out: &mut Vec<u8>) {
        let head =
            format!("{:>12} {:>12} {:>12} {:>8}", "PAGES UP TO", "FILES", "ALTOGETHER", "SHARE");
        let _ = writeln!(out, "{}", self.face.colored(BOLD, &head)); // a Vec takes everything
        for (pages, files, below) in gathered(&self.found, LINES_MAX) {
            let share = below as f64 * 100.0 / self.found.files() as f64;
            let (pages, files, below) = (count(pages), count(files), count(below));
            let _ = writeln!(out, "{pages:>12} {files:>12} {below:>12} {share:>7.1}%");
        }
    }

    fn plot(&self, path: &std::path::Path) -> io::Result<()> {
        crate::plot_file::write(path, &plot(&self.found))
    }
}

/// The share of the files that have a number of pages or less, as a line of steps.
fn plot(found: &Distribution) -> Plot {
    let files = found.files().max(1) as f64;
    let (mut curve, mut share) = (vec![[0.0, 0.0]], 0.0);
    for (pages, _, below) in found.steps() {
        curve.push([pages as f64, share]);
        share = below as f64 * 100.0 / files;
        curve.push([pages as f64, share]);
    }
    let last = curve.last().map_or(0.0, |[pages, _]| *pages).max(1.0);
    // The axis continues a little past the last step, so that the step is visible.
    let pages = Scale::from_zero([last * 1.02].into_iter());
    if let Scale::Linear(_, end) = pages {
        curve.push([end, share]);
    }
    Plot {
        title: format!("Pages of {} files in the page cache", count(found.files())),
        x: Axis { label: "pages resident of a file, at most".into(), scale: pages },
        legend: vec![Legend::default()],
        panels: vec![Panel {
            y: Axis { label: "share of files, percent".into(), scale: Scale::Linear(0.0, 100.0) },
            limit: None,
            curves: vec![curve],
        }],
    }
}

/// The steps for the table; steps are merged if they are more than fit.
fn gathered(found: &Distribution, lines_max: usize) -> Vec<(u64, u64, u64)> {
    let steps: Vec<_> = found.steps().collect();
    let each = steps.len().div_ceil(lines_max).max(1);
    let line = |steps: &[(u64, u64, u64)]| {
        let files = steps.iter().map(|(_, files, _)| files).sum();
        steps.last().map(|(pages, _, below)| (*pages, files, *below))
    };
    steps.chunks(each).filter_map(line).collect()
}

/// Draws the share of files over pages. Both axes are linear and start at zero.
fn draw(out: &mut Vec<u8>, found: &Distribution) {
    let Some(most) = found.quantile(1.0) else { return };
    let pages_of = |column: usize| most * column as u64 / (COLUMNS as u64 - 1);
    let steps: Vec<_> = found.steps().collect();
    let below = |pages: u64| {
        let after = steps.partition_point(|(step, ..)| *step <= pages);
        after.checked_sub(1).map_or(0, |nth| steps[nth].2) as f64 / found.files() as f64
    };
    let shares: Vec<f64> = (0..COLUMNS).map(|column| below(pages_of(column))).collect();
    let _ = writeln!(out, "\nshare of files"); // a Vec takes everything
    for line in (1..=LINES).rev() {
        let height = line as f64 / LINES as f64;
        // A cell is marked if the share reaches its line, rounded to half a line.
        let reaches = |share: &f64| share + 0.5 / LINES as f64 >= height && *share > 0.0;
        let marks: String =
            shares.iter().map(|share| if reaches(share) { '#' } else { ' ' }).collect();
        let _ = writeln!(out, "{:>5.0}% |{}", height * 100.0, marks.trim_end());
    }
    let (middle, last) = (count(most / 2), count(most));
    let _ = writeln!(out, "{:>6} +{}", "", "-".repeat(COLUMNS));
    let half = COLUMNS / 2;
    let _ = writeln!(out, "{:>8}0{middle:>half$}{last:>rest$}", "", rest = COLUMNS - half - 1);
    let _ = writeln!(out, "{:>8}pages resident of a file, at most\n", "");
}

#[cfg(test)]
mod tests {
    use super::{Distribution, draw, gathered};

    fn found(pages: impl Iterator<Item = u64>) -> Distribution {
        let mut found = Distribution::default();
        pages.for_each(|pages| found.add(pages));
        found
    }

    #[test]
    fn many_steps_are_gathered() {
        let lines = gathered(&found(0..100), 24);
        assert_eq!(lines.len(), 20);
        assert_eq!((lines[0], lines[19]), ((4, 5, 5), (99, 5, 100)));
        assert_eq!(gathered(&Distribution::default(), 24), []);
    }

    #[test]
    fn the_drawing_climbs_from_the_left_to_the_right() {
        let mut out = Vec::new();
        draw(&mut out, &found((0..=63).chain([0; 36])));
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().skip(2).take(10).collect();
        let widths: Vec<usize> = lines.iter().map(|line| line.matches('#').count()).collect();
        assert!(widths.is_sorted() && widths[9] == 64, "{text}");
        assert!(text.contains("pages resident of a file"), "{text}");
    }
}
