//! A file and what the log has of it, brought together after a crash.
//!
//! From the base on, every state that the file went through is computed again. If its head on disk
//! is of these states ([`HeadCheck`]), whole or torn, then the last base and all samples since are
//! the truth, and the rows that a write-back may have left out are those of these samples.
//! Otherwise another program wrote the file: what it holds is the truth, and the samples are taken
//! into that.

use journal::JournalError;
use rrd::{ForecastState, LiveState, SampleReader, Timestamp, Workspace};
use rrdfile::Header;
use rrdfile::layout::RowIndex;

use super::head_check::HeadCheck;
use super::record::Base;
use super::step::Step;
use super::whole_state::{WholeState, base_of, fingerprint};

/// What is to be done with a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// What its head is.
    pub head: Head,
    /// The samples that are to be taken into that, and what ends with each.
    pub samples: Vec<Settling>,
}

/// What the head of a file is.
#[derive(Clone, Debug, PartialEq)]
pub enum Head {
    /// That of the base: nothing was written since.
    Base,
    /// A write-back began or ended: the head is to be put back to the base's, then everything
    /// written again.
    Ours {
        /// The base's state.
        live: LiveState,
        /// The base's newest rows.
        newest_rows: Vec<RowIndex>,
    },
    /// Another program's. What the log has belongs to another history: it is to begin with a new
    /// base.
    Foreign,
}

/// A sample to be taken, as the argument of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settling {
    /// `TIME:READING[:READING...]`
    pub argument: String,
    /// Whether a command ended with it, and whether a value of that was refused.
    pub end: Option<bool>,
}

/// Brings together what the log has of a file, and its head: as decoded, its seasons read, and as
/// bytes.
///
/// # Errors
/// The log has a line that this version does not know.
pub fn settle<'a>(
    steps: impl Iterator<Item = Result<Step<'a>, JournalError>>,
    found: &Header,
    found_bytes: &[u8],
) -> Result<Settled, JournalError> {
    let steps = steps.collect::<Result<Vec<_>, _>>()?;
    if is_untouched(&steps, found, found_bytes) {
        let samples = steps.into_iter().filter_map(|step| match step {
            Step::Sample(argument) => Some(Settling { argument, end: None }),
            _ => None,
        });
        return Ok(Settled { head: Head::Base, samples: samples.collect() });
    }
    let mut course = Course::new(found, found_bytes);
    steps.into_iter().for_each(|step| course.take(step));
    Ok(course.end())
}

/// Whether a head is that of the only base, and nothing but samples came since: so it is with
/// nearly every file, and no state needs to be computed for it.
fn is_untouched(steps: &[Step<'_>], found: &Header, found_bytes: &[u8]) -> bool {
    let [Step::Base(base), rest @ ..] = steps else { return false };
    let head = base_of(&[], found, found_bytes);
    rest.iter().all(|step| matches!(step, Step::Sample(_)))
        && base.fingerprint == head.fingerprint
        && base.state == head.state
        && base.newest_rows.slots().eq(head.newest_rows)
}

/// The states that a file went through.
struct Course<'a> {
    found: &'a Header,
    fingerprint: u64,
    /// The head's bytes, and a copy that each state is written over.
    live_offset: usize,
    bytes: Vec<u8>,
    head_check: HeadCheck<'a>,
    machine: Option<Machine>,
    /// The state before the samples.
    base: Option<(LiveState, Vec<RowIndex>)>,
    base_is_found: bool,
    /// The base that the log had last, as it stands there.
    last_base: Option<Base>,
    samples: Vec<Settling>,
    /// How many samples there were at the last base.
    before_last_base: usize,
}

impl<'a> Course<'a> {
    fn new(found: &'a Header, found_bytes: &'a [u8]) -> Self {
        let live_offset = found.layout.live_offset();
        Self {
            found,
            fingerprint: fingerprint(&found_bytes[..live_offset]),
            live_offset,
            bytes: found_bytes.to_vec(),
            head_check: HeadCheck::new(&found_bytes[live_offset..], live_offset),
            machine: None,
            base: None,
            base_is_found: false,
            last_base: None,
            samples: Vec::new(),
            before_last_base: 0,
        }
    }

    fn take(&mut self, step: Step<'_>) {
        match step {
            Step::Base(base) => {
                let state = (base.fingerprint == self.fingerprint)
                    .then(|| WholeState::of(&self.found.definition).decode(base.state).ok())
                    .flatten();
                let newest_rows = base.newest_rows.slots().map(RowIndex).collect();
                let is_copy = self.last_base.as_ref().is_some_and(|last| last.view() == base);
                if is_copy {
                    // It was logged once more, and the samples behind it follow once more.
                    return self.forget();
                }
                self.last_base = Some(base.to_base());
                self.begin(state.map(|live| (live, newest_rows)));
            }
            Step::Sample(argument) => {
                if let Some(machine) = &mut self.machine {
                    machine.sample(&argument);
                    self.consider();
                }
                self.samples.push(Settling { argument, end: None });
            }
            Step::End { refused } => {
                if let Some(machine) = &mut self.machine {
                    machine.end(refused);
                    self.consider();
                }
                // Where the samples were forgotten nothing ends.
                if let Some(last) = self.samples.last_mut() {
                    last.end = Some(refused);
                }
            }
            Step::Forget => self.forget(),
        }
    }

