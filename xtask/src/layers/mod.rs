//! A crate depends only on the layers below it: the table, and the check that holds it true.

mod table;
mod check;

pub(crate) use check::violations;
pub(crate) use table::{Crate, Layer, TABLE};
