//! The feeder: one connection, one lease, and the work of a feed as steps.

use sqlclient::{Address, Connection};
use sqlring::{Layout, is_fit};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use store::{Change, NamePattern};

use crate::Error;
use crate::batch::Batch;
use crate::books::Books;
use crate::changes::Changes;
use crate::lease::Lease;
use crate::load;
use crate::origin::Origin;
use crate::registry::{Newcomer, Registry};
use crate::tally::Tally;
use crate::visit::{Visited, visit};

/// Databases that are taken in together.
const NEW_AT_ONCE: usize = 1_000;

/// Feeds the databases of an origin. After an error of the database it is of no more use: another
/// one reads the tables anew.
pub struct Feeder {
    pub(crate) origin: Origin,
    connection: Box<dyn Connection>,
    lease: Lease,
    pub(crate) books: Books,
    batch: Batch,
    tally: Tally,
    /// The first database that could not be read, and why.
    unreadable: Option<String>,
    /// Databases that were not found when they were visited.
    missing: Vec<u32>,
    /// When the database was last shown that this feeder is alive.
    beaten: Instant,
}

/// How often a feeder shows that it is alive while it reads what brings no row.
const BEAT: Duration = Duration::from_secs(10);

/// Shown while work goes on: how much is done of how much. The work stops when it returns false.
pub type Progress<'p> = dyn FnMut(usize, usize) -> bool + 'p;

impl Feeder {
    /// Connects, and takes the right to feed. `feeder` is told to others that want it.
    ///
    /// # Errors
    /// The database cannot be reached, has no tables of gyre's or those of another store, or another
    /// process feeds it.
    pub fn open(origin: Origin, address: &Address, feeder: &str) -> Result<Self, Error> {
        let mut connection = address.connect()?;
        load::selection(&mut *connection)?;
        let there = load::place(&mut *connection)?;
        if there != origin.place() && !there.is_empty() && !origin.place().is_empty() {
            return Err(Error::OtherStore { there, here: origin.place().to_owned() });
        }
        let lease = Lease::take(address, &mut *connection, feeder)?;
        let books = load::books(&mut *connection)?;
        Ok(Self {
            origin,
            connection,
            lease,
            books,
            batch: Batch::default(),
            tally: Tally::default(),
            unreadable: None,
            missing: Vec::new(),
            beaten: Instant::now(),
        })
    }

    /// What was done.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The first database that could not be read, and why.
    #[must_use]
    pub fn unreadable(&self) -> Option<&str> {
        self.unreadable.as_deref()
    }

    /// How many databases are fed.
    #[must_use]
    pub fn databases(&self) -> usize {
        self.books.count()
    }

    /// Whether rows of databases that are gone are still to be deleted.
    #[must_use]
    pub fn has_trash(&self) -> bool {
        !self.books.trash.is_empty()
    }

    /// Has `changes` note the updates of all databases that are fed.
    pub(crate) fn note_all(&self, changes: &Changes) {
        let fed = self.books.iter();
        changes.know(fed.map(|(number, fed)| (self.origin.path(&fed.name), number)));
    }

    /// Compares the names of the store with those of the tables: takes in new databases, and removes
    /// those that are gone. Returns the numbers of the new ones.
    ///
    /// # Errors
    /// The store cannot be read, or the database fails.
    pub fn compare_names(&mut self, progress: &mut Progress<'_>) -> Result<Vec<u32>, Error> {
        let pattern = NamePattern::meant(&self.books.selection.names);
        let names = self.origin.names_like(&pattern)?;
        let there: HashSet<&str> = names.iter().map(String::as_str).collect();
        let gone = self.books.iter().filter(|(_, fed)| !there.contains(&*fed.name));
        let gone: Vec<u32> = gone.map(|(number, _)| number).collect();
        self.remove(&gone)?;
        let new: Vec<&String> =
            names.iter().filter(|name| self.books.number_of(name).is_none()).collect();
        let mut taken = Vec::new();
        for names in new.chunks(NEW_AT_ONCE) {
            taken.extend(self.take_in(names.iter().map(|name| name.as_str()))?);
            if !progress(taken.len(), new.len()) {
                return Err(Error::Stopped);
            }
        }
        Ok(taken)
    }

