//! A ring store from outside, while another process may have it open.

use std::io;
use std::path::Path;

use ring::RingStore;
use ring::{Census, FileTotals, Pace};

use crate::layouts::{Layouts, Tally};

/// A ring store as its files show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ring {
    /// The layouts of its databases.
    pub layouts: Layouts,
    /// Its pace.
    pub pace: Pace,
    /// What its files take.
    pub totals: FileTotals,
    /// Whether another process has it open, so that its memory is taken already.
    pub is_open: bool,
}

impl Ring {
    /// Looks at the store in a directory.
    ///
    /// # Errors
    /// Its files cannot be read, or its catalogue is damaged or of another version.
    pub fn at(root: &Path) -> io::Result<Self> {
        let totals = FileTotals::at(root)?;
        let census = Census::at(root).map_err(io::Error::other)?;
        let mut tally = Tally::default();
        census.databases.iter().for_each(|(definition, count)| tally.add(definition, *count));
        // Where locks are not to be had, nobody can have it open.
        let is_open = RingStore::is_open_at(root).unwrap_or(false);
        Ok(Self { layouts: tally.layouts(), pace: census.pace, totals, is_open })
    }
}
