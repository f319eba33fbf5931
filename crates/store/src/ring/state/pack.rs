//! A live state to its packed bytes and back.

use rrd::live::{CellState, SourceState};
use rrd::{Timestamp, UNKNOWN};

use super::bits::{BitReader, BitWriter, ValueReader, ValueWriter};
use super::layout::{Class, MICROS_BITS, ReadingForm, SECONDS_BITS, Secondary};
use super::{Run, State, StateLayout, reading};

impl StateLayout {
    /// Packs a state; false if it does not fit bit for bit, and `packed` then holds anything.
    ///
    /// An explicit run does not fit, unless its values are those of a run that never was.
    ///
    /// # Panics
    /// If `packed` has not [`Self::bytes`], or the state is of another layout.
    #[must_use]
    pub fn pack(&self, state: &State, packed: &mut [u8]) -> bool {
        assert!(packed.len() == self.bytes());
        self.assert_ours(state);
        let (head, body) = packed.split_at_mut(self.head_bytes());
        let (mut head, mut body) = (BitWriter::new(head), ValueWriter(body));
        let Timestamp { seconds, micros } = state.live.last_update;
        let (low, high) = (seconds as u64 & u64::from(u32::MAX), seconds.cast_unsigned() >> 32);
        head.put(low, 32);
        head.put(high, SECONDS_BITS - 32);
        head.put(micros.into(), MICROS_BITS);
        for (form, source) in self.readings().iter().zip(&state.live.sources) {
            head.put(source.unknown_seconds, self.unknown_seconds_bits());
            body.double(source.value);
            if form.pack(source, &mut head, &mut body).is_none() {
                return false;
            }
        }
        for (class, run) in self.classes().iter().zip(&state.runs) {
            let cells = ClassCells { class, cells: &state.live.cells, sources: self.sources() };
            if cells.pack(*run, &mut head, &mut body).is_none() {
                return false;
            }
        }
        head.finish()
    }

    /// Unpacks into `state`; no bytes make it panic, and what [`Self::pack`] did not write gives
    /// some state.
    ///
    /// Primaries are left as they were, and so are the secondaries that stand in an archive.
    ///
    /// # Panics
    /// If `packed` has not [`Self::bytes`], or `state` is of another layout.
    pub fn unpack(&self, packed: &[u8], state: &mut State) {
        assert!(packed.len() == self.bytes());
        self.assert_ours(state);
        let (head, body) = packed.split_at(self.head_bytes());
        let (mut head, mut body) = (BitReader::new(head), ValueReader(body));
        let seconds = head.take(32) | head.take(SECONDS_BITS - 32) << 32;
        state.live.last_update =
            Timestamp { seconds: seconds.cast_signed(), micros: head.take(MICROS_BITS) as u32 };
        for (form, source) in self.readings().iter().zip(&mut state.live.sources) {
            source.unknown_seconds = head.take(self.unknown_seconds_bits());
            source.value = body.double();
            form.unpack(source, &mut head, &mut body);
        }
        for (class, run) in self.classes().iter().zip(&mut state.runs) {
            *run = class.unpack(&mut state.live.cells, self.sources(), &mut head, &mut body);
        }
    }

    pub(super) fn assert_ours(&self, state: &State) {
        assert!(state.runs.len() == self.classes().len());
        assert!(state.live.sources.len() == self.sources());
        assert!(state.live.cells.len() == self.sources() * self.archives());
    }

    pub(super) fn sources(&self) -> usize {
        self.readings().len()
    }
}

impl ReadingForm {
    fn pack(
        self,
        source: &SourceState,
        head: &mut BitWriter<'_>,
        body: &mut ValueWriter<'_>,
    ) -> Option<()> {
        match self {
            Self::Integer => {
                let (kind, magnitude) = reading::pack_integer(&source.last_reading)?;
                head.put(kind, reading::KIND_BITS);
                body.put(magnitude.to_le_bytes());
            }
            Self::Decimal => body.put(reading::pack_decimal(&source.last_reading)?),
        }
        Some(())
    }

