//! A whole round robin database in memory: what `dump` writes and `restore` reads.

use crate::{Definition, LiveState, NoRoom, Room, Timestamp};

/// A whole round robin database, whatever store it rests in.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// What it holds.
    pub definition: Definition,
    /// Its live state.
    pub live: LiveState,
    /// For each archive its rows, oldest first and row-major: `rows * sources` values.
    pub rows: Vec<Vec<f64>>,
}

impl Snapshot {
    /// A database that has seen no update since `start`, all its rows unknown.
    ///
    /// # Errors
    /// [`NoRoom`].
    pub fn empty(
        definition: &Definition,
        start: Timestamp,
        room: &mut Room,
    ) -> Result<Self, NoRoom> {
        let sources = definition.sources.len();
        let archives = definition.archives.iter();
        let rows = archives.map(|archive| room.unknown_rows(archive.rows, sources));
        let rows = rows.collect::<Result<_, _>>()?;
        let live = LiveState::fresh(definition, start);
        Ok(Self { definition: definition.clone(), live, rows })
    }

    /// When the newest row of an archive ends, in seconds.
    #[must_use]
    pub fn newest_row_seconds(&self, archive: usize) -> i64 {
        let row_seconds =
            self.definition.archives[archive].row_seconds(self.definition.step_seconds) as i64;
        self.live.last_update.seconds - self.live.last_update.seconds % row_seconds
    }
}
