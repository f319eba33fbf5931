//! The ages of pages, for files that have been updated for a long time.

use super::Fleet;
use super::shape::{Ring, Shape};

impl Fleet {
    /// The pages of all files in the order of their last touch, the oldest first, if all files have
    /// been updated for longer than their longest ring. A page cache is warmed by accessing them in
    /// this order.
    #[must_use]
    pub fn pages_by_age(&self) -> Vec<u32> {
        let mut aged = Vec::with_capacity(self.pages() as usize);
        for (nth, group) in self.groups().iter().enumerate() {
            for file in 0..group.files {
                let ages = ages_seconds(&group.shape, self.newest_rows(nth, file));
                let first_page = self.page(nth, file, 0);
                aged.extend(ages.into_iter().zip(first_page..));
            }
        }
        aged.sort_unstable_by_key(|(age_seconds, page)| (std::cmp::Reverse(*age_seconds), *page));
        aged.into_iter().map(|(_, page)| page).collect()
    }
}

/// For each page of a file, the seconds since its last touch. Pages of header, inode and indirect
/// blocks are touched by every update.
fn ages_seconds(shape: &Shape, newest_rows: &[u64]) -> Vec<u64> {
    let mut ages = vec![u64::MAX; shape.pages() as usize];
    ages[..shape.header_pages() as usize].fill(0);
    ages[shape.data_pages() as usize..].fill(0);
    for (ring, newest) in shape.rings().iter().zip(newest_rows) {
        let (first, last) = shape.pages_of_rows(ring, 0, ring.rows);
        let row_seconds = ring.pdp_per_row.saturating_mul(shape.step_seconds());
        for page in first..=last {
            let age_seconds = rows_since(shape, ring, page, *newest).saturating_mul(row_seconds);
            let age = &mut ages[page as usize];
            *age = age_seconds.min(*age);
        }
    }
    ages
}

/// The rows of a ring that were written since its last row in a page.
fn rows_since(shape: &Shape, ring: &Ring, page: u32, newest: u64) -> u64 {
    let page_start = u64::from(page) * shape.page_bytes();
    let slot =
        |offset_bytes: u64| offset_bytes.saturating_sub(ring.offset_bytes) / shape.row_bytes();
    let first = slot(page_start);
    let last = slot(page_start + shape.page_bytes() - 1).min(ring.rows - 1);
    if (first..=last).contains(&newest) { 0 } else { (newest + ring.rows - last) % ring.rows }
}

#[cfg(test)]
mod tests {
    use rrd::{Archive, ConsolidationFunction, Definition};

    use crate::trace::{BlockMap, Fleet, Group, Scatter, Shape};

    #[test]
    fn pages_are_in_the_order_in_which_updates_touch_them_last() {
        let source = rrd::spec::definition(300, ["DS:a:GAUGE:600:U:U", "RRA:LAST:0.5:1:1"]);
        let archive = |rows, pdps| Archive::plain(ConsolidationFunction::Average, rows, pdps, 0.5);
        let definition = Definition {
            archives: vec![archive(3000, 1), archive(1300, 6)],
            ..source.expect("a definition")
        };
        let shape = Shape::new(&definition, 4096, BlockMap::DataOnly).expect("a small file");
        let groups = vec![Group { shape, files: 3 }];
        let mut fleet = Fleet::new(groups, 0, Scatter::ByChance(7)).expect("few pages");
        let mut touched_last = vec![0; fleet.pages() as usize];
        // Both archives end a row with the last of these updates.
        for nth in 1..=10_002_u64 {
            fleet.cycle(|each| touched_last[each.page as usize] = nth);
        }
        let order: Vec<u64> =
            fleet.pages_by_age().iter().map(|page| touched_last[*page as usize]).collect();
        assert!(order.is_sorted(), "{order:?}");
        assert!(order.iter().filter(|nth| **nth < 10_002).count() > 12);
    }
}
