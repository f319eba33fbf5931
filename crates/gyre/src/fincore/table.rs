//! A line for each file, and the total.

use std::io::{self, Write as _};

use pagecache::residency::Counts;

use super::look::Look;
use super::show::{BOLD, Face, Show, YELLOW};
use super::total::Total;
use figures::{count, size, some};

pub(super) struct ShowTable {
    /// Whether files are shown besides the total.
    pub(super) files: bool,
    pub(super) face: Face,
}

impl Show for ShowTable {
    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.files {
            head(out, self.face);
        }
    }

    fn file(&mut self, out: &mut Vec<u8>, path: &[u8], look: Look) {
        if self.files {
            line(out, path, look.counts.as_ref(), self.face);
        }
    }

    fn end(&mut self, out: &mut Vec<u8>, total: &Total) -> io::Result<()> {
        put_total(out, total);
        Ok(())
    }
}

/// The names of the columns.
pub(super) fn head(out: &mut Vec<u8>, face: Face) {
    let columns = ["RESIDENT", "PAGES", "DIRTY", "WRITING", "EVICTED", "RECENT"];
    let line = columns.map(|column| format!("{column:>9}")).join(" ");
    // Writing to a Vec cannot fail.
    let _ = writeln!(out, "{}", face.colored(BOLD, &format!("{line}  FILE")));
}

/// The line of a file.
pub(super) fn line(out: &mut Vec<u8>, path: &[u8], counts: Option<&Counts>, face: Face) {
    match counts {
        Some(counts) => put_counts(out, counts),
        None => {
            let unknown = format!("{:>9}", "unknown");
            out.extend_from_slice(face.colored(YELLOW, &unknown).as_bytes());
            out.extend_from_slice([b' '; 50].as_slice());
        }
    }
    out.extend_from_slice(b"  ");
    face.put_path(out, path);
    out.push(b'\n');
}

fn put_counts(out: &mut Vec<u8>, counts: &Counts) {
    put_number(out, counts.resident_pages);
    out.push(b' ');
    put_number(out, counts.pages);
    let Some(states) = counts.states else {
        // The kernel does not tell: not the same as zero.
        let _ = write!(out, " {0:>9} {0:>9} {0:>9} {0:>9}", "?");
        return;
    };
    for pages in [
        states.dirty_pages,
        states.write_back_pages,
        states.evicted_pages,
        states.recently_evicted_pages,
    ] {
        out.push(b' ');
        put_number(out, pages);
    }
}

/// Writes a number in nine columns, or more. Not with `write!`: numbers take most of the time of a
/// line.
fn put_number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [b' '; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at.min(digits.len() - 9)..]);
}

/// Writes the counts of all files together, in words.
pub(super) fn put_total(out: &mut Vec<u8>, total: &Total) {
    let counts = total.counts();
    let page_bytes = disk::page_bytes() as u64;
    let share = |pages: u64| size(pages * page_bytes);
    let _ = write!(
        out,
        "{}: {} of {} resident ({} of {})",
        some(total.files, "file", "files"),
        count(counts.resident_pages),
        some(counts.pages, "page", "pages"),
        share(counts.resident_pages),
        share(counts.pages)
    );
    let _ = match counts.states {
        Some(states) => write!(
            out,
            ", {} dirty, {} in write-back, {} evicted, {} of them recently",
            count(states.dirty_pages),
            count(states.write_back_pages),
            count(states.evicted_pages),
            count(states.recently_evicted_pages)
        ),
        None => write!(out, ", dirty and evicted ones unknown"),
    };
    if total.unknown_files > 0 {
        let files = some(total.unknown_files, "file", "files");
        let _ = write!(out, "; of {files} it is unknown");
    }
    if total.failed > 0 {
        let _ = write!(out, "; {} failed", count(total.failed));
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::put_number;

    #[test]
    fn numbers_stand_to_the_right() {
        let shown = |number| {
            let mut out = Vec::new();
            put_number(&mut out, number);
            String::from_utf8(out).unwrap()
        };
        assert_eq!([0, 42, 123_456_789].map(shown), ["        0", "       42", "123456789"]);
        assert_eq!(shown(u64::MAX), u64::MAX.to_string());
    }
}
