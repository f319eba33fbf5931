//! Threads that share the journal.

use disk::{FaultPlan, FaultyMedium};
use journal::{Journal, JournalOptions, RawRecord, RrdId, Start};

use crate::record::Record;

const THREADS: u32 = 4;
const UPDATES: i64 = 500;

fn options() -> JournalOptions {
    JournalOptions { segment_bytes: 1 << 16, ..JournalOptions::default() }
}

#[test]
fn each_thread_finds_its_records_in_its_order() {
    let medium = FaultyMedium::new(FaultPlan::default());
    let journal = Journal::open(medium.clone(), options(), Start::default(), |_, _| ()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let journal = &journal;
            scope.spawn(move || append_and_commit(journal, RrdId(thread)));
        }
    });
    assert_eq!(journal.pending_bytes(), 0);

    let mut next = [0; THREADS as usize];
    let count = |_, raw: RawRecord<'_>| {
        let next = &mut next[raw.rrd().0 as usize];
        assert_eq!(raw.body().rest(), i64::to_le_bytes(*next));
        *next += 1;
    };
    Journal::open(medium, options(), Start::default(), count).unwrap();
    assert_eq!(next, [UPDATES; THREADS as usize]);
}

fn append_and_commit(journal: &Journal<FaultyMedium>, rrd: RrdId) {
    for nth in 0..UPDATES {
        let record = Record::new(0x82, rrd.0, 0, nth.to_le_bytes().to_vec());
        let position = record.append(journal).unwrap();
        if nth % 3 == 0 {
            let wanted = journal::LogPosition(position.0 + 1);
            assert!(journal.commit_up_to(wanted).unwrap() > position);
        }
    }
    journal.commit().unwrap();
}
