//! Packs and unpacks a live state.

use rrd::live::{CellState, SourceState};
use rrd::{LiveState, Timestamp, UNKNOWN};

use super::bits::{BitReader, BitWriter, ValueReader, ValueWriter};
use super::layout::{Class, MICROS_BITS, ReadingForm, SECONDS_BITS, Secondary, TIME_BITS};
use super::runs::ClassCells;
use super::{Run, State, StateLayout, reading};

impl StateLayout {
    /// Packs a state; false if it does not fit bit for bit. Then the content of `packed` is
    /// undefined.
    ///
    /// An explicit run does not fit, unless its values are those of [`super::Run::Never`].
    ///
    /// # Panics
    /// If `packed` has not [`Self::bytes`], or the state is of another layout.
    #[must_use]
    pub fn pack(&self, state: &State, packed: &mut [u8]) -> bool {
        assert!(packed.len() == self.bytes());
        self.assert_ours(state);
        if self.has_forecasts() {
            return false;
        }
        let (head, body) = packed.split_at_mut(self.head_bytes());
        let (mut head, mut body) = (BitWriter::new(head), ValueWriter(body));
        self.put_time(state.live.last_update, &mut head);
        for (form, source) in self.readings().iter().zip(&state.live.sources) {
            head.put(source.unknown_seconds, self.unknown_seconds_bits());
            body.double(source.value);
            if form.pack(source, &mut head, &mut body).is_none() {
                return false;
            }
        }
        for (class, run) in self.classes().iter().zip(&state.runs) {
            let cells = ClassCells::new(class, self, &state.live);
            if cells.pack_shared(*run, &mut head, &mut body).is_none() {
                return false;
            }
        }
        let packed = match self.has_spreads() {
            false => self.pack_cells::<false>(&state.live, &mut body),
            true => self.pack_cells::<true>(&state.live, &mut body),
        };
        if !packed {
            return false;
        }
        head.finish()
    }

    /// Unpacks into `state`. No bytes make it panic; bytes that [`Self::pack`] did not write give
    /// an arbitrary state.
    ///
    /// Primaries are left unchanged, and so are the secondaries that are in an archive.
    ///
    /// # Panics
    ///
    /// If `packed` has not [`Self::bytes`], or `state` is of another layout.
    pub fn unpack(&self, packed: &[u8], state: &mut State) {
        assert!(packed.len() == self.bytes());
        self.assert_ours(state);
        let (mut head, mut body) =
            (BitReader::new(packed), ValueReader(&packed[self.head_bytes()..]));
        state.live.last_update = self.take_time(&mut head);
        for (form, source) in self.readings().iter().zip(&mut state.live.sources) {
            source.unknown_seconds = head.take(self.unknown_seconds_bits());
            source.value = body.double();
            form.unpack(source, &mut head, &mut body);
        }
        self.unpack_shared(&mut state.runs, &mut state.live.cells, &mut head, &mut body);
        match self.has_spreads() {
            false => self.unpack_cells::<false>(&mut state.live, &mut body),
            true => self.unpack_cells::<true>(&mut state.live, &mut body),
        }
    }

    /// Appends the time of the last update. Ticks take the place of seconds and microseconds.
    fn put_time(&self, Timestamp { seconds, micros }: Timestamp, head: &mut BitWriter<'_>) {
        let (low, high) = (seconds as u64 & u64::from(u32::MAX), seconds.cast_unsigned() >> 32);
        head.put(low, 32);
        if self.has_ticks() {
            head.put(high, TIME_BITS - 32);
        } else {
            head.put(high, SECONDS_BITS - 32);
            head.put(micros.into(), MICROS_BITS);
        }
    }

    /// The time of the last update, with which the head begins.
    #[inline]
    pub(super) fn take_time(&self, head: &mut BitReader<'_>) -> Timestamp {
        let low = head.take(32);
        if self.has_ticks() {
            let ticks = low | head.take(TIME_BITS - 32) << 32;
            return Timestamp::from_seconds(ticks.cast_signed());
        }
        let seconds = low | head.take(SECONDS_BITS - 32) << 32;
        Timestamp { seconds: seconds.cast_signed(), micros: head.take(MICROS_BITS) as u32 }
    }

