//! One database: what is new in the store, as rows of tables.

use rrd::{Definition, Stretch};
use sqlring::{Cells, Dialect, FedRing, Layout, Mark, Ring, RingRow};
use store::RowsSince;
use twox_hash::XxHash3_64;

use crate::batch::Batch;
use crate::books::{Books, Fed};
use crate::opening::Openings;
use crate::origin::Origin;

/// What a visit found.
pub(crate) enum Visited {
    /// What was new is in the batch.
    Done,
    /// Its rows are not those that were fed before: it has to begin anew.
    Other(Layout),
    /// It is not there.
    Missing,
    /// It cannot be read.
    Unreadable(store::Error),
}

/// Reads what is new of a database into a batch.
pub(crate) fn visit(
    origin: &Origin,
    books: &Books,
    number: u32,
    batch: &mut Batch,
    dialect: Dialect,
) -> Visited {
    let Some(fed) = books.get(number) else { return Visited::Done };
    let layout = books.layout(fed.layout);
    let path = origin.path(&fed.name);
    let incarnation = origin.store().incarnation(&path);
    let answer = match origin.store().rows_since(&path, asked_from(layout, fed)) {
        Ok(since) => Answer { since, incarnation },
        Err(error) if error.is_missing() => return Visited::Missing,
        Err(error) => return Visited::Unreadable(error),
    };
    let since = &answer.since;
    if !fits(layout, &since.definition) || !is_same_history(layout, fed, &answer) {
        batch.count_lost(Rows { layout, fed, since }.lost());
        return Visited::Other(Layout::of(&since.definition, &books.selection));
    }
    let before = &fed.mark;
    let rows = Rows { layout, fed, since };
    let first_seconds = before.first_seconds.min(rows.first_known_seconds());
    if since.last_update.seconds == before.seconds {
        return Visited::Done;
    }
    let has_rows = rows.put_into(batch, first_seconds, dialect);
    batch.count_lost(rows.lost());
    let check = newest_check(layout, &answer).unwrap_or(0);
    let mark = Mark { seconds: since.last_update.seconds, first_seconds, check };
    if has_rows {
        batch.mark(number, mark);
    } else {
        batch.advance(number, mark);
    }
    Visited::Done
}

/// What the store says of a database.
struct Answer {
    since: RowsSince,
    incarnation: u64,
}

/// Rows of the shortest ring that are seen again, to find out whether they are still the same.
const ROWS_CHECKED: i64 = 8;

/// From where rows are asked: some rows of the shortest ring before the mark.
fn asked_from(layout: &Layout, fed: &Fed) -> i64 {
    let shortest = layout.rings.first().map_or(0, |fed| fed.ring.row_seconds as i64);
    match fed.mark.seconds {
        0 => 0,
        seconds => seconds.saturating_sub(shortest * ROWS_CHECKED).max(0),
    }
}

/// Whether a database still has the archives and sources of a layout.
fn fits(layout: &Layout, definition: &Definition) -> bool {
    let names = layout.sources.iter().map(|source| source.name.as_str());
    layout.step_seconds == definition.step_seconds
        && names.eq(definition.sources.iter().map(|source| source.name.as_str()))
        && layout.rings.iter().all(|fed| has_archives(fed, definition))
}

fn has_archives(fed: &FedRing, definition: &Definition) -> bool {
    let columns = sqlring::FUNCTIONS.iter().zip(fed.archives);
    let mut wanted = columns.filter_map(|(function, nth)| Some((function, nth?)));
    wanted.all(|(function, nth)| {
        definition.archives.get(nth).is_some_and(|archive| {
            let row_seconds = archive.row_seconds(definition.step_seconds);
            archive.cf == *function
                && (row_seconds, archive.rows) == (fed.ring.row_seconds, fed.ring.slots)
        })
    })
}

/// Whether the newest row that was fed is still the same, as far as it is still there.
fn is_same_history(layout: &Layout, fed: &Fed, answer: &Answer) -> bool {
    let mark = &fed.mark;
    if mark.seconds == 0 {
        return true;
    }
    if answer.since.last_update.seconds < mark.seconds {
        return false;
    }
    let Some(ring) = layout.rings.first() else { return true };
    let row_seconds = ring.ring.row_seconds as i64;
    let fed_row = mark.seconds - mark.seconds.rem_euclid(row_seconds);
    // Where they are gone, nearly all of the ring is new in any case.
    mark.check == 0 || check_at(ring, answer, fed_row) == Some(mark.check)
}

/// The digest of the newest rows of the shortest ring.
fn newest_check(layout: &Layout, answer: &Answer) -> Option<u64> {
    let ring = layout.rings.first()?;
    let row_seconds = ring.ring.row_seconds as i64;
    let last = answer.since.last_update.seconds;
    check_at(ring, answer, last - last.rem_euclid(row_seconds))
}

