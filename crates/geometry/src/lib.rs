//! The positions of a group's rows in its file, and the cost of storing them.
//!
//! ```text
//!  group ── shape ── column of S databases ── ring of tiles ── tile: one page
//!
//!  tile: | header 64 | row slot 0: S x D values | row slot 1 | ... | row slot K-1 | unused |
//! ```
//!
//! A tile holds `K` consecutive rows of `S` databases, so that it is written once, as a whole, when
//! its last row is final. Positions follow from time only, so a write needs no lookup and no read.
//!
//! PDPs are numbered by the end of their step, rows by the end of their last PDP: row `r` of an
//! archive of `p` PDPs a row ends at PDP `r * p`. The block of a row is `floor((r * p - 1 + phase)
//! / (K * p))` and its slot `r mod K`: for every phase, a block has `K` consecutive rows. If `K *
//! p` divides `C`, all tiles of a group end at multiples of `C` PDPs plus the phase. Groups have
//! different phases, so their tiles end at different times.

use rrd::{Definition, Tick};

mod layout_key;

pub use layout_key::LayoutKey;

/// Bytes of a page, the unit of every write.
pub const PAGE_BYTES: usize = 4096;
/// Bytes of a tile before its rows.
pub const TILE_HEADER_BYTES: usize = 64;
/// Bytes of a tile's rows.
pub const BODY_BYTES: usize = PAGE_BYTES - TILE_HEADER_BYTES;
/// The most databases of a group. So many fill the tiles of one to four sources exactly.
pub const GROUP_DATABASES_MAX: u32 = 4032;
const VALUE_BYTES: usize = 8;

/// How the rows of an archive are divided into tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shape {
    /// PDPs in a row.
    pub pdp_per_row: u64,
    /// The rows of the archive in the definition.
    pub rows: u64,
    /// Rows in a tile (`K`).
    pub tile_rows: u64,
    /// Databases in a tile (`S`).
    pub tile_databases: u64,
    /// Columns of `S` databases in the group.
    pub columns: u64,
    /// Tiles in the ring of one column.
    pub ring_tiles: u64,
    /// The page of its first tile in the group's file.
    first_page: u64,
}

impl Shape {
    /// The number of PDPs that a tile covers.
    #[must_use]
    pub fn tile_pdps(&self) -> i64 {
        (self.tile_rows * self.pdp_per_row) as i64
    }

    /// The block of a row, in a group of this phase.
    #[must_use]
    pub fn block_of(&self, row: i64, phase_pdps: u32) -> i64 {
        (row * self.pdp_per_row as i64 - 1 + i64::from(phase_pdps)).div_euclid(self.tile_pdps())
    }

    /// The last block that is complete once all databases have passed a PDP.
    #[must_use]
    pub fn last_block_by(&self, pdp: i64, phase_pdps: u32) -> i64 {
        (pdp + i64::from(phase_pdps)).div_euclid(self.tile_pdps()) - 1
    }

    /// The rows of a block.
    #[must_use]
    pub fn rows_of_block(&self, block: i64, phase_pdps: u32) -> std::ops::Range<i64> {
        // Row r belongs to the block if r * pdps is in (first_pdp, last_pdp].
        let pdps = self.pdp_per_row as i64;
        let before_pdp = block * self.tile_pdps() - i64::from(phase_pdps);
        let first = before_pdp.div_euclid(pdps) + 1;
        first..first + self.tile_rows as i64
    }

    /// The slot of a row within its tile.
    #[must_use]
    pub fn slot_of(&self, row: i64) -> usize {
        row.rem_euclid(self.tile_rows as i64) as usize
    }

    /// The page of a block of a column in the group's file.
    #[must_use]
    pub fn page_of(&self, column: u32, block: i64) -> u64 {
        assert!(u64::from(column) < self.columns);
        let tile = block.rem_euclid(self.ring_tiles as i64) as u64;
        self.first_page + u64::from(column) * self.ring_tiles + tile
    }

    /// The column and the position in its ring of a page in the group's file: the inverse of
    /// [`Shape::page_of`]. `None` for a page of another shape.
    #[must_use]
    pub fn place_of(&self, page: u64) -> Option<(u32, u64)> {
        let tile = page.checked_sub(self.first_page)?;
        let column = tile / self.ring_tiles;
        (column < self.columns).then_some((column as u32, tile % self.ring_tiles))
    }

