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
        let target = site.catalogue().find(name).filter(|target| *target.database == *database);
        target.map_or_else(Vec::new, |target| {
            let labels = [(TARGET, &*target.name), (DEVICE, &*target.device)];
            labels.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
        })
    })
}
