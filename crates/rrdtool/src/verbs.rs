//! All verbs of rrdtool, by name.

use crate::verb::Verb;
use crate::{
    create, dump, fetch, first, flushcached, graph, graphv, info, last, lastupdate, list, resize,
    restore, tune, update, updatev, xport,
};

/// Every verb, in the order of the help.
pub const VERBS: [&Verb; 17] = [
    &create::VERB,
    &update::VERB,
    &updatev::VERB,
    &graph::VERB,
    &graphv::VERB,
    &tune::VERB,
    &resize::VERB,
    &dump::VERB,
    &restore::VERB,
    &last::VERB,
    &lastupdate::VERB,
    &first::VERB,
    &info::VERB,
    &list::VERB,
    &fetch::VERB,
    &xport::VERB,
    &flushcached::VERB,
];

/// The verb of a name.
pub fn find(name: &str) -> Option<&'static Verb> {
    VERBS.into_iter().find(|verb| verb.name == name)
}
