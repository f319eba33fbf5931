//! Feeding while a store is being updated.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use store::{Change, NamePattern};

use crate::Error;
use crate::changes::{Changes, Event, News};
use crate::feeder::Feeder;

/// How often a feeder that follows a store looks up.
#[derive(Clone, Copy, Debug)]
pub struct Paces {
    /// From one round to the next at least, so that rows gather for a transaction.
    pub round: Duration,
    /// The longest rest after a round. A round that took long is followed by a rest of twice its
    /// time: several rows of a series are then written at once, into pages that lie together.
    pub rest_max: Duration,
    /// How often a feeder shows that it is alive where there is nothing to feed.
    pub beat: Duration,
    /// How often all databases are looked at, whatever was noted.
    pub all: Duration,
    /// From a failure to the next attempt, the first time.
    pub pause: Duration,
    /// The same at most; it doubles from attempt to attempt.
    pub pause_max: Duration,
}

impl Default for Paces {
    fn default() -> Self {
        Self {
            round: Duration::from_secs(1),
            rest_max: Duration::from_millis(2_500),
            beat: Duration::from_secs(10),
            all: Duration::from_secs(3600),
            pause: Duration::from_secs(1),
            pause_max: Duration::from_secs(60),
        }
    }
}

/// How long a feeder sleeps before it asks whether it is to stop.
const NAP: Duration = Duration::from_millis(50);

impl Feeder {
    /// Feeds what `changes` notes until `goes_on` returns false.
    ///
    /// # Errors
    /// The database fails.
    pub(crate) fn follow(
        &mut self,
        changes: &Changes,
        paces: &Paces,
        goes_on: &dyn Fn(&Self) -> bool,
    ) -> Result<(), Error> {
        self.look_at_all(changes, goes_on)?;
        let (mut beaten, mut seen_all) = (Instant::now(), Instant::now());
        while goes_on(self) {
            let round = Instant::now();
            if changes.has_news() {
                let news = changes.take();
                self.feed_news(changes, news, goes_on)?;
                beaten = Instant::now();
            } else if self.take_out_trash()? {
                continue;
            } else if seen_all.elapsed() >= paces.all {
                self.look_at_all(changes, goes_on)?;
                seen_all = Instant::now();
            } else if beaten.elapsed() >= paces.beat {
                self.beat()?;
                beaten = Instant::now();
            }
            let worked = round.elapsed();
            let until = paces.round.max(worked + (worked * 2).min(paces.rest_max));
            while round.elapsed() < until && goes_on(self) {
                thread::sleep(NAP);
            }
        }
        Ok(())
    }

    /// Compares all names and feeds all databases.
    fn look_at_all(
        &mut self,
        changes: &Changes,
        goes_on: &dyn Fn(&Self) -> bool,
    ) -> Result<(), Error> {
        self.compare_names(&mut |_, _| true)?;
        // What is noted from here on is fed later, what came before is seen now.
        self.note_all(changes);
        let all = self.all();
        for numbers in all.chunks(1_000) {
            self.feed(numbers, &mut |_, _| true)?;
            if !goes_on(self) {
                return Ok(());
            }
        }
        Ok(())
    }

    fn feed_news(
        &mut self,
        changes: &Changes,
        mut news: News,
        goes_on: &dyn Fn(&Self) -> bool,
    ) -> Result<(), Error> {
        let updated = std::mem::take(&mut news.updated); // they are not put back
        let done = self.feed_all_of(changes, updated, &news, goes_on);
        if done.is_err() {
            changes.put_back(news);
        }
        done
    }

    fn feed_all_of(
        &mut self,
        changes: &Changes,
        mut updated: Vec<u32>,
        news: &News,
        goes_on: &dyn Fn(&Self) -> bool,
    ) -> Result<(), Error> {
        for event in &news.events {
            updated.extend(self.take_event(changes, event)?);
        }
        for path in &news.replaced {
            updated.extend(self.begin(changes, path, Change::Replaced)?);
        }
        if news.all_replaced {
            for number in self.all() {
                self.begin_anew_if(number, Change::Replaced)?;
            }
        }
        if news.is_unsure || news.all_replaced {
            return self.look_at_all(changes, goes_on);
        }
        updated.sort_unstable();
        updated.dedup();
        self.feed(&updated, &mut |_, _| true)
    }

    /// Does what a change asks for. Returns the number of a database that is to be visited.
    fn take_event(&mut self, changes: &Changes, event: &Event) -> Result<Option<u32>, Error> {
        match event {
            Event::Made(path) => self.begin(changes, path, Change::Made),
            Event::Tuned(path) => self.begin(changes, path, Change::Tuned),
            Event::Deleted(path) => {
                self.forget(changes, path)?;
                Ok(None)
            }
            Event::Renamed { from, to } => self.take_rename(changes, from, to),
        }
    }

    fn take_rename(
        &mut self,
        changes: &Changes,
        from: &Path,
        to: &Path,
    ) -> Result<Option<u32>, Error> {
        let number = self.origin.name(from).and_then(|name| self.books.number_of(&name));
        let name = self.fitting(to);
        // Later events may have happened to the same names already: what the store has counts.
        let free = |name: &String| self.books.number_of(name).is_none();
        let (Some(number), Some(name)) = (number, name.filter(free)) else {
            self.forget(changes, from)?;
            return self.begin(changes, to, Change::Made);
        };
        self.rename(number, &name)?;
        changes.remove(from);
        changes.add(to, number);
        Ok(Some(number))
    }

    /// The name of a path, if it can be in a table and is selected.
    fn fitting(&self, path: &Path) -> Option<String> {
        let name = self.origin.name(path)?;
        let is_selected = NamePattern::meant(&self.books.selection.names).matches(&name);
        (is_selected && sqlring::is_fit(&name)).then_some(name)
    }

    fn begin(
        &mut self,
        changes: &Changes,
        path: &Path,
        change: Change<'_>,
    ) -> Result<Option<u32>, Error> {
        let Some(name) = self.fitting(path) else { return Ok(None) };
        if let Some(number) = self.books.number_of(&name) {
            self.begin_anew_if(number, change)?;
            return Ok(Some(number));
        }
        let new = self.take_in(std::iter::once(name.as_str()))?.first().copied();
        if let Some(number) = new {
            changes.add(path, number);
        }
        Ok(new)
    }

    fn forget(&mut self, changes: &Changes, path: &Path) -> Result<(), Error> {
        let name = self.origin.name(path);
        let Some(number) = name.and_then(|name| self.books.number_of(&name)) else {
            return Ok(());
        };
        // It may have been made again since.
        if self.origin.store().has(path) {
            return self.begin_anew_if(number, Change::Replaced);
        }
        changes.remove(path);
        self.remove(&[number])
    }
}
