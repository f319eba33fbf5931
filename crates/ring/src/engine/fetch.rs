//! Rows that answer queries: of one database, and of many in the order in which they lie on disk.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use disk::Medium;
use livestate::seasons;
use rrd::fetch::{FetchError, HeldRows, Query, Window, window, window_of_any_length};
use rrd::{Definition, Series, Stretch};
use store::Error;
use store::{TakeRows, Wanted};

use super::Cell;
use super::attic::AtticView;
use super::read::{InPlace, Reader};
use super::world::World;
use crate::group::{Group, MemoryView};

/// Names that are looked up under one lock of the world.
const NAMES_AT_ONCE: usize = 1024;
/// Values of databases that are read together, about.
const VALUES: usize = 64 << 10;
/// The same where tiles are shared: one answer more at most is read with that many.
pub const READ_AT_ONCE: usize = 4 * VALUES;

/// How the rows that answer a query are chosen.
type Choose = fn(&Definition, i64, &Query) -> Result<Window, FetchError>;

/// An answer on its way.
pub(super) struct Answer {
    definition: Arc<Definition>,
    window: Window,
    held: HeldRows,
    rows: Rows,
}

/// The rows of an answer.
enum Rows {
    /// They are all there.
    Known(Vec<f64>),
    /// Some stand on disk.
    Seen(MemoryView),
}

/// A query of many, whose database was found.
struct Asked {
    position: usize,
    place: InPlace,
}

impl<M: Medium<File: 'static>> Reader<'_, M> {
    /// The rows that answer a query, to the last sample that was taken.
    ///
    /// # Errors
    /// There is no database of that name; it has no archive for the query; those of the machine.
    pub(super) fn fetch(&self, name: &str, query: &Query) -> Result<Series, Error> {
        self.fetch_by(name, query, window).map(Stretch::whole)
    }

    /// The same without the rows that the archive does not hold: however long the stretch is, it
    /// takes no more memory than the archive.
    ///
    /// # Errors
    /// As [`Reader::fetch`], which has a limit besides.
    pub(super) fn fetch_stretch(&self, name: &str, query: &Query) -> Result<Stretch, Error> {
        self.fetch_by(name, query, window_of_any_length)
    }

    fn fetch_by(&self, name: &str, query: &Query, choose: Choose) -> Result<Stretch, Error> {
        self.read_in_place(name, |place| {
            let _nobody_writes = place.cell.reading_tiles();
            let (mut answer, attic) = {
                let (world, group) = (self.registry.world(), place.cell.group());
                let answer = Answer::begun(&world, &group, place, name.as_ref(), query, choose)?;
                (answer, AtticView::of(&group))
            };
            self.complete_answers(&place.cell, &attic, &mut [&mut answer])?;
            Ok(answer.stretch())
        })
    }

