//! Where the rows of a group lie, and what they cost.
//!
//! ```text
//!  group ── archive ── column of S databases ── ring of tiles ── tile: one page
//!
//!  tile: | header 64 | row b*K: S x D values | row b*K+1 | ... | row b*K+K-1 | unused |
//! ```
//!
//! A tile holds `K` consecutive rows of `S` databases, so that it is written once, whole, when its
//! last row is final. Positions are arithmetic on time alone: nothing is looked up and nothing is
//! read to write.

use rrd::Definition;

/// Bytes of a page, the unit of every write.
pub(crate) const PAGE_BYTES: u64 = 4096;
/// Bytes of a tile before its rows: magic, group, archive, block number, checksum.
pub(crate) const TILE_HEADER_BYTES: u64 = 64;
/// Databases that a group aims at; the exact number fills the tiles of the finest archive.
const GROUP_AIM: u64 = 250;
const VALUE_BYTES: u64 = 8;

/// How the rows of one archive are cut into tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveShape {
    /// PDPs in a row.
    pub pdp_per_row: u64,
    /// Rows that the archive promises to keep.
    pub rows: u64,
    /// Rows in a tile (`K`).
    pub tile_rows: u64,
    /// Databases in a tile (`S`).
    pub tile_databases: u64,
    /// Columns of `S` databases that hold the whole group.
    pub columns: u64,
    /// Tiles of the ring of one column.
    pub ring_tiles: u64,
}

/// Where a row of an archive lies in the ring of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The absolute number of the block of `K` rows: an older one in the tile reads as unknown.
    pub block: u64,
    /// The tile of the ring.
    pub tile: u64,
    /// The row within the tile.
    pub row: u64,
}

/// The geometry of the groups of one layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    step_seconds: u64,
    sources: u64,
    /// Databases in a group.
    databases: u64,
    /// Cycles between two flushes of a group (`C`).
    flush_cycles: u64,
    archives: Vec<ArchiveShape>,
    /// For each archive of the definition, which shape holds its rows: archives of one PDP and
    /// equal row counts have the same rows whatever their function, and are stored once.
    shape_of_archive: Vec<usize>,
}

impl Geometry {
    /// The geometry for a layout: a group is flushed every `flush_cycles` steps (`C`), and a tile
    /// holds at most `tile_rows_max` rows (`K`; fewer need less memory and longer reads).
    ///
    /// # Panics
    /// If either is zero, or a row of one database does not fit a page.
    #[must_use]
    pub fn new(definition: &Definition, flush_cycles: u64, tile_rows_max: u64) -> Self {
        assert!(flush_cycles > 0 && tile_rows_max > 0);
        let sources = definition.sources.len() as u64;
        let row_bytes = sources * VALUE_BYTES;
        assert!(row_bytes <= PAGE_BYTES - TILE_HEADER_BYTES);
        let tile_rows_of = |pdp_per_row: u64| {
            // No incomplete tile outlives a flush, so that the journal holds about C cycles.
            let most = (PAGE_BYTES - TILE_HEADER_BYTES) / row_bytes;
            (flush_cycles / pdp_per_row).clamp(1, tile_rows_max).min(most)
        };
        let tile_databases_of = |pdp_per_row| {
            (PAGE_BYTES - TILE_HEADER_BYTES) / (tile_rows_of(pdp_per_row) * row_bytes)
        };
        let finest = definition.archives.iter().map(|archive| archive.pdp_per_row).min();
        let finest_databases = tile_databases_of(finest.unwrap_or(1));
        let databases = finest_databases * (GROUP_AIM / finest_databases).max(1)
            + if GROUP_AIM % finest_databases * 2 >= finest_databases {
                finest_databases
            } else {
                0
            };
        let mut geometry = Self {
            step_seconds: definition.step_seconds,
            sources,
            databases,
            flush_cycles,
            archives: Vec::new(),
            shape_of_archive: Vec::new(),
        };
        for archive in &definition.archives {
            let tile_rows = tile_rows_of(archive.pdp_per_row);
            let tile_databases = tile_databases_of(archive.pdp_per_row);
            let in_flight_rows = flush_cycles / archive.pdp_per_row;
            geometry.add(ArchiveShape {
                pdp_per_row: archive.pdp_per_row,
                rows: archive.rows,
                tile_rows,
                tile_databases,
                columns: databases.div_ceil(tile_databases),
                ring_tiles: (archive.rows + in_flight_rows).div_ceil(tile_rows) + 1,
            });
        }
        geometry
    }

    fn add(&mut self, shape: ArchiveShape) {
        let shared = self.archives.iter().position(|each| each.pdp_per_row == 1 && *each == shape);
        self.shape_of_archive.push(shared.unwrap_or(self.archives.len()));
        if shared.is_none() {
            self.archives.push(shape);
        }
    }

    /// Databases in a group.
    #[must_use]
    pub fn databases(&self) -> u64 {
        self.databases
    }

    /// The shapes that are stored; archives may share one.
    #[must_use]
    pub fn shapes(&self) -> &[ArchiveShape] {
        &self.archives
    }

