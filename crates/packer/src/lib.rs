//! Packages of gyre, from programs that cargo made.
//!
//! ```text
//! cargo build --> Binary (program, debug information) --> Contents --> .deb .rpm .tar.gz image
//! ```
//!
//! What is made depends on the programs, the files below `packaging/`, the version and one moment
//! alone: entries are sorted, owners are root, and every time is that of the commit. So two builds
//! of a commit are equal byte for byte.
#![allow(clippy::disallowed_methods)] // it starts programs and reads files

mod machine;
mod moment;
mod contents;
mod error;
mod building;
mod generated;
mod binary;
mod archive;
mod ar;
mod digest;
mod folding;
mod deb;
mod rpm;
mod tarball;
mod image;
pub mod product;
mod output;
mod source;
mod made;

pub use archive::{gzip, tar};
pub use binary::{Binary, Needs};
pub use building::{Care, Linking, Workshop};
pub use contents::{Contents, Item};
pub use error::{Misuse, PackError};
pub use machine::Machine;
pub use made::{Format, Order, make};
pub use moment::Moment;
pub use output::Output;
pub use product::{Metadata, Product, Script};
pub use source::Source;

pub use self::deb::deb;
pub use self::image::image;
pub use self::rpm::rpm;
pub use self::tarball::tarball;
