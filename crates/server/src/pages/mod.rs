//! The pages. Each is made from a [`crate::view::View`] only.

pub(crate) mod times;
mod switches;
mod frame;
mod index;
mod target;
mod status;
mod problem;
pub(crate) mod path;

pub(crate) use frame::Frame;
pub(crate) use index::{Question, index};
pub(crate) use problem::problem;
pub(crate) use status::status;
pub(crate) use target::target;
