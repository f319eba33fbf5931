//! Taking a sample: the write path in memory.

use livestate::State;
use rrd::update::UpdateError;
use rrd::{Definition, FinalRows, ForecastState, LiveState, Sample, Timestamp, UNKNOWN, Workspace};

use super::{Group, Status};

/// Room that updates share.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) state: State,
    pub(crate) workspace: Workspace,
    /// For each archive, how many rows that became final are still to be placed.
    rows_left: Vec<u64>,
}

impl Default for Scratch {
    fn default() -> Self {
        let nothing = LiveState {
            last_update: Timestamp::default(),
            sources: Vec::new(),
            cells: Vec::new(),
            forecast: ForecastState::default(),
            rows_so_far: Vec::new(),
        };
        let state = State::new(nothing, Vec::new());
        Self { state, workspace: Workspace::default(), rows_left: Vec::new() }
    }
}

/// What became of a sample.
#[derive(Debug, PartialEq)]
pub(crate) enum Applied {
    /// It was taken.
    Taken,
    /// It was refused, and changed the last readings all the same.
    Refused(UpdateError),
    /// It was refused, and nothing changed.
    Ignored(UpdateError),
}

impl Group {
    /// Takes a sample of a member.
    pub(crate) fn apply(
        &mut self,
        member: u16,
        definition: &Definition,
        sample: &Sample<'_>,
        scratch: &mut Scratch,
    ) -> Applied {
        let workspace = &mut scratch.workspace;
        if let Some(last) = self.states.take_plain(member, definition, sample, workspace) {
            self.taken(member, definition, (last, sample.time), scratch);
            return Applied::Taken;
        }
        self.states.copy(member, &mut scratch.state);
        let applied = self.apply_in_hand(member, definition, sample, scratch);
        if !matches!(applied, Applied::Ignored(_)) {
            self.put_state(member, &scratch.state);
        }
        applied
    }

    /// As [`Group::apply`], of a member whose state is in `scratch` already and stays there.
    pub(crate) fn apply_in_hand(
        &mut self,
        member: u16,
        definition: &Definition,
        sample: &Sample<'_>,
        scratch: &mut Scratch,
    ) -> Applied {
        let last = scratch.state.live.last_update;
        let live = &mut scratch.state.live;
        match rrd::update(definition, live, sample, &mut scratch.workspace) {
            Ok(()) => self.states.layout.note_final_rows(&mut scratch.state, &scratch.workspace),
            // Where an expression fails, rrdtool has rows written and the time of the last update
            // not: here nothing of it stays.
            Err(
                error @ (UpdateError::NotAfterLast { .. }
                | UpdateError::NotAfterLastTick { .. }
                | UpdateError::Expression(_)),
            ) => {
                return Applied::Ignored(error);
            }
            Err(error) => return Applied::Refused(error),
        }
        self.taken(member, definition, (last, sample.time), scratch);
        Applied::Taken
    }

    /// After a sample was taken into a member's state: places its rows, and moves the clock.
    fn taken(
        &mut self,
        member: u16,
        definition: &Definition,
        (last, now): (Timestamp, Timestamp),
        scratch: &mut Scratch,
    ) {
        let (from_pdp, to_pdp) = (self.pdp_of(last.seconds), self.pdp_of(now.seconds));
        if from_pdp != to_pdp {
            self.take_rows(member, definition, (from_pdp, to_pdp), scratch);
        }
        let status = &mut self.members[usize::from(member)].status;
        let first = !status.has(Status::STIRRED);
        status.set(Status::STIRRED, true);
        self.clock.moved(from_pdp, to_pdp, first);
    }

    /// Puts the rows that became final where they belong.
    fn take_rows(
        &mut self,
        member: u16,
        definition: &Definition,
        (from_pdp, to_pdp): (i64, i64),
        scratch: &mut Scratch,
    ) {
        let Scratch { workspace, rows_left, .. } = scratch;
        rows_left.clear();
        rows_left.resize(definition.archives.len(), 0);
        for rows in workspace.final_rows() {
            rows_left[rows.archive] += rows.count;
        }
        for (nth, (archive, rows)) in definition.archives.iter().zip(&*rows_left).enumerate() {
            if *rows >= archive.rows {
                self.note_shift(member, definition, nth, (from_pdp, to_pdp), *rows);
            }
        }
        for rows in workspace.final_rows() {
            let archive = &definition.archives[rows.archive];
            let left = rows_left[rows.archive];
            rows_left[rows.archive] -= rows.count;
            // Archives that share a shape have the same rows.
            let shape = self.geometry.shape_of(rows.archive);
            let in_tiles = !archive.cf.is_seasonal();
            if in_tiles && self.geometry.first_archive_of(shape) == rows.archive {
                // The last row is known; this one is as many before it as are left.
                let last_row = to_pdp.div_euclid(archive.pdp_per_row as i64);
                self.take_run(member, shape, last_row + 1 - left as i64, &rows);
            }
        }
    }

    /// A run longer than the ring moves the row pointer once round and no further: from then on it
    /// stands elsewhere against time.
    fn note_shift(
        &mut self,
        member: u16,
        definition: &Definition,
        nth: usize,
        (from_pdp, to_pdp): (i64, i64),
        rows: u64,
    ) {
        let archive = &definition.archives[nth];
        let row_of = |pdp: i64| pdp.div_euclid(archive.pdp_per_row as i64);
        let skipped = ((row_of(to_pdp) - row_of(from_pdp)) as u64).saturating_sub(rows);
        if skipped > 0 {
            let archives = definition.archives.len();
            let shifts = self.shifts.entry(member).or_insert_with(|| vec![0; archives]);
            shifts[nth] = (shifts[nth] + skipped) % archive.rows;
        }
    }

    fn take_run(&mut self, member: u16, shape: usize, first_row: i64, rows: &FinalRows<'_>) {
        if rows.values.iter().all(|value| value.to_bits() == UNKNOWN.to_bits()) {
            return; // what was never written reads as unknown
        }
        for row in first_row..first_row + rows.count as i64 {
            self.take_row(member, shape, row, rows.values);
        }
    }

    /// Whether a row is not so far ahead of the group that an open row would wait for long.
    pub(crate) fn is_near(&self, nth: usize, row: i64) -> bool {
        let shape = &self.geometry.shapes()[nth];
        let far_pdp = self.clock.boundary_pdp + 3 * i64::from(self.geometry.flush_cycles());
        row.saturating_mul(shape.pdp_per_row as i64) <= far_pdp + shape.tile_pdps()
    }

    /// Puts one row into its open block, or among the patches.
    pub(crate) fn take_row(&mut self, member: u16, nth: usize, row: i64, values: &[f64]) {
        let near = self.is_near(nth, row);
        let (open, shape) = (&mut self.rows.shapes[nth], &self.geometry.shapes()[nth]);
        let block = shape.block_of(row, self.phase_pdps);
        if block <= open.flushed_block || !near {
            self.rows.patches.push(nth as u32, member, row, values);
            return;
        }
        open.block(block, shape, values.len()).put(shape.slot_of(row), member, values);
    }
}
