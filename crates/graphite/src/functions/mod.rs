//! The functions: each file has rows of the table beside what they do.

mod combine;
mod group;
mod percent;
mod transform;
mod difference;
mod null;
mod window;
mod percentile;
mod summarize;
mod forecast;
mod regression;
mod filter;
mod sort;
mod alias;
mod shift;
mod constant;
mod draw;

pub(crate) use combine::AGGREGATORS;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::function::Function;

/// All functions, by name.
pub(crate) fn all() -> &'static BTreeMap<&'static str, &'static Function> {
    static ALL: LazyLock<BTreeMap<&'static str, &'static Function>> = LazyLock::new(|| {
        let tables = [
            combine::FUNCTIONS,
            group::FUNCTIONS,
            percent::FUNCTIONS,
            transform::FUNCTIONS,
            difference::FUNCTIONS,
            null::FUNCTIONS,
            window::FUNCTIONS,
            percentile::FUNCTIONS,
            summarize::FUNCTIONS,
            forecast::FUNCTIONS,
            regression::FUNCTIONS,
            filter::FUNCTIONS,
            sort::FUNCTIONS,
            alias::FUNCTIONS,
            shift::FUNCTIONS,
            constant::FUNCTIONS,
            draw::FUNCTIONS,
        ];
        tables.into_iter().flatten().map(|it| (it.name, it)).collect()
    });
    &ALL
}

/// A function by its name.
pub(crate) fn named(name: &str) -> Option<&'static Function> {
    all().get(name).copied()
}

/// Whether a function joins series, so that groups of series may name it.
pub(crate) fn is_aggregator(name: &str) -> bool {
    AGGREGATORS.contains(&name)
}
