//! Files by their numbers, which come in runs.

/// The links of a file: positions in the list of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) last_base: u32,
}

/// Files by their numbers, which come in runs: pages of a table, and no page where there is no
/// file.
#[derive(Debug, Default)]
pub(super) struct Chains {
    pages: Vec<Option<Box<Page>>>,
}

const PAGE: usize = 1024;

type Page = [Option<Chain>; PAGE];

impl Chains {
    pub(super) fn get(&self, number: u32) -> Option<Chain> {
        let (page, slot) = place(number);
        self.pages.get(page)?.as_ref()?[slot]
    }

    pub(super) fn put(&mut self, number: u32, chain: Chain) {
        let (page, slot) = place(number);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        self.pages[page].get_or_insert_with(|| Box::new([None; PAGE]))[slot] = Some(chain);
    }

    pub(super) fn remove(&mut self, number: u32) -> Option<Chain> {
        let (page, slot) = place(number);
        self.pages.get_mut(page)?.as_mut()?[slot].take()
    }

    /// All of them, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Chain)> {
        let pages = self.pages.iter().enumerate();
        let pages = pages.filter_map(|(nth, page)| Some((nth, page.as_ref()?)));
        pages.flat_map(|(nth, page)| {
            let slots = page.iter().enumerate();
            slots.filter_map(move |(slot, chain)| Some(((nth * PAGE + slot) as u32, (*chain)?)))
        })
    }
}

fn place(number: u32) -> (usize, usize) {
    (number as usize / PAGE, number as usize % PAGE)
}