    /// The rows that answer many queries: those of databases that lie side by side are read
    /// together, each page once. Each answer is handed to `take` with its position.
    pub(super) fn fetch_many(
        &self,
        wanted: &[Wanted<'_>],
        take: &mut TakeRows<'_>,
    ) -> ControlFlow<()> {
        let mut asked = Vec::with_capacity(wanted.len());
        for first in (0..wanted.len()).step_by(NAMES_AT_ONCE) {
            let end = wanted.len().min(first + NAMES_AT_ONCE);
            let missing = {
                let world = self.registry.world();
                let mut missing = Vec::new();
                for (position, each) in (first..end).zip(&wanted[first..end]) {
                    let name = each.name.to_str().ok_or_else(|| Error::missing(each.name));
                    match name.and_then(|name| InPlace::of(&world, name)) {
                        Ok(place) => asked.push(Asked { position, place }),
                        Err(error) => missing.push((position, error)),
                    }
                }
                missing
            };
            missing.into_iter().try_for_each(|(position, error)| take(position, Err(error)))?;
        }
        asked.sort_by_key(|asked| (asked.place.cell.id, asked.place.member));
        let mut rest = &asked[..];
        while !rest.is_empty() {
            let (read, answers) = self.fetch_next(wanted, rest);
            rest = &rest[read..];
            let mut goes_on = ControlFlow::Continue(());
            for (position, answer) in answers {
                let Wanted { name, query } = &wanted[position];
                let answer = answer.unwrap_or_else(|| match name.to_str() {
                    Some(name) => self.fetch_stretch(name, query),
                    None => Err(Error::missing(name)),
                });
                let taken = take(position, answer);
                goes_on = if goes_on.is_break() { goes_on } else { taken };
            }
            goes_on?;
        }
        ControlFlow::Continue(())
    }

    /// Answers the first of some queries, which are in the order of their places. Returns how many,
    /// and the answers; `None` where the database is to be asked by itself.
    fn fetch_next(&self, wanted: &[Wanted<'_>], asked: &[Asked]) -> (usize, Vec<Found>) {
        let cell = &asked[0].place.cell;
        let _nobody_writes = cell.reading_tiles();
        let (mut begun, attic) = {
            let (world, group) = (self.registry.world(), cell.group());
            let together =
                asked.chunk_by(|one, other| Arc::ptr_eq(&one.place.cell, &other.place.cell));
            let begun =
                begin_some(&world, &group, wanted, together.into_iter().next().unwrap_or_default());
            (begun, AtticView::of(&group))
        };
        let mut answers: Vec<&mut Answer> =
            begun.iter_mut().filter_map(|(_, answer)| answer.as_mut().ok()).collect();
        // What fails is told of each database as if it had been asked for alone.
        let is_read = self.complete_answers(cell, &attic, &mut answers).is_ok();
        let told = |(position, answer): (usize, Result<Answer, Error>)| {
            let answer = answer.ok().filter(|_| is_read).map(|answer| Ok(answer.stretch()));
            (position, answer)
        };
        (begun.len(), begun.into_iter().map(told).collect())
    }

    /// Reads the rows that answers lack. Those that stand on a damaged page stay unknown, and the
    /// store's report names it. The caller holds off flushes, which write tiles.
    pub(super) fn complete_answers(
        &self,
        cell: &Cell,
        attic: &AtticView,
        answers: &mut [&mut Answer],
    ) -> Result<(), Error> {
        let seen = answers.iter_mut().filter_map(|answer| match &mut answer.rows {
            Rows::Seen(view) => Some(view),
            Rows::Known(_) => None,
        });
        let mut views: Vec<&mut MemoryView> = seen.collect();
        self.files.read_tiles(cell, &mut views)?;
        self.files.take_from_attic(cell, attic, &mut views).map(drop)
    }
}

/// The position of a query, and its answer.
type Found = (usize, Option<Result<Stretch, Error>>);

/// Begins the answers to as many queries about one group as are to be read together: about so many
/// values.
fn begin_some(
    world: &World,
    group: &Group,
    wanted: &[Wanted<'_>],
    asked: &[Asked],
) -> Vec<(usize, Result<Answer, Error>)> {
    let tiles = group.geometry.shapes().iter().map(|shape| shape.tile_databases as u16);
    let widest = tiles.max().unwrap_or(1);
    let mut begun = Vec::new();
    let (mut values, mut column) = (0, None);
    for Asked { position, place } in asked {
        let is_full = match column == Some(place.member / widest) {
            true => values >= READ_AT_ONCE,
            false => values >= VALUES,
        };
        if is_full {
            break;
        }
        column = Some(place.member / widest);
        let Wanted { name, query } = &wanted[*position];
        let answer = Answer::begun(world, group, place, name, query, window_of_any_length);
        values += answer.as_ref().map_or(0, Answer::values);
        begun.push((*position, answer));
    }
    begun
}

impl Answer {
    /// What memory knows of the answer to a query.
    fn begun(
        world: &World,
        group: &Group,
        place: &InPlace,
        name: &Path,
        query: &Query,
        choose: Choose,
    ) -> Result<Self, Error> {
        let InPlace { member, generation, .. } = *place;
        let holder = group.member(member, generation).ok_or_else(|| Error::missing(name))?;
        let definition = Arc::clone(world.definition(holder.definition));
        let last_seconds = group.last_update(member).seconds;
        let window = choose(&definition, last_seconds, query)
            .map_err(|source| Error::Fetch { path: name.into(), source })?;
        Ok(Self::of_window(group, member, definition, window))
    }

    /// What memory knows of the rows of a window.
    pub(super) fn of_window(
        group: &Group,
        member: u16,
        definition: Arc<Definition>,
        window: Window,
    ) -> Self {
        let last_seconds = group.last_update(member).seconds;
        let archive = &definition.archives[window.archive];
        let held = window.held_by(archive.rows);
        let rows = match held.count {
            0 => Rows::Known(Vec::new()),
            _ if archive.cf.is_seasonal() => {
                Rows::Known(seasonal_rows(group, member, &definition, window.archive, held))
            }
            count => {
                let shape = group.geometry.shape_of(window.archive);
                let newest = group.newest_row(shape, group.pdp_of(last_seconds));
                let first_row = newest - held.first_age as i64;
                Rows::Seen(MemoryView::of(group, member, shape, first_row, count as usize))
            }
        };
        Self { definition, window, held, rows }
    }

    /// How many values it has.
    fn values(&self) -> usize {
        self.held.count as usize * self.definition.sources.len()
    }

    pub(super) fn stretch(self) -> Stretch {
        let rows = match self.rows {
            Rows::Known(rows) => rows,
            Rows::Seen(view) => view.into_values(),
        };
        Stretch::new(&self.window, &self.definition, self.held, rows)
    }
}

/// Rows of an archive of seasons, which are part of the live state.
fn seasonal_rows(
    group: &Group,
    member: u16,
    definition: &Definition,
    archive: usize,
    held: HeldRows,
) -> Vec<f64> {
    let mut state = group.states.room();
    group.states.copy(member, &mut state);
    let Some(rows) = seasons::rows(definition, &state.live, archive) else { return Vec::new() };
    let sources = definition.sources.len();
    let first = rows.len() - (held.first_age as usize + 1) * sources;
    rows[first..][..held.count as usize * sources].to_vec()
}
