//! An open file of the cache's world.

use std::ops::Range;

use super::Method;
use crate::cache::Cache;
use crate::policy::{FileView, Order, Readahead};
use crate::trace::{Access, Touch};

/// A file of the cache's world while a program has it open.
#[derive(Debug)]
pub(crate) struct OpenFile {
    first_page: u32,
    data_pages: u32,
    method: Method,
    /// The previously read page.
    read_before: Option<u32>,
    /// The touched pages, if the file is mapped.
    touched: Vec<u32>,
}

impl OpenFile {
    pub(crate) fn new(first_page: u32, data_pages: u32, method: Method) -> Self {
        Self { first_page, data_pages, method, read_before: None, touched: Vec::new() }
    }

    /// Takes one page reference.
    pub(crate) fn touch<C: Cache, R: Readahead>(
        &mut self,
        touch: Touch,
        cache: &mut C,
        readahead: &mut R,
        order: &mut Order,
    ) {
        let page = self.first_page + touch.page;
        let is_data = touch.page < self.data_pages;
        for access in self.method.accesses(touch.access, is_data) {
            match (access, self.method) {
                (Access::Read, _) if is_data => {
                    order.clear();
                    let view = FileView::new(cache, self.first_page, self.data_pages);
                    readahead.read(touch.page, 1, &view, order);
                    self.carry_out(order, page, cache);
                    self.read(touch.page, cache);
                }
                (Access::Write, Method::Mapping) if is_data => {
                    cache.access_unseen(page, Access::Write);
                }
                (Access::Write, Method::Prefetch) if is_data => {
                    cache.read_ahead(page);
                    cache.access(page, Access::Write);
                }
                _ => {
                    cache.access(page, *access);
                }
            }
        }
    }

    /// The file is closed.
    pub(crate) fn close<C: Cache, R: Readahead>(self, cache: &mut C, readahead: &mut R) {
        if self.method == Method::Mapping {
            for page in readahead.unmapped(&self.touched) {
                cache.was_used_mapped(self.first_page + page);
            }
        }
    }

    fn read<C: Cache>(&mut self, page: u32, cache: &mut C) {
        let in_world = self.first_page + page;
        if self.method == Method::Mapping {
            if !self.touched.contains(&page) {
                self.touched.push(page);
            }
            cache.access_unseen(in_world, Access::Read);
            return;
        }
        let folio = cache.folio(in_world);
        let before = self.read_before.replace(page).map(|before| self.first_page + before);
        if before.is_some_and(|before| folio.contains(&before)) {
            cache.access_unseen(in_world, Access::Read);
        } else {
            cache.access(in_world, Access::Read);
        }
    }

    fn carry_out<C: Cache>(&self, order: &Order, wanted: u32, cache: &mut C) {
        let in_world =
            |range: &Range<u32>| self.first_page + range.start..self.first_page + range.end;
        if let Some(page) = order.unmark {
            cache.set_ahead(self.first_page + page, false);
        }
        for page in order.keep.iter().flat_map(in_world) {
            cache.keep(page);
        }
        for folio in &order.bring_folios {
            cache.read_ahead_folio(in_world(folio));
        }
        // The needed page is counted when it is accessed, not here.
        for page in order.bring.iter().flat_map(in_world).filter(|page| *page != wanted) {
            cache.read_ahead(page);
        }
        if let Some(page) = order.mark {
            cache.set_ahead(self.first_page + page, true);
        }
    }
}