    /// The shape that holds the rows of an archive of the definition.
    ///
    /// # Panics
    /// If the definition has no such archive.
    #[must_use]
    pub fn shape_of(&self, archive: usize) -> &ArchiveShape {
        &self.archives[self.shape_of_archive[archive]]
    }

    /// Where the row of an archive that ends at `end_seconds` lies. `phase_rows` shifts the blocks
    /// of a group against those of others, so that groups do not finish tiles all at once.
    ///
    /// # Panics
    /// If `end_seconds` is before 1970, or not the end of a row.
    #[must_use]
    pub fn place(&self, shape: &ArchiveShape, end_seconds: i64, phase_rows: u64) -> Place {
        let row_seconds = shape.pdp_per_row * self.step_seconds;
        let end_seconds = u64::try_from(end_seconds).expect("rows end after 1970");
        assert!(end_seconds % row_seconds == 0);
        let row = end_seconds / row_seconds + phase_rows;
        let block = row / shape.tile_rows;
        Place { block, tile: block % shape.ring_tiles, row: row % shape.tile_rows }
    }

    /// Bytes of tiles written for one update, on average.
    #[must_use]
    pub fn tile_bytes_per_update(&self) -> f64 {
        let of_shape = |shape: &ArchiveShape| {
            let cycles = (shape.tile_rows * shape.pdp_per_row) as f64;
            (shape.columns * PAGE_BYTES) as f64 / (cycles * self.databases as f64)
        };
        self.archives.iter().map(of_shape).sum()
    }

    /// Bytes of checkpoints written for one update, given the packed state of one database: at
    /// each flush the states of all and the rows past the end of the last whole tile.
    #[must_use]
    pub fn checkpoint_bytes_per_update(&self, state_bytes: u64) -> f64 {
        // Flush slot and tile end fall together for tiles of C cycles; shorter tiles leave, and
        // longer rows gather, less than one row on average.
        let bytes = (self.databases * state_bytes).next_multiple_of(PAGE_BYTES);
        bytes as f64 / (self.flush_cycles * self.databases) as f64
    }

    /// Bytes on disk for one database's rows.
    #[must_use]
    pub fn disk_bytes_per_database(&self) -> f64 {
        let tiles = self.archives.iter().map(|shape| shape.columns * shape.ring_tiles).sum::<u64>();
        (tiles * PAGE_BYTES) as f64 / self.databases as f64
    }

    /// Bytes of memory for the rows of one database that wait for their tile to be whole.
    #[must_use]
    pub fn pending_bytes_per_database(&self) -> u64 {
        let rows = self.archives.iter().map(|shape| shape.tile_rows).sum::<u64>();
        rows * self.sources * VALUE_BYTES
    }

    /// Pages read from disk to fetch `rows` rows of an archive.
    #[must_use]
    pub fn pages_per_fetch(&self, shape: &ArchiveShape, rows: u64) -> u64 {
        // A stretch begins anywhere within a tile.
        (rows.min(shape.rows) + shape.tile_rows - 1).div_ceil(shape.tile_rows)
    }
}

#[cfg(test)]
mod tests {
    use super::Geometry;
    use rrd::Definition;

    /// MRTG's layout as the figures of the design are computed for it.
    fn mrtg() -> Definition {
        let archives = [(1, 600), (6, 700), (24, 775), (288, 797)];
        let archives = archives.into_iter().flat_map(|(pdps, rows)| {
            ["AVERAGE", "MAX"].map(|cf| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
        });
        let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
        let specs: Vec<String> = sources.into_iter().chain(archives).collect();
        rrd::spec::definition(300, specs.iter().map(String::as_str)).unwrap()
    }

    #[test]
    fn mrtgs_layout_costs_what_the_design_computes() {
        let geometry = Geometry::new(&mrtg(), 18, 18);
        assert_eq!(geometry.databases(), 252);
        let tile_rows: Vec<u64> = geometry.shapes().iter().map(|each| each.tile_rows).collect();
        assert_eq!(tile_rows, [18, 3, 3, 1, 1, 1, 1], "one PDP rows are stored once");
        assert!((geometry.tile_bytes_per_update() - 23.1).abs() < 0.1);
        assert!((geometry.checkpoint_bytes_per_update(180) - 10.8).abs() < 0.1);
    }

    #[test]
    fn every_row_that_an_archive_promises_has_a_place_of_its_own() {
        for (flush_cycles, tile_rows_max) in [(18, 18), (18, 1), (7, 4), (1, 1), (300, 250)] {
            let geometry = Geometry::new(&mrtg(), flush_cycles, tile_rows_max);
            for shape in geometry.shapes() {
                let row_seconds = (shape.pdp_per_row * 300) as i64;
                let newest = 5_000_000 * row_seconds;
                let kept = (0..shape.rows as i64).map(|age| newest - age * row_seconds);
                let mut places: Vec<_> = kept
                    .map(|end_seconds| geometry.place(shape, end_seconds, 5))
                    .map(|place| (place.tile, place.row))
                    .collect();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len() as u64, shape.rows);
            }
        }
    }
}
