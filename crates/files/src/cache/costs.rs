//! What files behind a journal cost, before there is one: memory for each, and bytes of the log.
//!
//! The lengths are those of real records, and the sizes those of the types that are kept.

use journal::{LogPosition, RrdId};
use rrd::{Definition, LiveState, Reading, Sample, Timestamp, Workspace, update};
use rrdfile::Header;
use rrdfile::layout::RowIndex;

use super::entry::Entry;
use super::lines::Lines;
use super::logged::Noted;
use super::pending::Pending;
use super::record::BaseBody;
use super::shape::{Shapes, Sources};
use super::whole_state::base_of;

/// A path of usual length.
const PATH: &str = "/var/lib/gyre/rrd/router-00012/interface-034.rrd";
/// Bytes that an allocation takes beside what was asked for.
const ALLOCATION_BYTES: f64 = 16.0;
/// Bytes of an entry's place among all.
const TABLE_BYTES: f64 = 12.0;
/// Bytes of an entry's place among those that are due, and of the note that a write-back is not
/// durable yet.
const AGENDA_BYTES: f64 = 40.0;
/// Room in the text of samples that is not used: it grows by a quarter.
const PENDING_ROOM: f64 = 1.12;

/// What a file of one layout costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Bytes of memory of a file that is known.
    pub known_bytes: f64,
    /// Bytes of memory of what the file held, from a write-back to the next sample.
    pub noted_bytes: f64,
    /// Bytes of memory of a sample that waits.
    pub waiting_bytes: f64,
    /// Bytes that an update writes to the log.
    pub logged_bytes_per_update: f64,
    /// Bytes that a write-back writes to the log: what the file holds, before the samples that
    /// follow, and that those before are in it.
    pub logged_bytes_per_write_back: f64,
}

impl Costs {
    /// What a file of a layout costs; `None` where no file is so large, or can say it.
    #[must_use]
    pub fn of(definition: &Definition) -> Option<Self> {
        let header = Header::new(definition.clone(), live(definition), newest_rows(definition))?;
        let number = RrdId(100_000);
        let base = base_of(PATH.as_bytes(), &header, &header.encode().ok()?);
        let [mut of_base, mut of_sample] = [Lines::default(), Lines::default()];
        of_base.base(number, &base.view());
        let text = argument(definition);
        of_sample.sample(number, &text);
        if definition.has_forecasts() {
            of_sample.end(number, false);
        }
        // That a file was written is told by a record of its own.
        of_base.written(number, LogPosition(1 << 32));
        let packed = match Shapes::default().of(&header).sources(&header.live) {
            Sources::Packed(bytes) | Sources::Aside(bytes) => bytes.len(),
        };
        let noted = size_of::<Noted>() + BaseBody::of(&base.view()).bytes();
        let entry = 2 * size_of::<usize>() + size_of::<Entry>() + PATH.len() + packed;
        let waiting = Pending::bytes_of(&text) as f64 * PENDING_ROOM;
        Some(Self {
            known_bytes: entry as f64 + 4.0 * ALLOCATION_BYTES + TABLE_BYTES + AGENDA_BYTES,
            noted_bytes: noted as f64 + 2.0 * ALLOCATION_BYTES,
            waiting_bytes: waiting,
            logged_bytes_per_update: of_sample.records().bytes_len() as f64,
            logged_bytes_per_write_back: of_base.records().bytes_len() as f64,
        })
    }
}

/// A state that has seen a few updates.
fn live(definition: &Definition) -> LiveState {
    let start_seconds = 1_800_000_000;
    let mut live = LiveState::fresh(definition, Timestamp::from_seconds(start_seconds));
    let mut workspace = Workspace::default();
    for nth in 1..=3 {
        let reading = Reading::Unsigned(4_123_456_789 + nth * 1_234_567);
        let readings = vec![reading; definition.sources.len()];
        let seconds = start_seconds + (nth * definition.step_seconds) as i64 + 7;
        let sample = Sample { time: Timestamp::from_seconds(seconds), readings: &readings };
        // A layout that takes no such sample has a state all the same.
        let _ = update(definition, &mut live, &sample, &mut workspace);
    }
    live
}

fn newest_rows(definition: &Definition) -> Vec<RowIndex> {
    definition.archives.iter().map(|archive| RowIndex(archive.rows / 2)).collect()
}

/// A sample of counters of ten digits, as it is sent.
fn argument(definition: &Definition) -> String {
    let readings = ":4123456789".repeat(definition.sources.len());
    format!("1800000000{readings}")
}

#[cfg(test)]
mod tests {
    use super::Costs;

    #[test]
    fn a_file_of_mrtgs_costs_little_memory_and_less_log() {
        let archives = [(1, 600), (6, 700), (24, 775), (288, 797)];
        let archives = archives.into_iter().flat_map(|(pdps, rows)| {
            ["AVERAGE", "MAX"].map(|cf| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
        });
        let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
        let specs: Vec<String> = sources.into_iter().chain(archives).collect();
        let mrtg = rrd::spec::definition(300, specs.iter().map(String::as_str)).unwrap();
        let costs = Costs::of(&mrtg).unwrap();
        assert!((15.0..40.0).contains(&costs.logged_bytes_per_update), "{costs:?}");
        assert!((150.0..700.0).contains(&costs.logged_bytes_per_write_back), "{costs:?}");
        assert!((200.0..800.0).contains(&costs.known_bytes), "{costs:?}");
    }
}
