//! The pages of a file as a line of marks, each for as many pages as it takes to fit.

use std::io;

use pagecache::residency::{PageState, Stretch};

/// The number of columns if neither an option nor the terminal tells it.
const COLUMNS: usize = 80;
/// Columns of the counts before a map, and the fewest columns of a map.
const HEAD_COLUMNS: usize = 22;
const MARKS_MIN: usize = 10;

/// The number of marks on a line: as the option says, else as the terminal is wide.
pub(super) fn width(asked: Option<usize>) -> usize {
    let terminal = || rustix::termios::tcgetwinsize(io::stdout()).ok();
    let columns = asked.or_else(|| terminal().map(|size| size.ws_col.into()));
    let columns = columns.filter(|columns| *columns > 0).unwrap_or(COLUMNS);
    columns.saturating_sub(HEAD_COLUMNS).max(MARKS_MIN)
}

/// The pages that a mark stands for.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    resident_pages: u64,
    is_written: bool,
}

/// The marks of a file.
#[derive(Debug)]
pub(super) struct Marks {
    pages: u64,
    pub(super) pages_a_mark: u64,
    marks: Vec<Mark>,
}

impl Marks {
    /// The marks of a file with no resident page, at most `width` of them.
    pub(super) fn new(width: usize, pages: u64) -> Self {
        let pages_a_mark = pages.div_ceil(width as u64).max(1);
        let marks = vec![Mark::default(); pages.div_ceil(pages_a_mark) as usize];
        Self { pages, pages_a_mark, marks }
    }

    pub(super) fn add(&mut self, stretch: &Stretch) {
        if !stretch.state.is_resident() {
            return;
        }
        let is_written = matches!(stretch.state, PageState::Dirty | PageState::WriteBack);
        let end = (stretch.first_page + stretch.pages).min(self.pages);
        let mut at = stretch.first_page;
        while at < end {
            let nth = at / self.pages_a_mark;
            let next = ((nth + 1) * self.pages_a_mark).min(end);
            let mark = &mut self.marks[nth as usize];
            mark.resident_pages += next - at;
            mark.is_written |= is_written;
            at = next;
        }
    }

    /// One letter a mark: `.` none of its pages, `-` some, `+` half of them or more, `#` all, `D`
    /// some dirty or in write-back.
    pub(super) fn text(&self) -> String {
        let letter = |(nth, mark): (usize, &Mark)| {
            let before = nth as u64 * self.pages_a_mark;
            let pages = self.pages_a_mark.min(self.pages - before);
            match mark.resident_pages {
                _ if mark.is_written => 'D',
                0 => '.',
                resident if resident == pages => '#',
                resident if resident * 2 >= pages => '+',
                _ => '-',
            }
        };
        self.marks.iter().enumerate().map(letter).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Marks, PageState, Stretch};

    fn map(width: usize, pages: u64, resident: &[(u64, u64, PageState)]) -> String {
        let mut marks = Marks::new(width, pages);
        for (first_page, pages, state) in resident.iter().copied() {
            marks.add(&Stretch { first_page, pages, state });
        }
        marks.text()
    }

    #[test]
    fn a_short_file_has_a_mark_a_page() {
        use PageState::{Absent, Clean, Dirty, Evicted, Resident};
        let pages =
            [(0, 1, Clean), (1, 2, Absent), (3, 1, Dirty), (4, 1, Evicted), (5, 1, Resident)];
        assert_eq!(map(20, 6, &pages), "#..D.#");
        assert_eq!(map(20, 0, &[]), "");
    }

    #[test]
    fn a_long_one_has_few_marks() {
        use PageState::Clean;
        assert_eq!(map(4, 16, &[(0, 5, Clean), (10, 2, Clean)]), "#-+.");
        assert_eq!(map(4, 14, &[(12, 2, Clean)]), "...#", "the last mark has fewer pages");
        assert_eq!(map(10, 1 << 40, &[(0, 1 << 40, Clean)]).len(), 10);
    }
}
