//! What lists of the first targets keep between two requests.

use ::ranks::{Jobs, Newest};

use crate::Catalogue;

/// What is kept between two requests.
#[derive(Default)]
pub(crate) struct RankState {
    pub(crate) newest: Newest<Catalogue>,
    pub(crate) jobs: Jobs,
}
