//! Random reads on a file system with large folios, by the kernel and simulated.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use capacity::cache::{Cache as _, TwoLists};
use capacity::policy::{FileView, OnDemand, Order, Readahead as _};
use capacity::trace::Access;

/// The readahead window, in pages, of the device that a directory is on; `None` if the kernel does
/// not tell.
fn window_pages(directory: &Path) -> Option<u32> {
    let device = std::fs::metadata(directory).unwrap().dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let kib = std::fs::read_to_string(format!("/sys/class/bdi/{major}:{minor}/read_ahead_kb"));
    kib.ok()?.trim().parse::<u32>().ok().map(|kib| kib / 4)
}

/// Whether the page cache holds files of this directory in large folios.
fn has_large_folios(directory: &Path) -> bool {
    let is_ext4 = rustix::fs::statfs(directory).is_ok_and(|found| found.f_type == 0xef53);
    testbed::has_large_folios() && is_ext4
}

/// Reads one page in the simulated cache.
fn read_simulated(cache: &mut TwoLists, readahead: &mut OnDemand, page: u32) {
    let mut order = Order::default();
    readahead.read(page, 1, &FileView::new(cache, 0, cache.pages()), &mut order);
    order.unmark.into_iter().for_each(|each| cache.set_ahead(each, false));
    order.bring_folios.into_iter().for_each(|each| cache.read_ahead_folio(each));
    for each in order.bring.into_iter().flatten().filter(|each| *each != page) {
        cache.read_ahead(each);
    }
    order.mark.into_iter().for_each(|each| cache.set_ahead(each, true));
    cache.access(page, Access::Read);
}

#[test]
fn large_folios_come_in_as_the_simulator_says() {
    const PAGES: u32 = 60;
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let window = window_pages(directory.path()).filter(|pages| *pages > 0);
    let is_known = has_large_folios(directory.path()) && disk::page_bytes() == 4096;
    let Some(window) = window.filter(|_| is_known) else {
        eprintln!("not tested: large folios, which ext4 has on Linux 6.16 and later");
        return;
    };
    let path = directory.path().join("file");
    std::fs::write(&path, vec![1; PAGES as usize * 4096]).unwrap();
    let mut state = 1_u64;
    let mut random = |below: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as u32 % below
    };
    let mut looked_at = pagecache::Pages::open(&path).unwrap();
    for _ in 0..300 {
        let file = disk::File::open(&path, disk::Mode::Read).unwrap();
        pagecache::advise::evict(&file, pagecache::advise::Stretch::WHOLE, true).unwrap();
        let mut cache = TwoLists::new(PAGES, PAGES);
        let mut readahead = OnDemand::with_large_folios(window);
        let mut read = vec![0];
        while read.len() < 7 {
            // Mostly near the last one, so that readahead windows continue.
            let near = read[read.len() - 1] + 1 + random(6);
            read.push(if random(4) == 0 { random(PAGES) } else { near % PAGES });
        }
        for page in &read {
            let offset_bytes = u64::from(*page) * 4096;
            assert_eq!(file.read_at(&mut [0; 4096], offset_bytes).unwrap(), 4096);
            read_simulated(&mut cache, &mut readahead, *page);
        }
        let expected: Vec<u32> = (0..PAGES).filter(|page| cache.is_resident(*page)).collect();
        let came = looked_at.came().unwrap();
        let came = (0..).zip(came).filter_map(|(page, came)| came.then_some(page));
        assert_eq!(came.collect::<Vec<u32>>(), expected, "{read:?}");
    }
}
