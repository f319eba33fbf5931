//! Linked lists of pages whose links are in arrays, so that a page is moved in a few instructions.

/// No page.
const NONE: u32 = u32::MAX;

/// The links of all pages. A page is in at most one [`List`].
#[derive(Clone, Debug)]
pub(super) struct Links {
    /// The neighbour towards the head, and the one towards the tail.
    of_page: Vec<[u32; 2]>,
}

/// A list of pages; new pages are added at the head.
#[derive(Clone, Debug)]
pub(super) struct List {
    head: u32,
    tail: u32,
    length: u32,
}

impl Links {
    pub(super) fn new(pages: u32) -> Self {
        assert!(pages < NONE);
        Self { of_page: vec![[NONE; 2]; pages as usize] }
    }
}

impl List {
    pub(super) fn new() -> Self {
        Self { head: NONE, tail: NONE, length: 0 }
    }

    pub(super) fn length(&self) -> u32 {
        self.length
    }

    /// The page at the tail.
    pub(super) fn tail(&self) -> Option<u32> {
        (self.tail != NONE).then_some(self.tail)
    }

    #[inline]
    pub(super) fn push_head(&mut self, links: &mut Links, page: u32) {
        links.of_page[page as usize] = [NONE, self.head];
        match self.head {
            NONE => self.tail = page,
            head => links.of_page[head as usize][0] = page,
        }
        self.head = page;
        self.length += 1;
    }

    #[inline]
    pub(super) fn push_tail(&mut self, links: &mut Links, page: u32) {
        links.of_page[page as usize] = [self.tail, NONE];
        match self.tail {
            NONE => self.head = page,
            tail => links.of_page[tail as usize][1] = page,
        }
        self.tail = page;
        self.length += 1;
    }

    /// Removes a page from this list.
    #[inline]
    pub(super) fn remove(&mut self, links: &mut Links, page: u32) {
        let [newer, older] = links.of_page[page as usize];
        match newer {
            NONE => self.head = older,
            newer => links.of_page[newer as usize][1] = older,
        }
        match older {
            NONE => self.tail = newer,
            older => links.of_page[older as usize][0] = newer,
        }
        self.length -= 1;
    }

    #[inline]
    pub(super) fn move_to_head(&mut self, links: &mut Links, page: u32) {
        if self.head != page {
            self.remove(links, page);
            self.push_head(links, page);
        }
    }

    pub(super) fn pop_tail(&mut self, links: &mut Links) -> Option<u32> {
        let page = self.tail()?;
        self.remove(links, page);
        Some(page)
    }
}
