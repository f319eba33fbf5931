//! The load of the targets of an mrtg.cfg.

use inventory::Configured;
use ring::Pace;
use rrdfile::layout::Layout;

use super::{RingStoreFacts, Work};

impl Work {
    /// The load of a configuration, kept as `gyre run` would keep it: in an existing ring store, in
    /// existing files, or else in a new ring store.
    pub(crate) fn of_configuration(
        configured: &Configured,
        store: Option<&RingStoreFacts>,
    ) -> Option<Self> {
        let layouts = &configured.layouts;
        if configured.store.is_none() && configured.has_files {
            let (most, _) = layouts.all().first()?;
            let files = layouts.databases();
            let bytes = layouts.all().iter().map(|(definition, own)| {
                let rows = definition.archives.iter().map(|archive| archive.rows);
                Some(Layout::new(definition.sources.len(), rows)?.file_bytes() * own)
            });
            let file_bytes = bytes.sum::<Option<u64>>()? / files;
            return Some(Self::of_files(files, file_bytes, most.step_seconds, true));
        }
        let pace = store.map_or_else(Pace::default, RingStoreFacts::pace);
        let mut work = Self::of_ring(layouts, pace)?;
        if let Some(RingStoreFacts { totals, .. }) = store {
            work.disk_there_bytes = totals.file_bytes;
            work.inodes.1 = totals.files;
        }
        Some(work)
    }
}
