//! Records whose kinds and bodies mean nothing: the journal does not look at them.

use disk::Medium;
use journal::{
    Generation, Journal, JournalError, LogPosition, RawRecord, RecordHead, Records, RrdId,
};
use proptest::prelude::*;

/// A record with bytes of its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) head: RecordHead,
    pub(crate) body: Vec<u8>,
}

impl Record {
    pub(crate) fn new(kind: u8, rrd: u32, generation: u32, body: Vec<u8>) -> Self {
        let (rrd, generation) = (RrdId(rrd), Generation(generation));
        Self { head: RecordHead { kind, rrd, generation }, body }
    }

    /// A short one.
    pub(crate) fn deletion() -> Self {
        Self::new(2, 9, 0, Vec::new())
    }

    pub(crate) fn of(raw: &RawRecord<'_>) -> Self {
        Self { head: raw.head(), body: raw.body().rest().to_vec() }
    }

    pub(crate) fn append<M: Medium>(
        &self,
        journal: &Journal<M>,
    ) -> Result<LogPosition, JournalError> {
        journal.append(self.head, |out| out.extend_from_slice(&self.body))
    }

    pub(crate) fn push(&self, records: &mut Records) {
        records.push(self.head, |out| out.extend_from_slice(&self.body));
    }
}

proptest! {
    #[test]
    fn heads_come_back(
        (kind, rrd, generation) in (any::<u8>(), any::<u32>(), any::<u32>()),
        body in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let record = Record::new(kind, rrd, generation, body);
        let mut records = Records::default();
        record.push(&mut records);
        let found: Vec<Record> = records.iter().map(|raw| Record::of(&raw)).collect();
        prop_assert_eq!(found, [record]);
    }

    #[test]
    fn any_bytes_have_one_head_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
        match RawRecord::parse(&bytes) {
            Ok(raw) => {
                let mut again = Vec::new();
                raw.head().put(&mut again);
                again.extend_from_slice(raw.body().rest());
                prop_assert_eq!(again, bytes);
            }
            Err(error) => prop_assert!(error.offset_bytes <= bytes.len(), "{}", error),
        }
    }
}
