//! Reclaim: which pages are evicted, which are spared, and which move between the lists.

use super::{ACTIVE, REFERENCED, TwoLists};
use crate::cache::Cache as _;
use crate::cache::counts::AHEAD;

/// Reclaim first scans 1/2^12 of each list, then twice as much, until it has enough.
const FIRST_PRIORITY: u32 = 12;

impl TwoLists {
    /// Evicts at least `wanted` pages.
    pub(super) fn reclaim(&mut self, wanted: u32) {
        let goal = self.batch.max(wanted);
        let mut freed = 0;
        while freed < goal {
            let before = freed;
            for priority in (0..=FIRST_PRIORITY).rev() {
                freed += self.shrink(priority, goal);
                if freed >= goal {
                    break;
                }
            }
            self.activated_at_reclaim = self.refaults.activated;
            if freed == before && freed < wanted && self.resident_pages() > 0 {
                // Only dirty pages are left; the kernel waits until some are written.
                self.write_back_all();
            } else {
                break;
            }
        }
    }

    /// Scans a share of both lists, alternating in batches, until the goal is reached.
    fn shrink(&mut self, priority: u32, goal: u32) -> u32 {
        let may_deactivate = self.may_deactivate();
        let (inactive, active) = self.lengths();
        let mut inactive_scans = self.share(inactive, priority);
        let mut active_scans = self.share(active, priority);
        let mut freed = 0;
        while inactive_scans + active_scans > 0 && freed < goal {
            let scan = inactive_scans.min(self.batch);
            inactive_scans -= scan;
            freed += self.shrink_inactive(scan);
            let scan = active_scans.min(self.batch);
            active_scans -= scan;
            if may_deactivate {
                self.shrink_active(scan);
            }
        }
        freed
    }

    /// 1/2^priority of the list that a list of this length represents, scaled down.
    fn share(&self, pages: u32, priority: u32) -> u32 {
        if priority == 0 {
            return pages;
        }
        let capacity_pages = u64::from(self.capacity_pages);
        let large = u64::from(pages) * self.large_pages / capacity_pages;
        ((large >> priority) * capacity_pages / self.large_pages.max(1)) as u32
    }

    fn may_deactivate(&self) -> bool {
        let (inactive, active) = self.lengths();
        self.refaults.activated != self.activated_at_reclaim
            || u64::from(inactive) * u64::from(self.active_ratio) < u64::from(active)
    }

    /// Scans pages at the inactive list's tail; returns how many were evicted. Dirty pages become
    /// active, to be evicted as soon as they are written.
    fn shrink_inactive(&mut self, scan: u32) -> u32 {
        let (mut taken, mut freed) = (0, 0);
        while taken < scan {
            let Some(head) = self.inactive.tail() else { break };
            let pages = self.folios.pages(head);
            taken += pages;
            self.leave_inactive(head);
            self.marks.clear(head, REFERENCED);
            if self.is_dirty(head) {
                self.marks.set(head, AHEAD);
                self.enter_active(head);
            } else {
                self.evict(head);
                freed += pages;
            }
        }
        if taken > 0 && freed == 0 {
            // Only dirty pages: the kernel starts write-back and waits for it.
            self.write_back_all();
        }
        freed
    }

    fn shrink_active(&mut self, scan: u32) {
        let mut taken = 0;
        while taken < scan {
            let Some(head) = self.active.tail() else { break };
            taken += self.folios.pages(head);
            self.leave_active(head);
            self.enter_inactive(head);
        }
    }

    fn evict(&mut self, head: u32) {
        let folio = self.folios.of_head(head);
        for page in folio.clone() {
            self.marks.evict(page);
            self.evicted_at[page as usize] = self.clock;
        }
        self.folios.part(&folio);
        self.tick(folio.len() as u32);
    }

    /// The end of write-back of a folio: if reclaim or readahead had marked it, it is the next to
    /// be evicted.
    pub(super) fn rotate(&mut self, head: u32) {
        if !self.marks.has(head, AHEAD) || self.is_dirty(head) {
            return;
        }
        self.marks.clear(head, AHEAD);
        if self.marks.has(head, ACTIVE) {
            self.leave_active(head);
        } else {
            self.leave_inactive(head);
        }
        self.inactive_pages += self.folios.pages(head);
        self.inactive.push_tail(&mut self.links, head);
    }
}
