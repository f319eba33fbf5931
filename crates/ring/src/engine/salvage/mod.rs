//! Making a store open again that is refused, by giving up what is damaged, and saying what that
//! is.
//!
//! In this order: the catalogue; groups without a checkpoint; files of groups that are missing; the
//! log, read past its damage; then everything is written to checkpoints, tiles and pages of attics
//! that cannot be read are made unknown, and the log, which is needed no more, begins anew.

mod files;
mod pages;
mod log;
mod names;

use disk::{AnyMedium, Medium};
use geometry::Pace;
use journal::is_segment;
use store::Damage;
use store::Error;

use self::files::{mend_attic, mend_files};
use self::log::{Cover, journal_given_up, remove_segments};
use super::committer::Committer;
use super::found::Found;
use super::group_files::GroupFiles;
use super::load::{Bodies, Extent, Loading};
use super::registry::Registry;
use super::{Engine, RingOptions};
use crate::catalogue::{Catalogue, FILE, mend};

/// Gives up what is damaged in a store that was opened for it.
pub(super) struct Salvager<'e, M: Medium> {
    pub(super) files: &'e GroupFiles<M>,
    pub(super) registry: &'e Registry<M>,
    pub(super) committer: Committer<'e, M>,
    pub(super) found: &'e Found,
}

/// What a salvage came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// What is given up.
    pub given_up: Vec<GivenUp>,
    /// What was mended without a loss.
    pub mended: Vec<Damage>,
    /// Databases that the store holds afterwards.
    pub databases: usize,
    /// What is damaged even then.
    pub remaining: Vec<Damage>,
}

/// Something that is given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// Where it stood, and what that means.
    pub damage: Damage,
    /// The databases that lose something by it, as far as they are known, by name.
    pub databases: Vec<String>,
    /// Whether these databases are gone altogether.
    pub whole: bool,
}

impl Salvaged {
    fn give_up(&mut self, file: &str, offset_bytes: Option<u64>, what: String) -> &mut GivenUp {
        let damage = Damage { file: file.into(), offset_bytes, what };
        self.given_up.push(GivenUp { damage, databases: Vec::new(), whole: false });
        self.given_up.last_mut().expect("it was just put there")
    }

    fn mend(&mut self, file: &str, offset_bytes: Option<u64>, what: impl Into<String>) {
        self.mended.push(Damage { file: file.into(), offset_bytes, what: what.into() });
    }

    /// Damage of the log behind which everything is in checkpoints.
    fn mend_log(&mut self, damage: &Damage) {
        let what = format!("{}; nothing of it is needed", damage.what);
        self.mend(&damage.file, damage.offset_bytes, what);
    }

    /// The files that hold what is given up or mended, as far as there are any.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let given_up = self.given_up.iter().map(|each| &each.damage);
        let mut files: Vec<String> =
            given_up.chain(&self.mended).map(|damage| damage.file.clone()).collect();
        files.sort();
        files.dedup();
        files
    }
}

/// Makes the store in a directory open and sound, giving up what is damaged.
///
/// # Errors
/// What cannot be salvaged: no root of the catalogue is whole; those of the machine.
pub fn salvage(medium: &AnyMedium, options: RingOptions) -> Result<Salvaged, Error> {
    let mut salvaged = Salvaged::default();
    mend_catalogue(medium, &mut salvaged)?;
    let cover = settle_groups(medium, &mut salvaged)?;
    let mut options = RingOptions { replay_threads: 0, give_up: true, ..options };
    let engine = Engine::open_store(medium.clone(), options)?;
    let salvager = engine.parts.salvager();
    salvager.registry.replay_all();
    // The log may count more pages than the checkpoints do.
    let cells = salvager.registry.cells();
    cells.iter().try_for_each(|cell| mend_attic(medium, cell, &mut salvaged))?;
    let log_damage = engine.parts.log.journal.damage();
    journal_given_up(log_damage, salvager.found, &cover, &mut salvaged);
    let journal_was_damaged = !log_damage.is_empty();
    salvager.give_up_groups(&mut salvaged)?;
    salvager.give_up_names(&mut salvaged)?;
    // Both places of each group are written.
    engine.checkpoint()?;
    engine.checkpoint()?;
    engine.end()?;
    salvager.give_up_lost_rows(&mut salvaged)?;
    let (of_log, of_pages): (Vec<_>, Vec<_>) =
        engine.verify(|_, _| ())?.damage.into_iter().partition(|each| is_segment(&each.file));
    of_pages.iter().try_for_each(|damage| salvager.give_up_page(damage, &mut salvaged))?;
    engine.checkpoint()?;
    engine.end()?;
    drop(engine);
    if !journal_was_damaged {
        // Opening passes over segments of which it needs nothing.
        of_log.iter().for_each(|damage| salvaged.mend_log(damage));
    }
    if journal_was_damaged || !of_log.is_empty() {
        remove_segments(medium)?;
    }
    options.give_up = false;
    let engine = Engine::open_store(medium.clone(), options)?;
    salvaged.remaining = engine.verify(|_, _| ())?.damage;
    salvaged.databases = engine.report().databases;
    engine.end()?;
    Ok(salvaged)
}

fn mend_catalogue(medium: &AnyMedium, salvaged: &mut Salvaged) -> Result<(), Error> {
    let error = match Catalogue::open(medium) {
        Ok(_) => return Ok(()),
        Err(error) if error.is_damage() => error,
        Err(error) => return Err(error.into()),
    };
    if !mend(medium)? {
        return Err(error.into());
    }
    let what = format!("{error}; its other root is whole, and the journal has what came since");
    salvaged.mend(FILE, None, what);
    Ok(())
}

/// Gives groups their missing files back. Returns how far the log is covered by checkpoints.
fn settle_groups(medium: &AnyMedium, salvaged: &mut Salvaged) -> Result<Cover, Error> {
    let catalogue = Catalogue::open(medium)?;
    let meta = *catalogue.meta();
    let pace = Pace { flush_cycles: meta.flush_cycles, tile_rows_max: meta.tile_rows_max };
    let loading = Loading::of(&catalogue, medium, (pace, 0), Extent::All, Bodies::Now)?;
    for cell in loading.world.cells() {
        mend_files(medium, cell, salvaged)?;
    }
    let cover = Cover::of(&loading.world);
    catalogue.close()?;
    Ok(cover)
}
