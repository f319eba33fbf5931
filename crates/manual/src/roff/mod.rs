//! Pages as roff, by the macros of man(7), which groff and mandoc both read.

mod escape;
mod body;
mod inline;

pub(crate) use body::put_body;
pub(crate) use escape::{escaped, put_lines, put_verbatim};
