//! What others ask of an engine's databases: samples, changes, rows, whole databases.

use std::ops::ControlFlow;

use disk::{GoesOn, Medium};
use rrd::fetch::Query;
use rrd::{Definition, LiveState, Series, Snapshot, Stretch, Timestamp};
use rrdfile::Header;
use store::{
    Adoptee, AtOnce, Error, Making, NamePattern, NamesPage, NewDatabase, Outline, Refused,
    RowsSince, SourceTuning, TakeRows, Update, Wanted, Watch,
};

use super::Engine;

/// So many groups may wait for their flush before a thread that appends helps with one.
const DUE_MAX: usize = 64;

impl<M: Medium<File: 'static>> Engine<M> {
    /// Takes samples, in order for each name. Returns the failures with their positions in the
    /// batch; everything else is acknowledged as [`Sync`](super::Sync) says. Samples before a
    /// refused one are taken.
    ///
    /// Nothing is read from disk, and nothing but the log is written; but where very many groups
    /// wait for their flush, a thread that updates flushes one, so that memory stays bounded.
    pub fn update(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)> {
        self.take_batch(batch, None)
    }

    /// As [`Engine::update`], but takes no update of a group that is not replayed yet, or that
    /// another thread has; none at all where updates have to wait for flushes.
    pub fn update_at_once(&self, batch: &[Update<'_>]) -> AtOnce {
        if self.parts.due.count() > DUE_MAX {
            return AtOnce::none(batch.len());
        }
        let intake = self.parts.intake();
        if let Some(refused) = intake.refuse_where_stopped(batch) {
            return AtOnce { refused, left: Vec::new() };
        }
        let (at_hand, left) = intake.parted(batch);
        let taken: Vec<Update<'_>> = at_hand.iter().map(|nth| batch[*nth]).collect();
        let refused = intake.take_batch(&taken, None).into_iter();
        let refused = refused.map(|(nth, refused)| (at_hand[nth], refused)).collect();
        self.parts.log_bound().keep();
        AtOnce { refused, left }
    }

    /// Whether an update is acknowledged only once it is on disk.
    pub fn acknowledges_on_disk(&self) -> bool {
        self.parts.log.acknowledges_on_disk()
    }

    /// Takes samples of one database; `watch` sees each as it is taken, which may still turn out
    /// not to be acknowledged.
    ///
    /// # Errors
    /// As of [`Engine::update`].
    pub fn update_watched(
        &self,
        update: &Update<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Refused> {
        let mut refused = self.take_batch(std::slice::from_ref(update), Some(watch));
        refused.pop().map_or(Ok(()), |(_, refused)| Err(refused))
    }

    fn take_batch(
        &self,
        batch: &[Update<'_>],
        watch: Option<&mut Watch<'_>>,
    ) -> Vec<(usize, Refused)> {
        let intake = self.parts.intake();
        if let Some(refused) = intake.refuse_where_stopped(batch) {
            return refused;
        }
        let failures = intake.take_batch(batch, watch);
        self.keep_up();
        failures
    }

    /// Keeps memory and log within their bounds where updates come faster than flushes.
    fn keep_up(&self) {
        self.parts.log_bound().keep();
        if self.parts.due.count() > DUE_MAX {
            // What fails is tried again with the group's next flush, and told by the report.
            let _ = self.parts.flusher().flush_next();
        }
    }

    /// Makes a new database that has seen no update since `start`.
    ///
    /// # Errors
    /// [`Error::Exists`], [`Error::Name`], [`Error::Unfit`], and those of the machine: the database
    /// may then exist all the same.
    pub fn create(
        &self,
        name: &str,
        definition: &Definition,
        start: Timestamp,
    ) -> Result<(), Error> {
        let new = NewDatabase { name: name.as_ref(), definition, start };
        self.create_all(&[new]).pop().map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Makes new databases with one wait for the disk. Returns the failures with their positions.
    pub fn create_all(&self, new: &[NewDatabase<'_>]) -> Vec<(usize, Error)> {
        let making = new.iter().map(|new| Making::new(*new));
        self.make_all_while(&making.collect::<Vec<_>>(), &|| true)
    }

    /// Makes databases in their order, with one wait for the disk, in place of those that have
    /// their names where that is asked for, as long as `goes_on` says so. Returns the failures with
    /// their positions.
    ///
    /// A database that finds a group with room is made in any case. So is the first group that is
    /// missing, unless it is large: a client may say one line and leave without waiting for the
    /// reply. What is given up fails with [`Error::Io`], and leaves nothing.
    pub fn make_all_while(&self, new: &[Making<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Error)> {
        let failures = self.parts.maker().make_all(new, goes_on);
        self.parts.log_bound().keep();
        failures
    }

    /// Takes a database away. Its room is given to others once no checkpoint knows it any more.
    ///
    /// # Errors
    /// There is none of that name; those of the machine.
    pub fn delete(&self, name: &str) -> Result<(), Error> {
        self.parts.editor().delete(name)
    }

    /// Gives a database another name.
    ///
    /// # Errors
    /// There is none of that name, or one of the new name ([`Error::Exists`]); those of the
    /// machine.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), Error> {
        self.parts.editor().rename(from, to)
    }

    /// Changes heartbeat and limits of a data source, from the next update on.
    ///
    /// # Errors
    /// There is no database of that name; [`Error::Unfit`] if it has no such source, or one that is
    /// calculated; those of the machine.
    pub fn tune(&self, name: &str, tuning: &SourceTuning) -> Result<(), Error> {
        self.parts.editor().tune(name, tuning)
    }

    /// Whether there is a database of that name, be it one that does not answer.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.parts.registry.world().find(name).is_some()
    }

    /// Every name, sorted.
    ///
    /// # Errors
    /// [`Error::Catalogue`].
    pub fn names(&self) -> Result<Vec<String>, Error> {
        let all = NamePattern::beginning("");
        self.names_from(&all, "", usize::MAX).map(|page| page.names)
    }

    /// Names that match, sorted, from a text on: at most so many, of not many times as many that
    /// are looked at.
    ///
    /// # Errors
    /// [`Error::Catalogue`].
    pub fn names_from(
        &self,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error> {
        self.parts.committer().names_from(pattern, from, limit)
    }

    /// The rows that answer a query, to the last sample that was taken.
    ///
    /// # Errors
    /// There is no database of that name; it has no archive for the query; those of the machine.
    pub fn fetch(&self, name: &str, query: &Query) -> Result<Series, Error> {
        self.parts.reader().fetch(name, query)
    }

    /// The same without the rows that the archive does not hold: however long the stretch is, it
    /// takes no more memory than the archive.
    ///
    /// # Errors
    /// As [`Engine::fetch`], which has a limit besides.
    pub fn fetch_stretch(&self, name: &str, query: &Query) -> Result<Stretch, Error> {
        self.parts.reader().fetch_stretch(name, query)
    }

    /// The rows that answer many queries: those of databases that lie side by side are read
    /// together, each page once. Each answer is handed to `take` with its position.
    pub fn fetch_many(&self, wanted: &[Wanted<'_>], take: &mut TakeRows<'_>) -> ControlFlow<()> {
        self.parts.reader().fetch_many(wanted, take)
    }

    /// The rows that became final after a mark. Those that stand on a damaged page are unknown, and
    /// the store's report names it.
    ///
    /// # Errors
    /// There is no database of that name; those of the machine.
    pub fn rows_since(&self, name: &str, mark_seconds: i64) -> Result<RowsSince, Error> {
        self.parts.reader().rows_since(name, mark_seconds)
    }

    /// What memory knows of a database: nothing is read.
    ///
    /// # Errors
    /// There is no database of that name, or its group cannot be opened.
    pub fn outline(&self, name: &str) -> Result<Outline, Error> {
        self.parts.reader().outline(name)
    }

    /// Definition and live state.
    ///
    /// # Errors
    /// As [`Engine::snapshot`].
    pub fn describe(&self, name: &str) -> Result<(Definition, LiveState), Error> {
        self.parts.reader().describe(name)
    }

    /// The head of the file that a database would be: what an imported file had of its own, row
    /// pointers and all, is in it.
    ///
    /// # Errors
    /// There is no database of that name; what is known of its file is damaged; those of the
    /// machine.
    pub fn header(&self, name: &str) -> Result<Header, Error> {
        self.parts.reader().header(name)
    }

    /// The whole database.
    ///
    /// # Errors
    /// There is no database of that name; a tile of it is damaged; those of the machine.
    pub fn snapshot(&self, name: &str) -> Result<Snapshot, Error> {
        self.parts.reader().snapshot(name)
    }

    /// Puts a whole database in place of what stands under its name.
    ///
    /// # Errors
    /// [`Error::Name`], [`Error::Unfit`], and those of the machine; what was there is then
    /// untouched.
    pub fn restore(&self, name: &str, snapshot: &Snapshot) -> Result<(), Error> {
        self.restore_while(name, snapshot, &|| true)
    }

    /// As [`Engine::restore`], as long as `goes_on` says so: a large one takes minutes to write.
    ///
    /// # Errors
    /// As [`Engine::restore`]; [`Error::Io`] where it was given up, and then nothing is left of it.
    pub fn restore_while(
        &self,
        name: &str,
        snapshot: &Snapshot,
        goes_on: GoesOn<'_>,
    ) -> Result<(), Error> {
        let adoptee = Adoptee { name: name.into(), snapshot: snapshot.clone(), foreign: None };
        self.adopt_while(&[adoptee], goes_on)
    }

    /// Takes databases that can be members of one group, all or none, in place of what stands under
    /// their names.
    ///
    /// Several threads can do so at a time; only the first and the last steps exclude each other.
    ///
    /// # Errors
    /// As [`Engine::restore`]; [`Error::Exists`] if two have one name.
    ///
    /// # Panics
    /// If there is none, or more than [`ADOPTEES_MAX`](store::ADOPTEES_MAX), or they are of
    /// different groups.
    pub fn adopt(&self, adoptees: &[Adoptee]) -> Result<(), Error> {
        self.adopt_while(adoptees, &|| true)
    }

    /// As [`Engine::adopt`], as long as `goes_on` says so.
    ///
    /// # Errors
    /// As [`Engine::adopt`]; [`Error::Io`] where it was given up, and then nothing is left of it.
    ///
    /// # Panics
    /// As [`Engine::adopt`].
    pub fn adopt_while(&self, adoptees: &[Adoptee], goes_on: GoesOn<'_>) -> Result<(), Error> {
        self.parts.adopter().adopt(adoptees, goes_on)
    }

    /// Whether a name is held by what came from a file that was changed last at this moment, in
    /// nanoseconds since 1970; `None` if no database has it.
    ///
    /// # Errors
    /// [`Error::Catalogue`].
    pub fn came_from(&self, name: &str, modified_nanos: i64) -> Result<Option<bool>, Error> {
        self.parts.adopter().came_from(name, modified_nanos)
    }

    /// Gives a database another definition. Sources are the same that have the same name, archives
    /// those that have the same function and PDPs a row, in their order. What stays keeps its rows,
    /// the newest where they become fewer; new rows are unknown. Updates go on meanwhile, and none
    /// is lost.
    ///
    /// # Errors
    /// [`Error::Unfit`] if the step is another one; those of [`Engine::restore`]. The database is
    /// then as it was.
    pub fn reshape(&self, name: &str, definition: &Definition) -> Result<(), Error> {
        self.parts.adopter().reshape(name, definition)
    }

    /// Puts what `make` makes of a database in its place. Updates go on meanwhile, and none is
    /// lost: where one came just then, `make` is asked again. What a file that it came from had of
    /// its own is forgotten, but for its age.
    ///
    /// # Errors
    /// Those of `make`, and of [`Engine::restore`]. The database is then as it was.
    pub fn remake<E: From<Error>>(
        &self,
        name: &str,
        make: impl Fn(&Snapshot) -> Result<Snapshot, E>,
    ) -> Result<(), E> {
        self.parts.adopter().remake(name, make)
    }
}