    /// Takes databases in, as far as archives of theirs are selected.
    pub(crate) fn take_in<'n>(
        &mut self,
        names: impl Iterator<Item = &'n str>,
    ) -> Result<Vec<u32>, Error> {
        let mut new = Vec::new();
        for name in names {
            if !is_fit(name) {
                self.tally.names_refused += 1;
                continue;
            }
            match self.origin.store().outline(&self.origin.path(name)) {
                Ok(outline) => {
                    let layout = Layout::of(&outline.definition, &self.books.selection);
                    if !layout.rings.is_empty() {
                        new.push(Newcomer { name: name.to_owned(), layout });
                    }
                }
                Err(error) if error.is_missing() => {}
                Err(error) => self.note_unreadable(name, &error),
            }
        }
        if new.is_empty() {
            return Ok(Vec::new());
        }
        self.tally.databases_begun += new.len() as u64;
        Ok(self.registry().take_in(new)?.collect())
    }

    pub(crate) fn remove(&mut self, numbers: &[u32]) -> Result<(), Error> {
        for numbers in numbers.chunks(NEW_AT_ONCE) {
            self.registry().remove(numbers)?;
            self.tally.databases_removed += numbers.len() as u64;
        }
        Ok(())
    }

    pub(crate) fn rename(&mut self, number: u32, to: &str) -> Result<(), Error> {
        self.registry().rename(number, to)?;
        self.tally.databases_renamed += 1;
        Ok(())
    }

    /// Begins a database anew if it has other archives, or in any case.
    pub(crate) fn begin_anew_if(&mut self, number: u32, change: Change<'_>) -> Result<(), Error> {
        let Some(fed) = self.books.get(number) else { return Ok(()) };
        let outline = match self.origin.store().outline(&self.origin.path(&fed.name)) {
            Ok(outline) => outline,
            // A visit finds out.
            Err(_) => return Ok(()),
        };
        let layout = Layout::of(&outline.definition, &self.books.selection);
        if change == Change::Replaced || layout != **self.books.layout(fed.layout) {
            self.begin_anew(number, layout)?;
        }
        Ok(())
    }

    /// Begins a database anew whatever was fed of it, and feeds it. Returns whether it is fed.
    ///
    /// # Errors
    /// The database fails.
    pub fn mend(&mut self, name: &str) -> Result<bool, Error> {
        let Some(number) = self.books.number_of(name) else { return Ok(false) };
        self.begin_anew_if(number, Change::Replaced)?;
        self.feed(&[number], &mut |_, _| true)?;
        Ok(true)
    }

    fn begin_anew(&mut self, number: u32, layout: Layout) -> Result<(), Error> {
        self.tally.databases_begun += 1;
        self.registry().begin_anew(number, layout)
    }

    /// The numbers of all databases.
    #[must_use]
    pub fn all(&self) -> Vec<u32> {
        self.books.iter().map(|(number, _)| number).collect()
    }

    /// Feeds what is new of databases, and commits it.
    ///
    /// # Errors
    /// The database fails, or the work was stopped.
    pub fn feed(&mut self, numbers: &[u32], progress: &mut Progress<'_>) -> Result<(), Error> {
        self.batch.clear();
        for (nth, &number) in numbers.iter().enumerate() {
            self.visit(number)?;
            if self.batch.is_full() || self.beaten.elapsed() > BEAT {
                self.commit()?;
                self.beat_if_due()?;
            }
            if nth % 64 == 0 && !progress(nth, numbers.len()) {
                return Err(Error::Stopped);
            }
        }
        self.commit()?;
        let missing = std::mem::take(&mut self.missing);
        self.remove(&missing)
    }

    fn visit(&mut self, number: u32) -> Result<(), Error> {
        match self.look(number) {
            Visited::Done => {}
            Visited::Missing => self.missing.push(number),
            Visited::Unreadable(error) => {
                let name = self.books.get(number).map(|fed| fed.name.clone());
                self.note_unreadable(name.as_deref().unwrap_or_default(), &error);
            }
            Visited::Other(layout) => {
                self.commit()?;
                self.begin_anew(number, layout)?;
                // Where it changes once more meanwhile, the next visit finds that out.
                let _: Visited = self.look(number);
            }
        }
        Ok(())
    }

    fn look(&mut self, number: u32) -> Visited {
        let dialect = self.connection.dialect();
        visit(&self.origin, &self.books, number, &mut self.batch, dialect)
    }

    fn commit(&mut self) -> Result<(), Error> {
        let Self { batch, books, connection, lease, tally, .. } = self;
        batch.commit(books, &mut **connection, lease, tally)
    }

    /// Deletes some rows of databases that are gone. Returns whether there were any.
    ///
    /// # Errors
    /// The database fails.
    pub fn take_out_trash(&mut self) -> Result<bool, Error> {
        self.registry().take_out_trash()
    }

    /// Shows the database that this feeder is alive, and finds out whether the database is.
    pub(crate) fn beat(&mut self) -> Result<(), Error> {
        self.connection.begin()?;
        self.lease.hold(&mut *self.connection)?;
        self.beaten = Instant::now();
        Ok(self.connection.commit()?)
    }

    fn beat_if_due(&mut self) -> Result<(), Error> {
        if self.beaten.elapsed() > BEAT { self.beat() } else { Ok(()) }
    }

    fn registry(&mut self) -> Registry<'_> {
        let Self { books, connection, lease, .. } = self;
        Registry { books, connection: &mut **connection, lease }
    }

    fn note_unreadable(&mut self, name: &str, error: &store::Error) {
        self.tally.unreadable += 1;
        self.unreadable.get_or_insert_with(|| format!("{name}: {error}"));
    }
}
