//! Readahead that respects what former openings of a file read, as the reference proposes it.

use capacity::policy::{FileView, Order, Readahead};

/// The window at a file's beginning is as long as what its last opening read in order from there;
/// at first it is today's. Nothing else is read ahead: rows are read one by one.
#[derive(Clone, Debug)]
pub(super) struct History<R> {
    first: R,
    /// Pages read in order from the beginning, by the last opening that ended.
    learned: Option<u32>,
    /// By this one, if it read anything.
    run: Option<u32>,
}

impl<R> History<R> {
    /// Of a file that was never opened, where this decides.
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

/// The kernel's history of a descriptor that stays open: to it there is but one opening.
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
        // Who read in order is read ahead of.
        brought(&mut history, &[0, 1, 2, 3]);
        assert_eq!(brought(&mut history, &[0]), [0, 1, 2, 3]);
    }
}
