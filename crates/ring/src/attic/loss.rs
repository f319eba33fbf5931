//! Rows that were lost: the page that had them was found damaged when a flush was to save them, and
//! was then written over or removed. The mark tells of them for as long as their member shows them.
//!
//! ```text
//!   0     4   rows
//!   4     4   0 of a group's tiles; the epoch of an attic, and 1
//!   8     8   page of that file
//! ```

/// Rows that were lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LostRows {
    /// How many.
    pub(crate) rows: u32,
    pub(crate) from: LostFrom,
}

/// Where lost rows stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LostFrom {
    Tiles { page: u64 },
    Attic { epoch: u32, page: u32 },
}

const BYTES: usize = 16;

impl LostRows {
    /// As many bytes as some rows of values have.
    pub(super) fn encode(self, sources: usize) -> Vec<u8> {
        let (file, page) = match self.from {
            LostFrom::Tiles { page } => (0, page),
            LostFrom::Attic { epoch, page } => (epoch.saturating_add(1), u64::from(page)),
        };
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&self.rows.to_le_bytes());
        bytes.extend_from_slice(&file.to_le_bytes());
        bytes.extend_from_slice(&page.to_le_bytes());
        assert!(bytes.len() == BYTES);
        bytes.resize(BYTES.next_multiple_of(8 * sources), 0);
        bytes
    }

    /// `None` if these bytes are no mark.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let rows = u32::from_le_bytes(bytes.get(0..4)?.try_into().ok()?);
        let file = u32::from_le_bytes(bytes.get(4..8)?.try_into().ok()?);
        let page = u64::from_le_bytes(bytes.get(8..16)?.try_into().ok()?);
        let from = match file.checked_sub(1) {
            None => LostFrom::Tiles { page },
            Some(epoch) => LostFrom::Attic { epoch, page: u32::try_from(page).ok()? },
        };
        Some(Self { rows, from })
    }
}
