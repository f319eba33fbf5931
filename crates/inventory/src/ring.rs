//! Inspects a ring store from outside, even while another process has it open.

use std::io;
use std::path::Path;

use ring::RingStore;
use ring::{Census, FileTotals, Pace};

use crate::layouts::{Layouts, Tally};

/// A ring store, as far as its files show.
#[derive(Clone, Debug, PartialEq)]
pub struct Ring {
    /// The layouts of its databases.
    pub layouts: Layouts,
    /// Its pace.
    pub pace: Pace,
    /// The sizes of its files.
    pub totals: FileTotals,
    /// Whether another process has it open and already has memory for it.
    pub is_open: bool,
}

impl Ring {
    /// Inspects the store in a directory.
    ///
    /// # Errors
    ///
    /// Its files cannot be read, or its catalogue is damaged or of another version.
    pub fn at(root: &Path) -> io::Result<Self> {
        let totals = FileTotals::at(root)?;
        let census = Census::at(root).map_err(io::Error::other)?;
        let mut tally = Tally::default();
        census.databases.iter().for_each(|(definition, count)| tally.add(definition, *count));
        // If the file system has no locks, no process can have it open.
        let is_open = RingStore::is_open_at(root).unwrap_or(false);
        Ok(Self { layouts: tally.layouts(), pace: census.pace, totals, is_open })
    }
}
