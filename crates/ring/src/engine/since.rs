//! The rows of a database that became final after a mark.

use std::sync::Arc;

use disk::Medium;
use rrd::fetch::window_since;
use rrd::{Archive, Definition};
use store::{Error, RowsSince};

use super::attic::AtticView;
use super::fetch::Answer;
use super::read::{InPlace, Reader};

impl<M: Medium<File: 'static>> Reader<'_, M> {
    /// The rows that became final after a mark. Those that stand on a damaged page are unknown, and
    /// the store's report names it.
    ///
    /// # Errors
    /// There is no database of that name; those of the machine.
    pub(super) fn rows_since(&self, name: &str, mark_seconds: i64) -> Result<RowsSince, Error> {
        self.read_in_place(name, |place| {
            let InPlace { cell, member, generation } = place;
            let _nobody_writes = cell.reading_tiles();
            let (definition, last_update, mut answers, attic) = {
                let (world, group) = (self.registry.world(), cell.group());
                let holder =
                    group.member(*member, *generation).ok_or_else(|| Error::missing(name))?;
                let definition = Arc::clone(world.definition(holder.definition));
                let last_update = group.last_update(*member);
                let answer = |(nth, archive): (usize, &Archive)| {
                    let window = window_since(&definition, nth, last_update.seconds, mark_seconds);
                    let definition = Arc::clone(&definition);
                    let begun = || Answer::of_window(&group, *member, definition, window);
                    (!archive.cf.is_seasonal()).then(begun)
                };
                let answers: Vec<Option<Answer>> =
                    definition.archives.iter().enumerate().map(answer).collect();
                (Definition::clone(&definition), last_update, answers, AtticView::of(&group))
            };
            let mut read: Vec<&mut Answer> = answers.iter_mut().flatten().collect();
            self.complete_answers(cell, &attic, &mut read)?;
            let archives = answers.into_iter().map(|answer| answer.map(Answer::stretch)).collect();
            Ok(RowsSince { definition, last_update, archives })
        })
    }
}
