//! Room for the rows of a database that is put together in memory.

use crate::UNKNOWN;

/// How much memory the rows of a database may still take.
///
/// A definition may ask for any number of rows. A function that makes rings in memory takes their
/// rows from a room that its caller gave it, so that too large a number is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    bytes: u64,
}

/// Rows that memory has no room for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize,
)]
#[error("{rows} rows of {sources} data source(s) take {} bytes, and memory has {room_bytes}", self.bytes())]
pub struct NoRoom {
    /// How many rows were to be made.
    pub rows: u64,
    /// How many values each of them has.
    pub sources: usize,
    /// How many bytes there were for them.
    pub room_bytes: u64,
}

impl NoRoom {
    fn bytes(&self) -> u128 {
        u128::from(self.rows) * self.sources as u128 * size_of::<f64>() as u128
    }
}

impl Room {
    /// A room of so many bytes.
    #[must_use]
    pub fn of_bytes(bytes: u64) -> Self {
        Self { bytes }
    }

    /// So many unknown rows, which take their share of the room.
    ///
    /// # Errors
    /// [`NoRoom`]: they are more than there is room for, or than the machine gives.
    pub fn unknown_rows(&mut self, rows: u64, sources: usize) -> Result<Vec<f64>, NoRoom> {
        let no_room = NoRoom { rows, sources, room_bytes: self.bytes };
        let bytes = u64::try_from(no_room.bytes()).map_err(|_| no_room)?;
        let left = self.bytes.checked_sub(bytes).ok_or(no_room)?;
        let values = bytes as usize / size_of::<f64>();
        let mut ring = Vec::new();
        ring.try_reserve_exact(values).map_err(|_| no_room)?;
        ring.resize(values, UNKNOWN);
        self.bytes = left;
        Ok(ring)
    }
}

#[cfg(test)]
mod tests {
    use super::Room;

    #[test]
    fn rings_share_the_room() {
        let mut room = Room::of_bytes(80);
        assert_eq!(room.unknown_rows(3, 2).unwrap().len(), 6);
        let error = room.unknown_rows(u64::MAX, 1000).unwrap_err();
        assert_eq!(
            error.to_string(),
            "18446744073709551615 rows of 1000 data source(s) take 147573952589676412920000 bytes, \
             and memory has 32"
        );
        assert!(room.unknown_rows(5, 1).is_err());
        assert_eq!(room.unknown_rows(4, 1).unwrap().len(), 4);
    }
}