    /// The column of a member.
    #[must_use]
    pub fn column_of(&self, member: u16) -> u32 {
        u32::from(member) / self.tile_databases as u32
    }

    /// The offset in a tile, in bytes, of a member's first value in a row slot.
    #[must_use]
    pub fn offset_bytes(&self, slot: usize, member: u16, sources: usize) -> usize {
        assert!(slot < self.tile_rows as usize);
        let databases = self.tile_databases as usize;
        let place = slot * databases + usize::from(member) % databases;
        TILE_HEADER_BYTES + place * sources * VALUE_BYTES
    }

    /// Bytes of a row slot: one row of all databases of a column.
    #[must_use]
    pub fn slot_bytes(&self, sources: usize) -> usize {
        self.tile_databases as usize * sources * VALUE_BYTES
    }

    /// The number of final rows in an incomplete tile when a checkpoint is written, averaged over
    /// the checkpoints of a group with this phase.
    fn open_rows(&self, phase_pdps: u32, flush_cycles: u32) -> f64 {
        let (tile, row) = (self.tile_pdps() as u64, self.pdp_per_row);
        let cycles = u64::from(flush_cycles);
        // Checkpoints are written at `PDP = 0, between, 2 * between, ...` of a tile, equally often
        // at each. The first row is final at PDP `row - lead`.
        let between = gcd(cycles, tile);
        let lead = (row - u64::from(phase_pdps) % row) % row;
        // So the number of rows is floor((PDP + lead) / row). Its mean is that of the dividend
        // minus the remainder; the remainders are lead mod `apart`, and further ones in steps of
        // `apart`.
        let apart = gcd(cycles, row);
        let dividend = (tile - between) as f64 / 2.0 + lead as f64;
        let remainder = (lead % apart) as f64 + (row - apart) as f64 / 2.0;
        (dividend - remainder) / row as f64
    }
}

/// The two parameters of a store, chosen when it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Pace {
    /// Steps between two checkpoints of a group (`C`).
    pub flush_cycles: u32,
    /// The most rows of a tile (the largest `K`): fewer rows need less memory, but make reads
    /// longer.
    pub tile_rows_max: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self { flush_cycles: 18, tile_rows_max: 18 }
    }
}

/// The geometry of groups with one layout and capacity.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Geometry {
    /// What the step is counted in.
    #[serde(default)]
    tick: Tick,
    step_seconds: u64,
    sources: usize,
    capacity: u32,
    flush_cycles: u32,
    shapes: Vec<Shape>,
    /// For each archive of the definition, the index of the shape with its rows.
    shape_of_archive: Vec<usize>,
    /// For each shape, its first archive.
    first_archive: Vec<usize>,
    pages: u64,
}

impl Geometry {
    /// The geometry of a group of `capacity` databases of a layout. If `shared`, archives of one
    /// PDP and with equal numbers of rows are stored once, because their rows are the same for
    /// every function (except in some imported files).
    ///
    /// `None` if a row of one database does not fit in a page, or the group does not fit in a file.
    ///
    /// # Panics
    ///
    /// If the pace or the capacity is zero, or the capacity exceeds [`GROUP_DATABASES_MAX`].
    #[must_use]
    pub fn new(definition: &Definition, pace: Pace, capacity: u32, shared: bool) -> Option<Self> {
        assert!(pace.flush_cycles > 0 && pace.tile_rows_max > 0);
        assert!((1..=GROUP_DATABASES_MAX).contains(&capacity));
        let sources = definition.sources.len();
        if sources * VALUE_BYTES > BODY_BYTES {
            return None;
        }
        let mut geometry = Self {
            tick: definition.tick,
            step_seconds: definition.step_seconds,
            sources,
            capacity,
            flush_cycles: pace.flush_cycles,
            shapes: Vec::new(),
            shape_of_archive: Vec::new(),
            first_archive: Vec::new(),
            pages: 0,
        };
        for archive in &definition.archives {
            let pdp_per_row = archive.pdp_per_row;
            // The rows of a season are part of the live state and never in a tile.
            let rows = if archive.cf.is_seasonal() { 1 } else { archive.rows };
            let same = |nth: &usize| {
                let first = &definition.archives[geometry.first_archive[*nth]];
                !first.cf.is_forecast() && (first.pdp_per_row, first.rows) == (1, rows)
            };
            let known = (0..geometry.shapes.len()).find(same);
            let may_share = shared && pdp_per_row == 1 && !archive.cf.is_forecast();
            let shape = match known.filter(|_| may_share) {
                Some(shape) => shape,
                None => geometry.add(pdp_per_row, rows, pace)?,
            };
            if shape == geometry.first_archive.len() {
                geometry.first_archive.push(geometry.shape_of_archive.len());
            }
            geometry.shape_of_archive.push(shape);
        }
        Some(geometry)
    }