    fn unpack(
        self,
        source: &mut SourceState,
        head: &mut BitReader<'_>,
        body: &mut ValueReader<'_>,
    ) {
        source.last_reading = match self {
            Self::Integer => {
                let kind = head.take(reading::KIND_BITS);
                reading::unpack_integer(kind, u64::from_le_bytes(body.take()))
            }
            Self::Decimal => reading::unpack_decimal(body.take()),
        };
    }
}

/// The cells of the archives of one class.
pub(super) struct ClassCells<'a> {
    pub(super) class: &'a Class,
    /// The cells of all archives.
    pub(super) cells: &'a [CellState],
    pub(super) sources: usize,
}

impl<'a> ClassCells<'a> {
    /// The cells of each archive of the class.
    pub(super) fn rows(&self) -> impl Iterator<Item = &'a [CellState]> {
        let Self { class, cells, sources } = *self;
        class.archives.iter().map(move |archive| &cells[archive * sources..][..sources])
    }

    fn pack(&self, run: Run, head: &mut BitWriter<'_>, body: &mut ValueWriter<'_>) -> Option<()> {
        let class = self.class;
        head.put(self.run_code(run)?, class.run_bits);
        let first = self.rows().next()?;
        for cell in first {
            head.put(cell.unknown_pdps, class.unknown_pdps_bits);
            if class.secondary == Secondary::Kept {
                body.double(cell.secondary);
            }
        }
        for cells in self.rows() {
            for (cell, first) in cells.iter().zip(first) {
                if !class.same_count_and_secondary(cell, first) {
                    return None;
                }
                if class.consolidates() {
                    body.double(cell.value);
                } else if cell.value.to_bits() != UNKNOWN.to_bits() {
                    return None;
                }
            }
        }
        Some(())
    }

    fn run_code(&self, run: Run) -> Option<u64> {
        let never = self.class.age_max + 1;
        match run {
            Run::Never => Some(never),
            Run::Age(age) => (age < never).then_some(age),
            Run::Explicit => self.never_had_rows().then_some(never),
        }
    }

    /// Whether primaries, and secondaries but for kept ones, are those of a class of which no row
    /// is final.
    pub(super) fn never_had_rows(&self) -> bool {
        let kept = self.class.secondary == Secondary::Kept;
        self.rows()
            .flatten()
            .all(|cell| cell.primary.to_bits() == 0 && (kept || cell.secondary.to_bits() == 0))
    }
}

impl Class {
    fn same_count_and_secondary(&self, cell: &CellState, first: &CellState) -> bool {
        cell.unknown_pdps == first.unknown_pdps
            && (self.secondary != Secondary::Kept
                || cell.secondary.to_bits() == first.secondary.to_bits())
    }

    fn unpack(
        &self,
        cells: &mut [CellState],
        sources: usize,
        head: &mut BitReader<'_>,
        body: &mut ValueReader<'_>,
    ) -> Run {
        let run = match head.take(self.run_bits) {
            age if age <= self.age_max => Run::Age(age),
            _ => Run::Never,
        };
        let [first, others @ ..] = &*self.archives else {
            return run;
        };
        for source in 0..sources {
            let unknown_pdps = head.take(self.unknown_pdps_bits);
            let cell = &mut cells[first * sources + source];
            cell.unknown_pdps = unknown_pdps;
            if self.secondary == Secondary::Kept {
                cell.secondary = body.double();
            }
            let CellState { unknown_pdps, secondary, .. } = *cell;
            for other in others {
                let cell = &mut cells[other * sources + source];
                cell.unknown_pdps = unknown_pdps;
                cell.secondary = secondary;
            }
        }
        for archive in &self.archives {
            for cell in &mut cells[archive * sources..][..sources] {
                cell.value = if self.consolidates() { body.double() } else { UNKNOWN };
            }
        }
        run
    }
}
