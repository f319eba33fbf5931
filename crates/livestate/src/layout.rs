//! The fields of a packed state for each source and archive, and their sizes in bits.

use rrd::{Definition, SourceKind};

use super::bits::bits_up_to;
use super::reading::{DECIMAL_BYTES, KIND_BITS};
use crate::row::CellForm;
use crate::seasons::seasonal_archives;

/// Bits of the seconds of the last update: until the year 2514.
pub(super) const SECONDS_BITS: u32 = 34;
/// Bits of its microseconds.
pub(super) const MICROS_BITS: u32 = 20;
/// Bits of both together; so many have ticks where they are not seconds: microseconds until 2540.
pub(super) const TIME_BITS: u32 = SECONDS_BITS + MICROS_BITS;
const DOUBLE_BYTES: usize = 8;

/// How the live states of one layout are packed.
///
/// It follows from tick and step, the kinds of the sources, and the archives except for their xff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateLayout {
    /// Whether times are whole ticks, shorter than a second: seconds and microseconds are then one
    /// number.
    has_ticks: bool,
    step_seconds: u64,
    unknown_seconds_bits: u32,
    readings: Vec<ReadingForm>,
    /// The number of rows of each archive.
    rows: Vec<u64>,
    /// The class of each archive.
    class_of_archive: Vec<usize>,
    classes: Vec<Class>,
    /// Whether some archive forecasts: such states are never packed, and all their runs are
    /// explicit.
    has_forecasts: bool,
    /// How the values of each archive's cells are packed.
    forms: Vec<CellForm>,
    /// Whether some archive keeps more of a row than one number.
    has_spreads: bool,
    /// The archives whose rows are part of the state.
    seasonal: Vec<usize>,
    head_bytes: usize,
    bytes: usize,
}

/// How the text of a last reading is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadingForm {
    /// A kind in the head, and eight bytes of magnitude.
    Integer,
    /// A nibble for each character.
    Decimal,
}

/// The archives with the same PDPs per row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) pdp_per_row: u64,
    /// The first of its archives.
    pub(super) first: usize,
    /// The archives, in the order of the definition.
    pub(super) archives: Vec<usize>,
    pub(super) run_bits: u32,
    /// The oldest row that a run can name; one more means [`super::Run::Never`].
    pub(super) age_max: u64,
    /// Bits of a count of unknown PDPs; 0 if nothing is consolidated.
    pub(super) unknown_pdps_bits: u32,
    pub(super) secondary: Secondary,
}

/// Where the secondaries of a class are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Secondary {
    /// In the packed state, one for each source.
    Kept,
    /// In this archive of one PDP a row, as the PDP that completed the newest row of the class.
    InRowsOf(usize),
}

impl StateLayout {
    /// The layout for the states of a definition.
    #[must_use]
    pub fn new(definition: &Definition) -> Self {
        let readings: Vec<_> =
            definition.sources.iter().map(|source| ReadingForm::of(source.kind)).collect();
        let classes = classes_of(definition);
        let class_of = |archive| classes.iter().position(|class| class.archives.contains(&archive));
        let archives = 0..definition.archives.len();
        let mut layout = Self {
            has_ticks: !definition.tick.is_second(),
            step_seconds: definition.step_seconds,
            unknown_seconds_bits: bits_up_to(definition.step_seconds),
            rows: definition.archives.iter().map(|archive| archive.rows).collect(),
            class_of_archive: archives.filter_map(class_of).collect(),
            readings,
            classes,
            has_forecasts: definition.has_forecasts(),
            forms: definition.archives.iter().map(CellForm::of).collect(),
            has_spreads: definition.has_spreads(),
            seasonal: seasonal_archives(definition).collect(),
            head_bytes: 0,
            bytes: 0,
        };
        layout.head_bytes = layout.head_bits().div_ceil(8) as usize;
        layout.bytes = layout.head_bytes + layout.body_bytes();
        layout
    }

