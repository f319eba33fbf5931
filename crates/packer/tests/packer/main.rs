//! Packages of made-up programs: what is in them, and that they are the same each time.
#![allow(clippy::disallowed_methods)] // the tests read files and start programs

mod made_up;
mod in_archives;
mod in_debs;
mod in_rpms;
mod in_images;
mod binaries;
mod scripts;
