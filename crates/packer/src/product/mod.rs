//! What each package consists of.

mod relation;
mod script;
mod gyre;
mod compat;
mod librrd;
mod papers;

use crate::{Contents, Machine, PackError, Source};

pub use compat::{NAMES, compat};
pub use gyre::gyre;
pub use librrd::librrd;
pub(crate) use papers::MAINTAINER;
pub use relation::{Relation, RelationKind};
pub use script::Script;

/// The systems that packages are for: they differ in directories, scripts and names of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Debian and what is made of it.
    Debian,
    /// Fedora, Red Hat, SUSE and what is made of them.
    Rpm,
}

/// What a package tells of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: String,
    /// The only machine that it is for; `None` for all.
    pub machine: Option<Machine>,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// The same in paragraphs of a line each.
    pub description: &'static str,
    /// Debian's section.
    pub section: &'static str,
}

/// A package that is not written yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// What it tells of itself.
    pub metadata: Metadata,
    /// How it stands to other packages.
    pub relations: Vec<Relation>,
    /// What runs while it is installed and removed.
    pub scripts: Vec<Script>,
    /// The files.
    pub contents: Contents,
}

impl Product {
    /// Reads its scripts and puts its papers in their places.
    fn finish(mut self, family: Family, source: &Source) -> Result<Self, PackError> {
        self.scripts = script::read(self.metadata.name, family, source)?;
        papers::add(&mut self.contents, &self.metadata, family, source)?;
        Ok(self)
    }
}
