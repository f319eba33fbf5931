//! Readahead that uses what earlier openings of a file read, as the reference proposes it.

use capacity::policy::{FileView, Order, Readahead};

/// The window at a file's beginning is as long as the sequence that its last opening read from
/// there; at first it is today's window. Nothing else is read ahead: rows are read one by one.
#[derive(Clone, Debug)]
pub(super) struct History<R> {
    first: R,
    /// The length of the sequence read from the beginning by the last completed opening.
    learned: Option<u32>,
    /// The length in the current opening, if it has read anything.
    run: Option<u32>,
}

impl<R> History<R> {
    /// The policy for a file; `first` decides until the file has been opened once.
    pub(super) fn after(first: R) -> Self {
        Self { first, learned: None, run: None }
    }
}

impl<R: Readahead> Readahead for History<R> {
    fn open(&mut self) {
        self.first.open();
        self.learned = self.run.take().or(self.learned);
    }

    fn read(&mut self, page: u32, wanted: u32, file: &FileView<'_>, order: &mut Order) {
        let run = self.run.unwrap_or(0);
        let is_next = page == run;
        self.run = Some(run + u32::from(is_next));
        match self.learned {
            None => self.first.read(page, wanted, file, order),
            Some(pages) if page == 0 => order.bring.push(0..pages.clamp(1, file.pages())),
            Some(_) => {}
        }
    }
}

/// The kernel's policy for a descriptor that stays open: there is only one opening.
#[derive(Clone, Debug)]
pub(super) struct StaysOpen<R>(pub(super) R);

impl<R: Readahead> Readahead for StaysOpen<R> {
    fn open(&mut self) {}

    fn read(&mut self, page: u32, wanted: u32, file: &FileView<'_>, order: &mut Order) {
        self.0.read(page, wanted, file, order);
    }
}

#[cfg(test)]
mod tests {
    use capacity::cache::Lru;
    use capacity::policy::{FileView, OnDemand, Order, Readahead as _};

    use super::History;

    fn brought(history: &mut History<OnDemand>, pages: &[u32]) -> Vec<u32> {
        let cache = Lru::new(26, 26);
        let file = FileView::new(&cache, 0, 26);
        history.open();
        let mut all = Vec::new();
        for page in pages {
            let mut order = Order::default();
            history.read(*page, 1, &file, &mut order);
            all.extend(order.bring.iter().cloned().flatten());
        }
        all
    }

    #[test]
    fn the_second_opening_brings_what_the_first_read() {
        let mut history = History::after(OnDemand::default());
        assert!(brought(&mut history, &[0, 7, 20]).len() > 3);
        assert_eq!(brought(&mut history, &[0, 7, 20]), [0]);
        // The sequential reads are read ahead.
        brought(&mut history, &[0, 1, 2, 3]);
        assert_eq!(brought(&mut history, &[0]), [0, 1, 2, 3]);
    }
}
