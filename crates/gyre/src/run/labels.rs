//! The labels that a configuration gives to the series of its targets.

use std::sync::Arc;

use lookup::{DATABASE_LABEL, MoreLabels, Rules};
use server::Site;

/// The label with a target's name.
const TARGET: &str = "target";
/// The label with the name of a target's device.
const DEVICE: &str = "device";

/// Gives each database the labels of its target.
pub(super) fn of_targets(site: Arc<dyn Site>) -> Box<MoreLabels> {
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

/// All labels of a database's series but its name, as queries see them.
pub(super) fn of_series(site: Arc<dyn Site>, rules: Rules) -> Box<MoreLabels> {
    let of_targets = of_targets(site);
    Box::new(move |database| {
        let (naming, _) = rules.naming(database);
        let name = database.strip_suffix(".rrd").unwrap_or(database);
        let name = (DATABASE_LABEL.to_owned(), name.to_owned());
        naming.labels.into_iter().chain(of_targets(database)).chain([name]).collect()
    })
}
