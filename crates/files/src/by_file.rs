//! Many queries at once, answered file by file.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use store::{Error, TakeRows, Wanted};

use crate::RrdFile;

/// The positions of queries by the databases that they ask, in the order in which the files lie on
/// disk, as far as that follows from when they were made. `order` tells a name's place in that
/// order; names without one come first.
pub(crate) fn by_file<O: Ord>(
    wanted: &[Wanted<'_>],
    order: impl Fn(&Path) -> Option<O>,
) -> impl Iterator<Item = Vec<usize>> {
    let mut of_name: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (position, each) in wanted.iter().enumerate() {
        of_name.entry(each.name).or_default().push(position);
    }
    let is_alone = of_name.len() == 1;
    let placed = of_name.into_iter();
    let placed =
        placed.map(|(name, positions)| (if is_alone { None } else { order(name) }, positions));
    let mut placed: Vec<(Option<O>, Vec<usize>)> = placed.collect();
    placed.sort_by(|(one, _), (other, _)| one.cmp(other));
    placed.into_iter().map(|(_, positions)| positions)
}

/// Answers queries about one file, which is opened once for them by `open`.
pub(crate) fn from_file(
    wanted: &[Wanted<'_>],
    positions: &[usize],
    open: impl Fn(&Path) -> Result<RrdFile, Error>,
    take: &mut TakeRows<'_>,
) -> ControlFlow<()> {
    let mut file = None;
    positions.iter().try_for_each(|position| {
        let Wanted { name, query } = &wanted[*position];
        let opened = match file.take() {
            Some(file) => Ok(file),
            None => open(name),
        };
        take(*position, opened.and_then(|opened| file.insert(opened).fetch_stretch(query)))
    })
}
