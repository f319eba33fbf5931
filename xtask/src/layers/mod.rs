//! A crate depends only on the layers below it: the table of layers, and the check of it.

mod table;
mod check;

pub(crate) use check::violations;
pub(crate) use table::{Crate, Layer, TABLE};