    /// Takes a base; none where it is of another definition.
    fn begin(&mut self, base: Option<(LiveState, Vec<RowIndex>)>) {
        self.before_last_base = self.samples.len();
        let goes_on = match (&base, &self.machine) {
            (Some((live, rows)), Some(machine)) => machine.is_at(live, rows),
            _ => false,
        };
        if goes_on {
            return;
        }
        self.samples.clear();
        self.before_last_base = 0;
        self.head_check.start_anew();
        self.machine = base.as_ref().map(|(live, rows)| Machine::new(self.found, live, rows));
        self.base = base;
        self.consider();
        let found_rings = &self.found.live.forecast;
        let same_rings = |(live, _): &(LiveState, _)| same_rings(&live.forecast, found_rings);
        self.base_is_found =
            self.head_check.is_last() && self.base.as_ref().is_some_and(same_rings);
    }

    /// Drops the samples since the last base. What they would have made of the file stays known.
    fn forget(&mut self) {
        self.samples.truncate(self.before_last_base);
        let Some((live, newest_rows)) = &self.base else { return };
        let mut machine = Machine::new(self.found, live, newest_rows);
        for sample in &self.samples {
            machine.sample(&sample.argument);
            if let Some(refused) = sample.end {
                machine.end(refused);
            }
        }
        self.machine = Some(machine);
    }

    fn consider(&mut self) {
        let Some(machine) = &self.machine else { return };
        machine.header.encode_live(&mut self.bytes);
        self.head_check.consider(&self.bytes[self.live_offset..]);
    }

    fn end(self) -> Settled {
        let head = match self.base {
            Some(_) if self.base_is_found => Head::Base,
            Some((live, newest_rows)) if self.head_check.is_ours() => {
                Head::Ours { live, newest_rows }
            }
            _ => Head::Foreign,
        };
        Settled { head, samples: self.samples }
    }
}

/// Rows of seasons are written over in place: the head may be the base's and these another state's.
fn same_rings(one: &ForecastState, other: &ForecastState) -> bool {
    let bits = |state: &ForecastState| -> Vec<u64> {
        state.rings.iter().flat_map(|ring| &ring.values).map(|value| value.to_bits()).collect()
    };
    bits(one) == bits(other)
}

/// A file without rows: what samples make of its head.
struct Machine {
    header: Header,
    reader: SampleReader,
    workspace: Workspace,
    smoothing_due: bool,
}

impl Machine {
    fn new(found: &Header, live: &LiveState, newest_rows: &[RowIndex]) -> Self {
        let Header { version, definition, layout, .. } = found;
        let header = Header {
            version: *version,
            definition: definition.clone(),
            live: live.clone(),
            newest_rows: newest_rows.to_vec(),
            layout: layout.clone(),
        };
        let reader = SampleReader::in_order(definition);
        Self { header, reader, workspace: Workspace::default(), smoothing_due: false }
    }

    fn is_at(&self, live: &LiveState, newest_rows: &[RowIndex]) -> bool {
        let whole = WholeState::of(&self.header.definition);
        self.header.newest_rows == newest_rows
            && whole.encode(&self.header.live) == whole.encode(live)
    }

    /// Takes a sample; one that is refused now was refused then.
    fn sample(&mut self, argument: &str) {
        let mut readings = Vec::new();
        let Ok(time) = self.reader.split(argument, &mut readings) else { return };
        let Some(time) = time.moment(Timestamp::default()) else { return };
        let Header { version, definition, live, newest_rows, layout } = &mut self.header;
        let sample = version.kept(&rrd::Sample { time, readings: &readings });
        let before = live.clone();
        if rrd::update(definition, live, &sample, &mut self.workspace).is_err() {
            *live = before;
            return;
        }
        self.smoothing_due |= self.workspace.smoothing_due();
        for rows in self.workspace.final_rows() {
            let newest = &mut newest_rows[rows.archive];
            *newest = newest.advance(rows.count, layout.rows(rows.archive));
        }
    }

    fn end(&mut self, refused: bool) {
        let due = std::mem::take(&mut self.smoothing_due);
        if due && !refused {
            let Header { definition, live, .. } = &mut self.header;
            // Rings are part of the state here: nothing is written.
            let _ = rrd::update::smooth(definition, live, |_| ());
        }
    }
}