    fn add(&mut self, pdp_per_row: u64, rows: u64, pace: Pace) -> Option<usize> {
        let row_bytes = self.sources * VALUE_BYTES;
        let most = (BODY_BYTES / row_bytes) as u64;
        let in_flight_rows = u64::from(pace.flush_cycles) / pdp_per_row;
        // No incomplete tile should outlive a checkpoint, except if a few databases do not fill a
        // page.
        let usual = in_flight_rows.clamp(1, u64::from(pace.tile_rows_max)).min(most);
        let tile_rows = usual.max(most / u64::from(self.capacity)).max(1);
        let tile_databases = (most / tile_rows).min(u64::from(self.capacity));
        let columns = u64::from(self.capacity).div_ceil(tile_databases);
        let ring_tiles = rows.checked_add(in_flight_rows)?.div_ceil(tile_rows) + 1;
        let pages = columns.checked_mul(ring_tiles)?;
        let first_page = self.pages;
        self.pages = self.pages.checked_add(pages)?;
        let file_bytes = self.pages.checked_mul(PAGE_BYTES as u64)?;
        i64::try_from(file_bytes).ok()?;
        self.shapes.push(Shape {
            pdp_per_row,
            rows,
            tile_rows,
            tile_databases,
            columns,
            ring_tiles,
            first_page,
        });
        Some(self.shapes.len() - 1)
    }