    /// Bytes of a packed state.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn head_bits(&self) -> u32 {
        let of_source = |form: &ReadingForm| self.unknown_seconds_bits + form.kind_bits();
        let sources = self.readings.len() as u32;
        let of_class = |class: &Class| class.run_bits + sources * class.unknown_pdps_bits;
        SECONDS_BITS
            + MICROS_BITS
            + self.readings.iter().map(of_source).sum::<u32>()
            + self.classes.iter().map(of_class).sum::<u32>()
    }

    fn body_bytes(&self) -> usize {
        let of_source = |form: &ReadingForm| DOUBLE_BYTES + form.body_bytes();
        let row_bytes = self.readings.len() * DOUBLE_BYTES;
        let of_class = |class: &Class| {
            if class.secondary == Secondary::Kept { row_bytes } else { 0 }
        };
        let of_archive = |form: &CellForm| self.readings.len().saturating_mul(form.bytes());
        self.readings.iter().map(of_source).sum::<usize>()
            + self.classes.iter().map(of_class).sum::<usize>()
            + self.forms.iter().map(of_archive).fold(0, usize::saturating_add)
    }

    pub(super) fn head_bytes(&self) -> usize {
        self.head_bytes
    }

    pub(super) fn has_ticks(&self) -> bool {
        self.has_ticks
    }

    pub(super) fn step_seconds(&self) -> u64 {
        self.step_seconds
    }

    pub(super) fn unknown_seconds_bits(&self) -> u32 {
        self.unknown_seconds_bits
    }

    pub(super) fn readings(&self) -> &[ReadingForm] {
        &self.readings
    }

    /// The number of classes.
    #[must_use]
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    pub(super) fn classes(&self) -> &[Class] {
        &self.classes
    }

    pub(super) fn has_forecasts(&self) -> bool {
        self.has_forecasts
    }

    /// The archives whose rows are part of the state, with their numbers of rows.
    pub(super) fn seasonal(&self) -> impl Iterator<Item = (usize, u64)> {
        self.seasonal.iter().map(|archive| (*archive, self.rows[*archive]))
    }

    /// How the values of each archive's cells are packed.
    pub(super) fn forms(&self) -> &[CellForm] {
        &self.forms
    }

    /// Whether states have rows beside their cells.
    pub(super) fn has_spreads(&self) -> bool {
        self.has_spreads
    }

    pub(super) fn archives(&self) -> usize {
        self.rows.len()
    }

    /// The class of each archive.
    pub(super) fn classes_of_archives(&self) -> impl Iterator<Item = &Class> {
        self.class_of_archive.iter().map(|class| &self.classes[*class])
    }

    pub(super) fn class_of(&self, archive: usize) -> usize {
        self.class_of_archive[archive]
    }

    /// The age of a row of the class in one of its archives: at most that of the archive's oldest
    /// row.
    pub(super) fn age_in(&self, archive: usize, age: u64) -> u64 {
        age.min(self.rows[archive].saturating_sub(1))
    }
}

impl ReadingForm {
    fn of(kind: SourceKind) -> Self {
        match kind {
            SourceKind::Counter | SourceKind::Derive => Self::Integer,
            SourceKind::Gauge
            | SourceKind::Absolute
            | SourceKind::Dcounter
            | SourceKind::Dderive
            | SourceKind::Compute(_) => Self::Decimal,
        }
    }

    pub(super) fn kind_bits(self) -> u32 {
        match self {
            Self::Integer => KIND_BITS,
            Self::Decimal => 0,
        }
    }

    pub(super) fn body_bytes(self) -> usize {
        match self {
            Self::Integer => 8,
            Self::Decimal => DECIMAL_BYTES,
        }
    }
}

impl Class {
    /// Whether a row has several PDPs.
    pub(super) fn consolidates(&self) -> bool {
        self.pdp_per_row != 1
    }
}

/// The classes, in the order of their first archives.
fn classes_of(definition: &Definition) -> Vec<Class> {
    let finest = finest_archive(definition);
    let mut classes: Vec<Class> = Vec::new();
    for (nth, archive) in definition.archives.iter().enumerate() {
        match classes.iter_mut().find(|class| class.pdp_per_row == archive.pdp_per_row) {
            Some(class) => class.archives.push(nth),
            None => classes.push(Class {
                pdp_per_row: archive.pdp_per_row,
                first: nth,
                archives: vec![nth],
                run_bits: 0,
                age_max: 0,
                unknown_pdps_bits: bits_up_to(archive.pdp_per_row - 1),
                secondary: secondary_of(archive.pdp_per_row, definition, finest),
            }),
        }
    }
    for class in &mut classes {
        let rows = class.archives.iter().map(|nth| definition.archives[*nth].rows).max();
        // If a row is one PDP, all rows that become final at once are equal, so the first of them
        // equals the newest.
        class.age_max = if class.consolidates() { rows.map_or(0, |rows| rows - 1) } else { 0 };
        class.run_bits = bits_up_to(class.age_max + 1);
    }
    classes
}

/// The longest archive of one PDP a row.
fn finest_archive(definition: &Definition) -> Option<usize> {
    let archives = definition.archives.iter().enumerate();
    let fine = archives.filter(|(_, archive)| archive.pdp_per_row == 1);
    fine.max_by_key(|(_, archive)| archive.rows).map(|(nth, _)| nth)
}

fn secondary_of(pdp_per_row: u64, definition: &Definition, finest: Option<usize>) -> Secondary {
    match finest {
        // The newest row of a class is at most `pdp_per_row - 1` PDPs old.
        Some(nth) if pdp_per_row > 1 && definition.archives[nth].rows >= pdp_per_row => {
            Secondary::InRowsOf(nth)
        }
        _ => Secondary::Kept,
    }
}