/// The digest of some rows of a ring, the last of which ends at a time; `None` if one of them is not
/// among the rows. It is never 0, which stands for none.
fn check_at(ring: &FedRing, answer: &Answer, end_seconds: i64) -> Option<u64> {
    let rows = ROWS_CHECKED.min(ring.ring.slots as i64 / 2).max(1);
    let mut bytes = [end_seconds.to_le_bytes(), answer.incarnation.to_le_bytes()].concat();
    for stretch in stretches(ring, &answer.since).into_iter().flatten() {
        let end = (end_seconds - stretch.start_seconds) / stretch.step_seconds as i64;
        let first = u64::try_from(end - rows).ok()?.checked_sub(stretch.rows_before)?;
        let columns = stretch.source_names.len();
        let first = usize::try_from(first).ok()?.checked_mul(columns)?;
        for value in stretch.held.get(first..first + columns * rows as usize)? {
            // What an unknown value looks like in memory does not count.
            let bits = if value.is_nan() { u64::MAX } else { value.to_bits() };
            bytes.extend_from_slice(&bits.to_le_bytes());
        }
    }
    Some(XxHash3_64::oneshot(&bytes).max(1))
}

/// For each column of a ring its rows in the answer.
fn stretches<'s>(ring: &FedRing, since: &'s RowsSince) -> Cells<&'s Stretch> {
    ring.archives.map(|nth| since.archives.get(nth?)?.as_ref())
}

/// The rows of an answer.
struct Rows<'a> {
    layout: &'a Layout,
    fed: &'a Fed,
    since: &'a RowsSince,
}

impl Rows<'_> {
    /// Adds each row that has to be written to a batch; returns whether there was any.
    fn put_into(&self, batch: &mut Batch, first_seconds: i64, dialect: Dialect) -> bool {
        let rings = self.layout.rings.iter();
        rings.fold(false, |has_rows, ring| {
            has_rows | self.put_ring(ring, batch, first_seconds, dialect)
        })
    }

    fn put_ring(
        &self,
        fed: &FedRing,
        batch: &mut Batch,
        first_seconds: i64,
        dialect: Dialect,
    ) -> bool {
        let (ring, stretches) = (fed.ring, stretches(fed, self.since));
        let Some(whole) = stretches.iter().flatten().next() else { return false };
        let new = (whole.rows_before..whole.rows)
            .skip_while(|nth| row_end(whole, *nth) <= self.fed.mark.seconds);
        let Some(first) = new.clone().next() else { return false };
        let looked_at = row_end(whole, first)..=row_end(whole, whole.rows - 1);
        let begun = Openings::new(ring, looked_at, self.fed_row(ring));
        let mut openings = vec![begun; self.layout.sources.len()];
        let mut has_rows = false;
        for nth in new {
            let time_seconds = row_end(whole, nth);
            let is_first_round = time_seconds - ring.round_seconds() < first_seconds;
            for (source, openings) in openings.iter_mut().enumerate() {
                let cells = stretches.map(|stretch| known(stretch?, nth, source));
                let series = self.fed.first_series + source as u32;
                let row = RingRow { series, time_seconds, cells };
                // Unknown rows are written only over known ones.
                if is_first_round && cells.iter().all(Option::is_none) {
                    if openings.is_open(time_seconds) {
                        batch.reserve(fed, ring.slot_of(time_seconds), series);
                    }
                    continue;
                }
                has_rows = true;
                batch.add(ring, &row, dialect);
                if is_first_round {
                    let reserved = openings.begin(time_seconds);
                    reserved.into_iter().for_each(|slot| batch.reserve(fed, slot, series));
                }
            }
        }
        has_rows
    }

    /// The end of a ring's newest row that was fed; `None` if no known one was.
    fn fed_row(&self, ring: Ring) -> Option<i64> {
        let mark = &self.fed.mark;
        let end_seconds = mark.seconds - mark.seconds.rem_euclid(ring.row_seconds as i64);
        (mark.first_seconds <= end_seconds).then_some(end_seconds)
    }

    /// The end of the first row with a known value; [`i64::MAX`] if there is none.
    fn first_known_seconds(&self) -> i64 {
        let rings = self.layout.rings.iter();
        let all = rings.flat_map(|ring| stretches(ring, self.since).into_iter().flatten());
        let first = all.filter_map(|stretch| {
            let columns = stretch.source_names.len().max(1);
            let nth = stretch.held.iter().position(|value| !value.is_nan())? / columns;
            Some(row_end(stretch, stretch.rows_before + nth as u64))
        });
        first.min().unwrap_or(i64::MAX)
    }

    /// The rows that were overwritten before they could be read.
    fn lost(&self) -> u64 {
        if self.fed.mark.seconds == 0 {
            return 0;
        }
        let rings = self.layout.rings.iter();
        let first =
            rings.filter_map(|ring| stretches(ring, self.since).into_iter().flatten().next());
        let rows = first.map(|stretch| {
            let step = stretch.step_seconds as i64;
            let gone = stretch.start_seconds + step * stretch.rows_before as i64;
            let fed = self.fed.mark.seconds - self.fed.mark.seconds.rem_euclid(step);
            u64::try_from((gone - fed) / step).unwrap_or(0)
        });
        rows.sum::<u64>() * self.layout.sources.len() as u64
    }
}

/// The end of a row of a stretch, in seconds.
fn row_end(stretch: &Stretch, nth: u64) -> i64 {
    stretch.start_seconds + (nth as i64 + 1) * stretch.step_seconds as i64
}

/// A value of a row, unless it is unknown.
fn known(stretch: &Stretch, nth: u64, source: usize) -> Option<f64> {
    let held = usize::try_from(nth.checked_sub(stretch.rows_before)?).ok()?;
    let value = stretch.held.get(held * stretch.source_names.len() + source)?;
    (!value.is_nan()).then_some(*value)
}
