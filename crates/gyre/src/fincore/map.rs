//! `--map`: each file as a line of marks.

use std::io::{self, Write as _};

use super::look::{Detail, Look};
use super::show::{FAINT, Face, Show, YELLOW};
use super::table::put_total;
use super::total::Total;
use figures::count;

pub(super) struct ShowMap {
    pub(super) face: Face,
}

impl Show for ShowMap {
    fn begin(&mut self, out: &mut Vec<u8>) {
        let words =
            "RESIDENT of    PAGES  . none - some + half or more # all D dirty of a mark's pages";
        let _ = writeln!(out, "{}", self.face.colored(FAINT, words)); // a Vec takes everything
    }

    fn file(&mut self, out: &mut Vec<u8>, path: &[u8], look: Look) {
        self.face.put_path(out, path);
        out.push(b'\n');
        let (Some(counts), Detail::Map(marks)) = (look.counts, look.detail) else {
            let _ = writeln!(out, "{}", self.face.colored(YELLOW, " unknown"));
            return;
        };
        let (resident, pages) = (counts.resident_pages, counts.pages);
        let _ = write!(out, "{resident:>8} of {pages:>8}  ");
        let _ = write!(out, "{}", self.colored(&marks.text()));
        if marks.pages_a_mark > 1 {
            let _ = write!(out, "\n{:>20}  a mark is {} pages", "", count(marks.pages_a_mark));
        }
        out.push(b'\n');
    }

    fn end(&mut self, out: &mut Vec<u8>, total: &Total) -> io::Result<()> {
        put_total(out, total);
        Ok(())
    }
}

impl ShowMap {
    /// Colours the marks; neighbours of one kind share one colour sequence.
    fn colored(&self, marks: &str) -> String {
        let bytes = marks.as_bytes();
        let runs = bytes.chunk_by(|one, other| one == other);
        let colored = runs.map(|run| {
            let text: String = run.iter().copied().map(char::from).collect();
            match run[0] {
                b'.' => self.face.colored(FAINT, &text),
                b'D' => self.face.colored(YELLOW, &text),
                _ => self.face.colored(32, &text),
            }
        });
        colored.collect()
    }
}
