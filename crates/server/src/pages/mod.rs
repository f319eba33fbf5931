//! The pages. Each is made from a [`crate::view::View`] only.

pub(crate) mod times;
mod switches;
mod search_box;
mod frame;
mod index;
mod devices;
mod device;
mod multiples;
mod chart;
mod target;
mod compare;
mod status;
mod store;
mod top_devices;
mod top_limits;
mod top;
mod problem;
pub(crate) mod path;

pub(crate) use chart::{ChartFigure, ChartSection, Export, Written};
pub(crate) use compare::compare;
pub(crate) use device::{DeviceQuestion, device};
pub(crate) use devices::{DevicesQuestion, devices};
pub(crate) use frame::Frame;
pub(crate) use index::{Question, index};
pub(crate) use problem::problem;
pub(crate) use search_box::SearchBox;
pub(crate) use status::status;
pub(crate) use store::store;
pub(crate) use target::target;
pub(crate) use top::top;
