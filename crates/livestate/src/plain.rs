//! The usual update, taken by a state as it lies packed.
//!
//! All readings are known, at most one step ended, and with it no row of several PDPs: then few
//! values of the state change, each by itself. Everything else is unpacked, updated and packed.

use rrd::live::LastReading;
use rrd::update::PlainUpdate;
use rrd::{ConsolidationFunction, Definition, Reading, Sample, SourceKind, Timestamp, Workspace};

use super::layout::{Class, MICROS_BITS, ReadingForm, SECONDS_BITS, Secondary, TIME_BITS};
use super::row::CellForm;
use super::{StateLayout, reading};

const DOUBLE_BYTES: usize = size_of::<f64>();

/// Where a usual update finds what it changes in the packed states of a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainPlaces {
    /// Ticks take the bits of seconds and microseconds.
    has_ticks: bool,
    step_seconds: u64,
    state_bytes: usize,
    sources: Vec<SourcePlace>,
    /// Of each class of several PDPs a row.
    pdps_per_row: Vec<u64>,
    /// The archives of one PDP a row, and the bit of their run.
    fine_archives: Vec<usize>,
    fine_run_bit: Option<u32>,
    cells: Vec<CellsPlace>,
    rows: Vec<RowsPlace>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct SourcePlace {
    /// Its bits of the head: unknown seconds, then the kind of its last reading.
    head_bit: u32,
    head_bits: u32,
    /// Its value, in bytes from the begin of the state; the reading follows.
    value_at: usize,
    form: ReadingForm,
}

/// The values of an archive of several PDPs a row.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CellsPlace {
    cf: ConsolidationFunction,
    at: usize,
}

/// The rows so far of a STDEV or PERCENTILE archive.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RowsPlace {
    form: CellForm,
    at: usize,
}

impl PlainPlaces {
    /// `None` for a layout whose updates are never usual: one that forecasts or calculates.
    #[must_use]
    pub fn of(layout: &StateLayout, definition: &Definition) -> Option<Self> {
        let computes = |kind: &SourceKind| matches!(kind, SourceKind::Compute(_));
        if layout.has_forecasts() || definition.sources.iter().any(|it| computes(&it.kind)) {
            return None;
        }
        let (mut bit, mut at) = (TIME_BITS, layout.head_bytes());
        let source_of = |form: &ReadingForm| {
            let head_bits = layout.unknown_seconds_bits() + form.kind_bits();
            let place = SourcePlace { head_bit: bit, head_bits, value_at: at, form: *form };
            bit += head_bits;
            at += DOUBLE_BYTES + form.body_bytes();
            place
        };
        let sources: Vec<SourcePlace> = layout.readings().iter().map(source_of).collect();
        let mut fine = None;
        for class in layout.classes() {
            fine = fine.or((!class.consolidates()).then_some((class, bit)));
            bit += class.run_bits + sources.len() as u32 * class.unknown_pdps_bits;
            let kept = class.secondary == Secondary::Kept;
            at += if kept { sources.len() * DOUBLE_BYTES } else { 0 };
        }
        let (mut cells, mut rows) = (Vec::new(), Vec::new());
        for (archive, form) in definition.archives.iter().zip(layout.forms()) {
            match form {
                CellForm::Value => cells.push(CellsPlace { cf: archive.cf, at }),
                form if form.is_spread() => rows.push(RowsPlace { form: *form, at }),
                _ => {}
            }
            at += sources.len() * form.bytes();
        }
        let consolidating = layout.classes().iter().filter(|class| class.consolidates());
        Some(Self {
            has_ticks: layout.has_ticks(),
            step_seconds: layout.step_seconds(),
            state_bytes: layout.bytes(),
            sources,
            pdps_per_row: consolidating.map(|class: &Class| class.pdp_per_row).collect(),
            fine_archives: fine.map_or(Vec::new(), |(class, _)| class.archives.clone()),
            fine_run_bit: fine.map(|(_, bit)| bit),
            cells,
            rows,
        })
    }

    /// Takes a sample into a packed state, where that is a usual update; rows that became final
    /// stand in the workspace then. Returns the time of the update before; `None` if the update is
    /// not usual, and the state as it was.
    ///
    /// # Panics
    /// If `packed` has not the layout's bytes, or definition or sample are of another layout.
    pub fn take(
        &self,
        packed: &mut [u8],
        definition: &Definition,
        sample: &Sample<'_>,
        workspace: &mut Workspace,
    ) -> Option<Timestamp> {
        assert!(packed.len() == self.state_bytes);
        let Sample { time, readings } = *sample;
        assert!(readings.len() == self.sources.len());
        assert!(definition.sources.len() == self.sources.len());
        let last_update = self.time(packed);
        let update = PlainUpdate::between(self.step_seconds, last_update, time)?;
        if !self.has_room_for(time) || self.pdps_per_row.iter().any(|pdps| update.ends_row(*pdps)) {
            return None;
        }
        let amounts = workspace.begin_plain();
        let sources = self.sources.iter().zip(&definition.sources);
        for ((place, source), reading) in sources.zip(readings) {
            let last = place.last_reading(packed)?;
            amounts.push(update.amount(definition.tick, source, *reading, &last)?);
        }
        let (pdps, amounts) = workspace.plain_pdps();
        if update.ends_step() {
            // Each is looked at before anything changes.
            for (place, amount) in self.sources.iter().zip(amounts) {
                let pdp = update.end_step(double(packed, place.value_at), *amount).pdp;
                pdps.push(Some(pdp).filter(|pdp| !pdp.is_nan())?);
            }
        }
        if update.ends_step() && !self.rows.iter().all(|rows| rows.have_room(packed, pdps.len())) {
            return None;
        }
        let packable = self.sources.iter().zip(readings).all(|(place, it)| place.takes(*it));
        if !packable {
            return None;
        }
        for ((place, amount), reading) in self.sources.iter().zip(amounts).zip(readings) {
            let value = double(packed, place.value_at);
            let value = match update.ends_step() {
                true => update.end_step(value, *amount).value,
                false => PlainUpdate::gathered(value, *amount),
            };
            put_double(packed, place.value_at, value);
            place.put_reading(packed, *reading);
        }
        if update.ends_step() {
            for CellsPlace { cf, at } in &self.cells {
                for (nth, pdp) in pdps.iter().enumerate() {
                    let at = at + nth * DOUBLE_BYTES;
                    let value = PlainUpdate::consolidated(double(packed, at), *cf, *pdp);
                    put_double(packed, at, value);
                }
            }
            for RowsPlace { form, at } in &self.rows {
                for (nth, pdp) in pdps.iter().enumerate() {
                    form.take(packed, at + nth * form.bytes(), *pdp);
                }
            }
            // The primary of a class of one PDP is its newest row.
            self.fine_run_bit.iter().for_each(|bit| clear_bit(packed, *bit));
            workspace.end_plain_step(self.fine_archives.iter().copied());
        }
        put_time(packed, time);
        Some(last_update)
    }

