//! An RRD in two forms: as `rrd::update` leaves it, and packed between updates.

use livestate::{PlainPlaces, Run, State, StateLayout};
use rrd::live::CellState;
use rrd::{
    Definition, LiveState, Reading, Sample, Snapshot, Timestamp, UNKNOWN, Workspace, update,
};

/// The reference that a packed state is compared with.
pub(crate) struct Model {
    pub(crate) definition: Definition,
    pub(crate) layout: StateLayout,
    /// The expected state.
    pub(crate) live: LiveState,
    /// The rows of each archive, oldest first.
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) rest: Rest,
    /// Updates that the packed state took as it lay.
    pub(crate) plain_updates: u64,
    workspace: Workspace,
}

/// The form of a state between updates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rest {
    Packed(Vec<u8>),
    Aside(Vec<u8>),
}

impl Model {
    pub(crate) fn fresh(definition: &Definition, start: Timestamp) -> Self {
        let layout = StateLayout::new(definition);
        let state = State::fresh(&layout, definition, start);
        let width = definition.sources.len() as u64;
        let rows = definition.archives.iter();
        let rows = rows.map(|archive| vec![UNKNOWN; (archive.rows * width) as usize]).collect();
        Self {
            definition: definition.clone(),
            rest: Rest::of(&layout, &state),
            layout,
            live: state.live,
            rows,
            plain_updates: 0,
            workspace: Workspace::default(),
        }
    }

    /// The same RRD, with its packed form made from its snapshot.
    pub(crate) fn imported(snapshot: &Snapshot) -> Self {
        let layout = StateLayout::new(&snapshot.definition);
        let state = State::new(snapshot.live.clone(), layout.runs_of(snapshot));
        Self {
            definition: snapshot.definition.clone(),
            rest: Rest::of(&layout, &state),
            layout,
            live: state.live,
            rows: snapshot.rows.clone(),
            plain_updates: 0,
            workspace: Workspace::default(),
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let (definition, live) = (self.definition.clone(), self.live.clone());
        Snapshot { definition, live, rows: self.rows.clone() }
    }

    /// Applies a sample to both, and checks that they are still equal; false if it is refused.
    pub(crate) fn append(&mut self, time: Timestamp, readings: &[Reading<'_>]) -> bool {
        let sample = Sample { time, readings };
        let truth = update(&self.definition, &mut self.live, &sample, &mut self.workspace);
        let width = self.definition.sources.len();
        for rows in self.workspace.final_rows() {
            let ring = &mut self.rows[rows.archive];
            ring.drain(..width * rows.count as usize);
            (0..rows.count).for_each(|_| ring.extend(rows.values));
        }
        let mut state = self.rested();
        let taken = update(&self.definition, &mut state.live, &sample, &mut self.workspace);
        assert_eq!(format!("{taken:?}"), format!("{truth:?}"));
        if taken.is_ok() {
            self.layout.note_final_rows(&mut state, &self.workspace);
        }
        let before = std::mem::replace(&mut self.rest, Rest::of(&self.layout, &state));
        self.plain_updates += u64::from(self.take_plain(before, &sample));
        self.check();
        taken.is_ok()
    }

    /// Applies the sample that was just taken to the packed state that was before, as it lies.
    /// Returns whether it was a usual update; then nothing may differ.
    fn take_plain(&self, before: Rest, sample: &Sample<'_>) -> bool {
        let Rest::Packed(mut packed) = before else { return false };
        let untouched = packed.clone();
        let mut workspace = Workspace::default();
        let places = PlainPlaces::of(&self.layout, &self.definition);
        let taken = places.is_some_and(|places| {
            places.take(&mut packed, &self.definition, sample, &mut workspace).is_some()
        });
        if !taken {
            assert_eq!(packed, untouched);
            return false;
        }
        assert_eq!(Rest::Packed(packed), self.rest, "{:?} {sample:?}", self.definition);
        let rows = |workspace: &Workspace| {
            let bits = |values: &[f64]| values.iter().map(|it| it.to_bits()).collect::<Vec<_>>();
            let rows = workspace.final_rows();
            rows.map(|rows| (rows.archive, rows.count, bits(rows.values))).collect::<Vec<_>>()
        };
        assert_eq!(rows(&workspace), rows(&self.workspace));
        assert!(!workspace.smoothing_due());
        true
    }

    /// The unpacked state, with `wrong` values in all fields that the packed form leaves out.
    fn rested(&self) -> State {
        let bytes = match &self.rest {
            Rest::Aside(bytes) => return self.layout.decode(bytes).unwrap(),
            Rest::Packed(bytes) => bytes,
        };
        let wrong = f64::from_bits(0x7ff8_dead_dead_dead);
        let mut live = self.live.clone();
        for source in &mut live.sources {
            source.value = wrong;
            source.last_reading = rrd::live::LastReading::new("wrong");
        }
        live.cells.fill(CellState {
            value: wrong,
            unknown_pdps: 77,
            primary: wrong,
            secondary: wrong,
        });
        let runs = self.layout.runs_of(&self.snapshot());
        let mut state = State::new(live, vec![Run::Explicit; runs.len()]);
        self.layout.unpack(bytes, &mut state);
        state
    }

    /// Whether the packed form equals the expected state, bit for bit.
    pub(crate) fn check(&self) {
        let width = self.definition.sources.len();
        let mut state = self.rested();
        let row_at = |archive: usize, age: u64, row: &mut [f64]| {
            let rows = &self.rows[archive];
            let end = rows.len().checked_sub(age as usize * width).ok_or(age)?;
            row.copy_from_slice(&rows[end - width..end]);
            Ok::<(), u64>(())
        };
        self.layout.complete(&mut state, row_at).unwrap();
        assert_eq!(bits(&state.live), bits(&self.live), "{:?}\n{:?}", self.definition, state.runs);
        // The bytes must not depend on the content that was unpacked over.
        assert_eq!(Rest::of(&self.layout, &state), self.rest);
    }

    pub(crate) fn is_packed(&self) -> bool {
        matches!(self.rest, Rest::Packed(_))
    }
}

impl Rest {
    pub(crate) fn of(layout: &StateLayout, state: &State) -> Self {
        let mut packed = vec![0xaa; layout.bytes()];
        if layout.pack(state, &mut packed) {
            return Self::Packed(packed);
        }
        let mut aside = Vec::new();
        layout.encode(state, &mut aside);
        Self::Aside(aside)
    }
}

/// A state as integers, so that NaNs are compared: its time, sources and cells, bit for bit.
type Bits = (Timestamp, Vec<([u8; 30], u64, u64)>, Vec<[u64; 4]>);

fn bits(live: &LiveState) -> Bits {
    let sources = live.sources.iter().map(|source| {
        (source.last_reading.to_bytes(), source.unknown_seconds, source.value.to_bits())
    });
    let cells = live.cells.iter().map(|CellState { value, unknown_pdps, primary, secondary }| {
        [value.to_bits(), *unknown_pdps, primary.to_bits(), secondary.to_bits()]
    });
    (live.last_update, sources.collect(), cells.collect())
}
