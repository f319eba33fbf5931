//! The labels that a configuration gives to the series of its targets.

use std::sync::Arc;

use server::Site;

/// The label with a target's name.
const TARGET: &str = "target";
/// The label with the name of a target's device.
const DEVICE: &str = "device";

/// Gives each database the labels of its target.
pub(super) fn of_targets(site: Arc<dyn Site>) -> Box<lookup::MoreLabels> {
    Box::new(move |database| {
        // A database is called as its target is, behind the target's directory.
        let file = database.rsplit('/').next().unwrap_or(database);
        let name = file.strip_suffix(".rrd").unwrap_or(file);
        let found = site.catalogue().find_labelled(name);
        let found = found.filter(|(target, _)| *target.database == *database);
        found.map_or_else(Vec::new, |(target, own)| {
            let given = [(DEVICE, &*target.device), (TARGET, &*target.name)];
            let given = given.map(|(name, value)| (name.to_owned(), value.to_owned()));
            // Later ones count: an operator may call a device as it is called elsewhere.
            given.into_iter().chain(own).collect()
        })
    })
}
