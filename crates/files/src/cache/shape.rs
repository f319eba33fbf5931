//! What it takes to tell whether a sample is taken, and the state of the sources that decides it.
//!
//! Which samples are taken depends on the sources alone: their kinds, their last readings, the time
//! of the last update. So a sample is taken into a database of the same sources without archives.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use rrd::live::SourceState;
use rrd::update::UpdateError;
use rrd::{Definition, LiveState, Sample, SampleReader, Timestamp, Workspace, update};
use rrdfile::{Header, Version};
use tracing_mutex::stdsync::Mutex;

use livestate::{State, StateLayout};
use logform::definition;

/// What files of alike sources share.
#[derive(Debug)]
pub(super) struct Shape {
    version: Version,
    /// The sources, without names, and no archive.
    definition: Definition,
    pub(super) reader: SampleReader,
    layout: StateLayout,
    /// Whether seasons may have to be smoothed where a command ends.
    pub(super) forecasts: bool,
    /// Why no sample at all is taken.
    refusal: Option<UpdateError>,
}

/// The state of an entry's sources in few bytes.
#[derive(Clone, Debug)]
pub(super) enum Sources {
    Packed(Box<[u8]>),
    /// One that does not fit.
    Aside(Box<[u8]>),
}

impl Shape {
    fn new(header: &Header) -> Self {
        let definition = sources_only(&header.definition);
        Self {
            version: header.version,
            reader: SampleReader::in_order(&definition),
            layout: StateLayout::new(&definition),
            forecasts: header.definition.has_forecasts(),
            refusal: refusal(&header.definition),
            definition,
        }
    }

    /// The state of a file's sources.
    pub(super) fn sources(&self, live: &LiveState) -> Sources {
        let live = LiveState {
            last_update: live.last_update,
            sources: live.sources.clone(),
            cells: Vec::new(),
            forecast: rrd::ForecastState::default(),
            rows_so_far: Vec::new(),
        };
        self.pack(&State::new(live, Vec::new()))
    }

    fn pack(&self, state: &State) -> Sources {
        let mut packed = vec![0; self.layout.bytes()].into_boxed_slice();
        if self.layout.pack(state, &mut packed) {
            return Sources::Packed(packed);
        }
        let mut bytes = Vec::new();
        self.layout.encode(state, &mut bytes);
        Sources::Aside(bytes.into())
    }

    /// When the last update was.
    pub(super) fn last_update(&self, sources: &Sources) -> Timestamp {
        match sources {
            Sources::Packed(packed) => self.layout.last_update(packed),
            Sources::Aside(bytes) => self.decode(bytes).live.last_update,
        }
    }

    fn decode(&self, bytes: &[u8]) -> State {
        self.layout.decode(bytes).expect("the bytes are our own")
    }
}

fn refusal(definition: &Definition) -> Option<UpdateError> {
    definition.has_forecasts().then(|| rrd::update::check_references(definition).err()).flatten()
}

fn sources_only(definition: &Definition) -> Definition {
    let sources = definition
        .sources
        .iter()
        .map(|source| rrd::DataSource { name: String::new(), ..source.clone() });
    Definition {
        tick: rrd::Tick::SECOND,
        step_seconds: definition.step_seconds,
        sources: sources.collect(),
        archives: Vec::new(),
    }
}

/// The shapes in use.
#[derive(Debug, Default)]
pub(super) struct Shapes(Mutex<HashMap<Box<[u8]>, Arc<Shape>>>);

impl Shapes {
    /// The shape of a file.
    pub(super) fn of(&self, header: &Header) -> Arc<Shape> {
        let shape = || Arc::new(Shape::new(header));
        let forecasts = header.definition.has_forecasts();
        if forecasts {
            // Whether it takes samples at all depends on the archives.
            return shape();
        }
        let mut key = header.version.to_string().into_bytes();
        definition::encode(&sources_only(&header.definition), &mut key);
        let mut shapes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shapes.get(&key[..]) {
            return Arc::clone(known);
        }
        let shape = shape();
        shapes.insert(key.into(), Arc::clone(&shape));
        shape
    }

    /// Forgets the shapes that no file has.
    pub(super) fn tidy(&self) {
        let mut shapes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shapes.retain(|_, shape| Arc::strong_count(shape) > 1);
    }
}

/// Room to check samples, kept so that none of them allocates.
#[derive(Debug, Default)]
pub(super) struct SampleChecker {
    shape: Option<(Arc<Shape>, State)>,
    before: Vec<SourceState>,
    workspace: Workspace,
}

impl SampleChecker {
    /// Begins with the sources of an entry.
    pub(super) fn begin(&mut self, shape: &Arc<Shape>, sources: &Sources) {
        if let (Some((known, state)), Sources::Packed(packed)) = (&mut self.shape, sources)
            && Arc::ptr_eq(known, shape)
        {
            shape.layout.unpack(packed, state);
            return;
        }
        let state = match sources {
            Sources::Aside(bytes) => shape.decode(bytes),
            Sources::Packed(packed) => {
                let start = Timestamp::default();
                let mut state = State::fresh(&shape.layout, &shape.definition, start);
                shape.layout.unpack(packed, &mut state);
                state
            }
        };
        self.shape = Some((Arc::clone(shape), state));
    }

    /// Takes a sample. One that is refused leaves no trace.
    ///
    /// # Errors
    /// It is refused.
    ///
    /// # Panics
    /// If nothing was begun.
    pub(super) fn take(&mut self, sample: &Sample<'_>) -> Result<(), UpdateError> {
        let (shape, State { live, .. }) = self.shape.as_mut().expect("it was begun");
        if let Some(refusal) = &shape.refusal {
            return Err(refusal.clone());
        }
        self.before.clone_from(&live.sources);
        let sample = shape.version.kept(sample);
        let taken = update(&shape.definition, live, &sample, &mut self.workspace);
        if taken.is_err() {
            live.sources.copy_from_slice(&self.before);
        }
        taken
    }

    /// The sources as they are now.
    ///
    /// # Panics
    /// If nothing was begun.
    pub(super) fn end(&mut self, sources: &mut Sources) {
        let (shape, state) = self.shape.as_ref().expect("it was begun");
        if let Sources::Packed(packed) = sources
            && shape.layout.pack(state, packed)
        {
            return;
        }
        *sources = shape.pack(state);
    }
}