    #[inline]
    fn time(&self, packed: &[u8]) -> Timestamp {
        let bits = u64::from_le_bytes(field(packed, 0)) & ((1 << TIME_BITS) - 1);
        match self.has_ticks {
            true => Timestamp::from_seconds(bits.cast_signed()),
            false => Timestamp {
                seconds: (bits & ((1 << SECONDS_BITS) - 1)).cast_signed(),
                micros: (bits >> SECONDS_BITS) as u32,
            },
        }
    }

    #[inline]
    fn has_room_for(&self, time: Timestamp) -> bool {
        match self.has_ticks {
            true => time.seconds >> TIME_BITS == 0 && time.micros == 0,
            false => time.seconds >> SECONDS_BITS == 0 && time.micros >> MICROS_BITS == 0,
        }
    }
}

impl RowsPlace {
    /// Whether each of so many rows has room for one more PDP. Each has, in a state that was packed.
    fn have_room(&self, packed: &[u8], rows: usize) -> bool {
        let Self { form, at } = self;
        (0..rows).all(|nth| form.has_room(packed, at + nth * form.bytes()))
    }
}

impl SourcePlace {
    /// The last reading, if it is known, and no second of the step is unknown.
    #[inline]
    fn last_reading(&self, packed: &[u8]) -> Option<LastReading> {
        if bits(packed, self.head_bit, self.head_bits) != 0 {
            return None;
        }
        let at = self.value_at + DOUBLE_BYTES;
        match self.form {
            ReadingForm::Integer => {
                Some(LastReading::integer(u64::from_le_bytes(field(packed, at))))
            }
            ReadingForm::Decimal => {
                let last = reading::unpack_decimal(field(packed, at));
                (!last.is_unknown()).then_some(last)
            }
        }
    }

    /// Whether a reading fits.
    #[inline]
    fn takes(&self, reading: Reading<'_>) -> bool {
        match self.form {
            ReadingForm::Integer => matches!(reading, Reading::Unsigned(_)),
            ReadingForm::Decimal => reading::pack_decimal(&LastReading::of(reading)).is_some(),
        }
    }

    /// Writes a reading that fits.
    #[inline]
    fn put_reading(&self, packed: &mut [u8], reading: Reading<'_>) {
        let at = self.value_at + DOUBLE_BYTES;
        match (self.form, reading) {
            (ReadingForm::Integer, Reading::Unsigned(value)) => {
                packed[at..][..8].copy_from_slice(&value.to_le_bytes());
            }
            (ReadingForm::Integer, _) => unreachable!("it was asked whether it fits"),
            (ReadingForm::Decimal, reading) => {
                let nibbles = reading::pack_decimal(&LastReading::of(reading));
                let nibbles = nibbles.expect("it was asked whether it fits");
                packed[at..][..nibbles.len()].copy_from_slice(&nibbles);
            }
        }
    }
}

/// A field of the head of at most 56 bits. Sources and archives follow the head, so that there are
/// eight bytes from everywhere in it.
#[inline]
fn bits(packed: &[u8], at: u32, bits: u32) -> u64 {
    let word = u64::from_le_bytes(field(packed, at as usize / 8));
    word >> (at % 8) & ((1 << bits) - 1)
}

#[inline]
fn clear_bit(packed: &mut [u8], at: u32) {
    packed[at as usize / 8] &= !(1 << (at % 8));
}

#[inline]
fn put_time(packed: &mut [u8], time: Timestamp) {
    let rest = u64::from_le_bytes(field(packed, 0)) >> TIME_BITS << TIME_BITS;
    let word = rest | time.seconds.cast_unsigned() | u64::from(time.micros) << SECONDS_BITS;
    packed[..8].copy_from_slice(&word.to_le_bytes());
}

#[inline]
fn field<const N: usize>(packed: &[u8], at: usize) -> [u8; N] {
    *packed[at..].first_chunk().expect("the layout has room")
}

#[inline]
fn double(packed: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(field(packed, at))
}

#[inline]
fn put_double(packed: &mut [u8], at: usize, value: f64) {
    packed[at..][..DOUBLE_BYTES].copy_from_slice(&value.to_le_bytes());
}