    /// What the step is counted in.
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.tick
    }

    /// Seconds of a step, in its ticks.
    #[must_use]
    pub fn step_seconds(&self) -> u64 {
        self.step_seconds
    }

    /// Sources of a database.
    #[must_use]
    pub fn sources(&self) -> usize {
        self.sources
    }

    /// Databases that a group can hold.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Steps between two checkpoints (`C`).
    #[must_use]
    pub fn flush_cycles(&self) -> u32 {
        self.flush_cycles
    }

    /// Steps between two writes of tiles: fewer than [`Geometry::flush_cycles`] if tiles are
    /// complete earlier.
    #[must_use]
    pub fn tile_cycles(&self) -> u32 {
        let cycles = i64::from(self.flush_cycles);
        let shortest = self.shapes.iter().map(Shape::tile_pdps).filter(|pdps| cycles % pdps == 0);
        shortest.min().unwrap_or(cycles) as u32
    }

    /// The shapes of the group; archives may share one.
    #[must_use]
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// The index of the shape with the rows of an archive.
    ///
    /// # Panics
    ///
    /// If the definition has no such archive.
    #[must_use]
    pub fn shape_of(&self, archive: usize) -> usize {
        self.shape_of_archive[archive]
    }

    /// The first archive of the definition whose rows are in a shape.
    pub fn first_archive_of(&self, shape: usize) -> usize {
        self.first_archive[shape]
    }

    /// Bytes of the tiles file.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.pages * PAGE_BYTES as u64
    }

    /// Bytes of tiles written for each update, on average.
    #[must_use]
    pub fn tile_bytes_per_update(&self) -> f64 {
        let of_shape = |shape: &Shape| {
            let bytes = shape.columns as f64 * PAGE_BYTES as f64;
            bytes / (shape.tile_pdps() as f64 * f64::from(self.capacity))
        };
        self.shapes.iter().map(of_shape).sum()
    }

    /// Bytes of checkpoints written for each update in the long run; `database_bytes` are those of
    /// one database without its open rows.
    #[must_use]
    pub fn checkpoint_bytes_per_update(&self, database_bytes: u64) -> f64 {
        let capacity = f64::from(self.capacity);
        let open_bytes = self.open_bytes_per_database();
        // The set of open rows differs among checkpoints, so on average half a page is unused.
        let unused_bytes = PAGE_BYTES as f64 / 2.0 / capacity;
        (database_bytes as f64 + open_bytes + unused_bytes) / f64::from(self.flush_cycles)
    }

    /// Bytes of one database's rows in a checkpoint: the final rows whose tile is not complete.
    /// This is the mean over the life of a tile and over the phases of groups. A new store has
    /// fewer, until its first tiles of the coarsest rows are complete.
    #[must_use]
    pub fn open_bytes_per_database(&self) -> f64 {
        let row_bytes = (self.sources * VALUE_BYTES) as f64;
        let of_phase = |shape: &Shape, phase| shape.open_rows(phase, self.flush_cycles);
        let of_shape = |shape: &Shape| {
            let rows: f64 = (0..self.flush_cycles).map(|phase| of_phase(shape, phase)).sum();
            rows / f64::from(self.flush_cycles) * row_bytes
        };
        self.shapes.iter().map(of_shape).sum()
    }

    /// Bytes of memory for the rows of one database that stand on no tile yet: the mean over time,
    /// and over the phases of groups. These are the rows whose tile is not complete when tiles are
    /// written, and those that became final since.
    #[must_use]
    pub fn waiting_bytes_per_database(&self) -> f64 {
        let (row_bytes, cycles) = ((self.sources * VALUE_BYTES) as f64, self.tile_cycles());
        let of_shape = |shape: &Shape| {
            let open: f64 = (0..cycles).map(|phase| shape.open_rows(phase, cycles)).sum();
            let since = f64::from(cycles - 1) / 2.0 / shape.pdp_per_row as f64;
            (open / f64::from(cycles) + since) * row_bytes
        };
        self.shapes.iter().map(of_shape).sum()
    }

    /// Bytes on disk for the rows of one database.
    #[must_use]
    pub fn disk_bytes_per_database(&self) -> f64 {
        self.file_bytes() as f64 / f64::from(self.capacity)
    }

    /// Bytes of memory for the rows of one database whose tile is not complete, at most.
    #[must_use]
    pub fn pending_bytes_per_database(&self) -> f64 {
        let columns = self.shapes.iter().map(|shape| shape.columns).sum::<u64>();
        columns as f64 * PAGE_BYTES as f64 / f64::from(self.capacity)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::{Geometry, Pace, Shape};
    use rrd::Definition;

    /// MRTG's layout, for which the design's figures are calculated.
    fn mrtg() -> Definition {
        let archives = [(1, 600), (6, 700), (24, 775), (288, 797)];
        let archives = archives.into_iter().flat_map(|(pdps, rows)| {
            ["AVERAGE", "MAX"].map(|cf| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
        });
        let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
        let specs: Vec<String> = sources.into_iter().chain(archives).collect();
        rrd::spec::definition(300, specs.iter().map(String::as_str)).unwrap()
    }

    fn tile_rows(geometry: &Geometry) -> Vec<u64> {
        geometry.shapes().iter().map(|each| each.tile_rows).collect()
    }

    #[test]
    fn mrtgs_layout_costs_what_the_design_computes() {
        for capacity in [252, 4032] {
            let geometry = Geometry::new(&mrtg(), Pace::default(), capacity, true).unwrap();
            assert_eq!(tile_rows(&geometry), [18, 3, 3, 1, 1, 1, 1], "one PDP rows stand once");
            assert!((geometry.tile_bytes_per_update() - 23.1).abs() < 0.1);
            assert!((geometry.checkpoint_bytes_per_update(175) - 12.3).abs() < 0.4);
            assert_eq!(geometry.tile_cycles(), 18);
            // Half a tile of five minutes is 136; the rest are the others, with their maxima.
            let waiting = geometry.waiting_bytes_per_database();
            assert!((waiting - 237.5).abs() < 1.0, "{waiting}");
        }
    }

    #[test]
    fn few_databases_fill_their_pages_with_time() {
        let geometry = Geometry::new(&mrtg(), Pace::default(), 14, false).unwrap();
        assert_eq!(tile_rows(&geometry), [18; 8]);
        assert!(geometry.disk_bytes_per_database() < 100_000.0);
    }

    #[test]
    fn open_rows_are_those_that_a_count_finds() {
        for (flush_cycles, tile_rows_max) in [(18, 18), (7, 5), (1, 1), (12, 18), (40, 6)] {
            let pace = Pace { flush_cycles, tile_rows_max };
            for capacity in [14, 252] {
                let geometry = Geometry::new(&mrtg(), pace, capacity, true).unwrap();
                for (shape, phase) in
                    geometry.shapes().iter().flat_map(|it| (0..flush_cycles).map(move |p| (it, p)))
                {
                    let counted = counted_open_rows(shape, phase, flush_cycles);
                    let planned = shape.open_rows(phase, flush_cycles);
                    assert!((planned - counted).abs() < 1e-9, "{shape:?}: {planned}, {counted}");
                }
            }
        }
    }

    /// The mean over all checkpoints until tiles and checkpoints coincide again.
    fn counted_open_rows(shape: &Shape, phase: u32, flush_cycles: u32) -> f64 {
        let cycles = i64::from(flush_cycles);
        let checkpoints = shape.tile_pdps();
        let open_at = |nth: i64| {
            let pdp = (1000 + nth) * cycles - i64::from(phase);
            let open_block = shape.last_block_by(pdp, phase) + 1;
            let last_row = pdp.div_euclid(shape.pdp_per_row as i64);
            last_row + 1 - shape.rows_of_block(open_block, phase).start
        };
        (0..checkpoints).map(open_at).sum::<i64>() as f64 / checkpoints as f64
    }

    #[test]
    fn the_smallest_tiles_are_complete_each_cycle() {
        let pace = Pace { flush_cycles: 18, tile_rows_max: 1 };
        let geometry = Geometry::new(&mrtg(), pace, 4032, true).unwrap();
        assert_eq!(geometry.tile_cycles(), 1);
        assert!((geometry.pending_bytes_per_database() - 113.8).abs() < 0.1);
        assert!(geometry.waiting_bytes_per_database().abs() < 0.1);
    }

    #[test]
    fn every_row_that_an_archive_promises_has_a_place_of_its_own() {
        for (flush_cycles, tile_rows_max, phase) in
            [(18, 18, 0), (18, 1, 7), (7, 4, 3), (1, 1, 0), (300, 250, 299)]
        {
            let pace = Pace { flush_cycles, tile_rows_max };
            let geometry = Geometry::new(&mrtg(), pace, 252, true).unwrap();
            for shape in geometry.shapes() {
                assert_places_differ(shape, phase);
            }
        }
    }

    fn assert_places_differ(shape: &Shape, phase: u32) {
        let kept = 5_000_000 - shape.rows as i64..5_000_000;
        let mut places: Vec<_> = kept
            .map(|row| (shape.page_of(0, shape.block_of(row, phase)), shape.slot_of(row)))
            .collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len() as u64, shape.rows);
    }

    #[test]
    fn every_page_of_a_file_is_of_one_tile() {
        for capacity in [14, 252, 4032] {
            let geometry = Geometry::new(&mrtg(), Pace::default(), capacity, true).unwrap();
            for page in 0..geometry.pages {
                let places = geometry.shapes().iter().filter_map(|shape| {
                    let (column, tile) = shape.place_of(page)?;
                    assert_eq!(shape.page_of(column, tile as i64), page);
                    Some(())
                });
                assert_eq!(places.count(), 1, "page {page}");
            }
            assert!(geometry.shapes().iter().all(|it| it.place_of(geometry.pages).is_none()));
        }
    }

    #[test]
    fn a_block_ends_where_all_its_rows_are_final() {
        let geometry = Geometry::new(&mrtg(), Pace::default(), 252, true).unwrap();
        for shape in geometry.shapes() {
            for (phase, row) in (0..18).flat_map(|phase| (1000..1100).map(move |row| (phase, row)))
            {
                let block = shape.block_of(row, phase);
                let end = row * shape.pdp_per_row as i64;
                assert!(shape.last_block_by(end - 1, phase) < block);
                assert!(shape.last_block_by(end + shape.tile_pdps(), phase) >= block);
                assert!(shape.rows_of_block(block, phase).contains(&row));
                assert!(!shape.rows_of_block(block + 1, phase).contains(&row));
            }
        }
    }
}
