//! What the catalogue is to learn, and how it learns it though it may fail.

use std::collections::HashSet;
use std::time::Instant;

use disk::Medium;
use geometry::LayoutKey;
use journal::LogPosition;
use store::Error;

use crate::catalogue::{Catalogue, CatalogueError, Changes};

/// Under this name stands the number of the last commit.
const COMMITS: &str = "commits";

/// What is done to the catalogue, one thing after the other.
#[derive(Debug)]
pub(super) struct CatalogueWriter {
    /// `None` after a failure, until it is opened again.
    catalogue: Option<Catalogue>,
    /// What the catalogue does not have yet.
    pub(super) changes: Changes,
    /// The number of a commit that failed, and how many of the changes it was to make.
    attempted: Option<(u64, usize)>,
    /// The first record that the catalogue does not have yet.
    pub(super) pending_from: Option<LogPosition>,
    /// Layouts of which a thread makes a group just now.
    pub(super) making: HashSet<LayoutKey>,
    /// When the catalogue was committed last, if the store was copied then.
    pub(super) committed_while_held: Option<Instant>,
}

impl CatalogueWriter {
    pub(super) fn new(
        catalogue: Catalogue,
        changes: Changes,
        pending_from: Option<LogPosition>,
    ) -> Self {
        Self {
            catalogue: Some(catalogue),
            changes,
            attempted: None,
            pending_from,
            making: HashSet::new(),
            committed_while_held: None,
        }
    }

    /// Whether the catalogue was opened to look a few things up.
    pub(super) fn is_in_part(&self) -> bool {
        self.catalogue.as_ref().is_some_and(Catalogue::is_in_part)
    }

    /// Makes all changes in one commit; records before `applied` are then in the catalogue.
    pub(super) fn commit<M: Medium<File: 'static>>(
        &mut self,
        medium: &M,
        applied: LogPosition,
    ) -> Result<(), Error> {
        let number = self.look(medium, number_of)? + 1;
        if self.changes.is_empty() {
            return Ok(());
        }
        self.changes.put_named(COMMITS, number.to_le_bytes().to_vec());
        self.attempted = Some((number, self.changes.len()));
        let changes = std::mem::take(&mut self.changes);
        let done = self.look(medium, |catalogue| {
            catalogue.commit(&changes, applied)?;
            // Once more, so that both of its roots have the changes: which of them is the valid one
            // is told by one bit, and that may rot.
            catalogue.commit(&Changes::new(), applied)
        });
        self.changes = changes;
        if done.is_err() && self.catalogue.is_some() {
            self.attempted = None; // it was refused
        }
        done?;
        self.learned(self.changes.len());
        Ok(())
    }

    /// Has the catalogue say that it has everything before `applied`, which is so where nothing is
    /// pending.
    pub(super) fn advance<M: Medium<File: 'static>>(
        &mut self,
        medium: &M,
        applied: LogPosition,
    ) -> Result<(), Error> {
        self.look(medium, |catalogue| {
            if catalogue.applied()? >= applied {
                return Ok(());
            }
            // Twice, as any commit.
            catalogue.commit(&Changes::new(), applied)?;
            catalogue.commit(&Changes::new(), applied)
        })
    }

    /// Works with the catalogue. One that failed is opened again: it has the last commit that
    /// succeeded, or the one that failed.
    pub(super) fn look<M: Medium<File: 'static>, T>(
        &mut self,
        medium: &M,
        work: impl FnOnce(&Catalogue) -> Result<T, CatalogueError>,
    ) -> Result<T, Error> {
        let catalogue = match self.catalogue.take() {
            Some(catalogue) => catalogue,
            None => self.open_again(medium)?,
        };
        let done = work(&catalogue);
        let failed = matches!(
            done,
            Err(CatalogueError::Io { .. }
                | CatalogueError::Damaged { .. }
                | CatalogueError::Unusable { .. })
        );
        if !failed {
            self.catalogue = Some(catalogue);
        }
        Ok(done?)
    }

    /// Reads all of the catalogue again and checks it.
    pub(super) fn check<M: Medium<File: 'static>>(
        &mut self,
        medium: &M,
    ) -> Result<(), CatalogueError> {
        let mut catalogue = match self.catalogue.take() {
            Some(catalogue) => catalogue,
            None => self.open_again(medium)?,
        };
        catalogue.check()?;
        self.catalogue = Some(catalogue);
        Ok(())
    }

    fn open_again<M: Medium<File: 'static>>(
        &mut self,
        medium: &M,
    ) -> Result<Catalogue, CatalogueError> {
        let catalogue = Catalogue::open(medium)?;
        if let Some((number, count)) = self.attempted {
            let succeeded = number_of(&catalogue)? == number;
            self.learned(if succeeded { count } else { 0 });
        }
        Ok(catalogue)
    }

    /// The catalogue has so many of the changes.
    fn learned(&mut self, count: usize) {
        self.attempted = None;
        self.changes.forget_first(count);
        if self.changes.is_empty() {
            self.pending_from = None;
        }
    }
}

fn number_of(catalogue: &Catalogue) -> Result<u64, CatalogueError> {
    let bytes = catalogue.named(COMMITS)?.unwrap_or_default();
    Ok(bytes.try_into().map_or(0, u64::from_le_bytes))
}
