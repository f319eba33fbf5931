//! PRINT and GPRINT formats: one number, an optional SI unit, and text. They are read here and
//! never reach a C `printf`.

mod duration;
mod image_info;
mod number;
mod scale;
mod time;

pub(crate) use duration::duration;
pub(crate) use image_info::ImageInfo;
pub(crate) use number::NumberFormat;
pub(crate) use scale::{Scale, si_unit};
pub(crate) use time::{strftime, strftime_never, timestamp};
