//! What a store tells of itself.
use store::Store;

use crate::both::with_a;

#[test]
fn a_report_is_told_as_it_is() {
    let both = with_a();
    both.behind.sync().unwrap();
    let told = both.remote.inspect().unwrap().report().unwrap();
    let found = both.behind.report();
    let constant = |mut report: store::StoreReport| {
        // The flushing thread may change these between two reports.
        (report.log_bytes, report.journal_segments) = (0, (0, 0));
        for group in &mut report.groups {
            (group.open_tiles, group.memory_bytes, group.checkpoint) = (0, 0, 0);
        }
        format!("{report:?}")
    };
    assert_eq!(constant(told), constant(found));
}

#[test]
fn a_check_of_everything_tells_how_far_it_is() {
    let both = with_a();
    let mut steps = Vec::new();
    let found = both.remote.inspect().unwrap().verify(&mut |done, all| steps.push((done, all)));
    assert!(found.unwrap().damage.is_empty());
    let (last_done, all) = *steps.last().unwrap();
    assert!(last_done == all && steps.is_sorted(), "{steps:?}");
}