    /// Packs the values of each archive; false if an archive differs from the first of its class in
    /// a value that they share.
    fn pack_cells<const SPREADS: bool>(
        &self,
        live: &LiveState,
        body: &mut ValueWriter<'_>,
    ) -> bool {
        let (sources, cells) = (self.sources(), &live.cells);
        let archives = cells.chunks_exact(sources).enumerate();
        archives.zip(self.classes_of_archives()).all(|((archive, own), class)| {
            let shared = &cells[class.first * sources..][..sources];
            if archive != class.first && !class.same_shared(own, shared) {
                return false;
            }
            if class.consolidates() && !(SPREADS && self.is_spread(archive)) {
                own.iter().for_each(|cell| body.double(cell.value));
                return true;
            }
            own.iter().all(|cell| cell.value.to_bits() == UNKNOWN.to_bits())
                && (!SPREADS || self.pack_rows(archive, live, body))
        })
    }

    #[inline]
    fn is_spread(&self, archive: usize) -> bool {
        self.forms()[archive].is_spread()
    }

    /// Packs what an archive keeps of rows beside its cells; false if it does not fit.
    fn pack_rows(&self, archive: usize, live: &LiveState, body: &mut ValueWriter<'_>) -> bool {
        if !self.is_spread(archive) {
            return true;
        }
        let (form, sources) = (self.forms()[archive], self.sources());
        let mut rows = live.rows_so_far[archive * sources..][..sources].iter();
        rows.all(|row| form.pack(row, body).is_some())
    }

    /// Unpacks the shared values of a class into the cells of its first archive.
    fn unpack_shared(
        &self,
        runs: &mut [Run],
        cells: &mut [CellState],
        head: &mut BitReader<'_>,
        body: &mut ValueReader<'_>,
    ) {
        let sources = self.sources();
        for (class, run) in self.classes().iter().zip(runs) {
            *run = match head.take(class.run_bits) {
                age if age <= class.age_max => Run::Age(age),
                _ => Run::Never,
            };
            for cell in &mut cells[class.first * sources..][..sources] {
                cell.unknown_pdps = head.take(class.unknown_pdps_bits);
                if class.secondary == Secondary::Kept {
                    cell.secondary = body.double();
                }
            }
        }
    }

    /// Unpacks the values of each archive, and copies the shared ones from the first archive of its
    /// class.
    fn unpack_cells<const SPREADS: bool>(&self, live: &mut LiveState, body: &mut ValueReader<'_>) {
        let (sources, cells) = (self.sources(), &mut live.cells);
        for (archive, class) in self.classes_of_archives().enumerate() {
            // The first archive of a class precedes the others.
            let (before, own) = cells.split_at_mut(archive * sources);
            let own = &mut own[..sources];
            if archive != class.first {
                let first = &before[class.first * sources..][..sources];
                for (cell, first) in own.iter_mut().zip(first) {
                    cell.unknown_pdps = first.unknown_pdps;
                    cell.secondary = first.secondary;
                }
            }
            let is_spread = SPREADS && self.is_spread(archive);
            let is_value = class.consolidates() && !is_spread;
            for cell in own {
                cell.value = if is_value { body.double() } else { UNKNOWN };
            }
            if is_spread {
                let form = self.forms()[archive];
                let rows = &mut live.rows_so_far[archive * sources..][..sources];
                rows.iter_mut().for_each(|row| form.unpack(row, body));
            }
        }
    }

    pub(super) fn assert_ours(&self, state: &State) {
        assert!(state.runs.len() == self.classes().len());
        assert!(state.live.sources.len() == self.sources());
        let cells = self.sources() * self.archives();
        assert!(state.live.cells.len() == cells);
        assert!(state.live.rows_so_far.len() == if self.has_spreads() { cells } else { 0 });
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

impl ClassCells<'_> {
    /// Packs the values that the archives of a class share, from its first archive.
    fn pack_shared(
        &self,
        run: Run,
        head: &mut BitWriter<'_>,
        body: &mut ValueWriter<'_>,
    ) -> Option<()> {
        let class = self.class;
        head.put(self.run_code(run)?, class.run_bits);
        for cell in self.rows().next()? {
            head.put(cell.unknown_pdps, class.unknown_pdps_bits);
            if class.secondary == Secondary::Kept {
                body.double(cell.secondary);
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
}

impl Class {
    fn same_shared(&self, cells: &[CellState], first: &[CellState]) -> bool {
        let kept = self.secondary == Secondary::Kept;
        cells.iter().zip(first).all(|(cell, first)| {
            let same = cell.secondary.to_bits() == first.secondary.to_bits();
            cell.unknown_pdps == first.unknown_pdps && (same || !kept)
        })
    }
}
