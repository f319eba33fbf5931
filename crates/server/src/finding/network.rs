//! Where targets stand: sites, their devices, the targets of each.

use std::borrow::Cow;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use super::natural::natural_order;
use super::seen::Bits;
use crate::Target;

/// The label that names a site.
const SITE: &str = "site";

/// All sites and devices.
#[derive(Debug, Default)]
pub(crate) struct Network {
    /// In the order of their names.
    sites: Vec<SiteEntry>,
    /// In the order in which the configuration first mentions them.
    devices: Vec<DeviceEntry>,
    by_name: HashMap<Arc<str>, u32>,
    /// The device of each target.
    device_of: Vec<u32>,
    /// The site of each target, by its position among the names.
    site_of: Vec<u32>,
    site_names: Vec<Arc<str>>,
    by_site: HashMap<Arc<str>, u32>,
}

/// A site and its devices.
#[derive(Clone, Debug)]
pub(crate) struct SiteEntry {
    /// Empty for devices of which no site is known.
    pub(crate) name: String,
    /// In the order of their names.
    devices: Vec<u32>,
}

/// What targets are measured from.
#[derive(Debug)]
pub(crate) struct DeviceEntry {
    pub(crate) name: Arc<str>,
    /// Its position in the status; `None` for several together.
    pub(crate) index: Option<usize>,
    /// In the order of the configuration.
    pub(crate) targets: Vec<u32>,
}

impl Network {
    /// Takes the next target.
    pub(crate) fn add(&mut self, target: &Target, labels: &[(String, String)]) {
        self.place(&target.device, target.device_index, site_of(target, labels));
    }

    fn place(&mut self, device: &Arc<str>, index: Option<usize>, site: String) {
        let position = self.device_of.len() as u32;
        let next = self.devices.len() as u32;
        let nth = *self.by_name.entry(Arc::clone(device)).or_insert(next);
        if nth == next {
            self.devices.push(DeviceEntry { name: Arc::clone(device), index, targets: Vec::new() });
        }
        self.device_of.push(nth);
        let site = self.site_number(site);
        self.site_of.push(site);
        if let Some(device) = self.devices.get_mut(nth as usize) {
            device.targets.push(position);
        }
    }

    /// The position of a name among those of sites.
    fn site_number(&mut self, name: String) -> u32 {
        if let Some(number) = self.by_site.get(&*name) {
            return *number;
        }
        let (name, number) = (Arc::<str>::from(name), self.site_names.len() as u32);
        self.site_names.push(Arc::clone(&name));
        self.by_site.insert(name, number);
        number
    }

    /// Puts devices and sites in order.
    pub(crate) fn finish(mut self) -> Self {
        self.sites = self.grouped(None);
        self.by_site = HashMap::new(); // nothing is added any more
        self
    }

    /// The sites of what a visitor sees; `None` means all. A device that is not seen is in none.
    pub(crate) fn sites(&self, seen: Option<&Bits>) -> Cow<'_, [SiteEntry]> {
        match seen {
            None => Cow::Borrowed(&self.sites),
            Some(_) => Cow::Owned(self.grouped(seen)),
        }
    }

    /// The site of a device: that of the first of its targets that a visitor sees. A label of one
    /// that is hidden must not be told. `None` if none is seen.
    pub(crate) fn site_of(&self, device: &DeviceEntry, seen: Option<&Bits>) -> Option<&Arc<str>> {
        let is_seen = |nth: &&u32| seen.is_none_or(|seen| seen.has(**nth));
        let first = device.targets.iter().find(is_seen)?;
        self.site_names.get(*self.site_of.get(*first as usize)? as usize)
    }

    /// Devices by site, both in order.
    fn grouped(&self, seen: Option<&Bits>) -> Vec<SiteEntry> {
        let mut sites: HashMap<&Arc<str>, Vec<u32>> = HashMap::new();
        for (device, nth) in self.devices.iter().zip(0..) {
            if let Some(site) = self.site_of(device, seen) {
                sites.entry(site).or_default().push(nth);
            }
        }
        let named = |nth: &u32| self.devices.get(*nth as usize).map_or("", |it| &*it.name);
        for devices in sites.values_mut() {
            devices.sort_by(|one, other| natural_order(named(one), named(other)));
        }
        let sites = sites.into_iter();
        let sites = sites.map(|(name, devices)| SiteEntry { name: name.to_string(), devices });
        let mut sites: Vec<SiteEntry> = sites.collect();
        // Devices without a site come last.
        let key = |site: &SiteEntry| site.name.is_empty();
        sites.sort_by(|one, other| {
            key(one).cmp(&key(other)).then_with(|| natural_order(&one.name, &other.name))
        });
        sites
    }

    /// The devices of a site.
    pub(crate) fn devices(&self, site: &SiteEntry) -> impl Iterator<Item = &DeviceEntry> {
        site.devices.iter().filter_map(|nth| self.devices.get(*nth as usize))
    }

    /// The device of this name.
    pub(crate) fn device(&self, name: &str) -> Option<&DeviceEntry> {
        self.devices.get(*self.by_name.get(name)? as usize)
    }

    /// The device of a target.
    pub(crate) fn device_of(&self, target: u32) -> Option<&DeviceEntry> {
        self.devices.get(*self.device_of.get(target as usize)? as usize)
    }
}

/// The site of a target: its label `site`; else the directory of its database, which is the one that
/// `Directory[]` names; else the domain of its device.
fn site_of(target: &Target, labels: &[(String, String)]) -> String {
    let label = labels.iter().rev().find(|(name, value)| name == SITE && !value.is_empty());
    let label = label.map(|(_, value)| value.clone());
    label.or_else(|| directory(&target.database)).unwrap_or_else(|| domain(&target.device))
}

fn directory(database: &str) -> Option<String> {
    let (directory, _) = database.rsplit_once('/')?;
    let is_within = !directory.starts_with('/') && !directory.is_empty();
    is_within.then(|| directory.to_owned())
}

/// What stands behind the first dot of a name; nothing for addresses.
fn domain(device: &str) -> String {
    let host = device.strip_prefix("tcp:").unwrap_or(device);
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    let is_name = host.parse::<IpAddr>().is_err() && !host.contains([' ', ',', '`', '[']);
    let domain = host.split_once('.').filter(|_| is_name).map(|(_, domain)| domain);
    domain.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Network, directory, domain};
    use crate::finding::Bits;

    #[test]
    fn the_site_of_a_device_is_that_of_the_first_target_that_is_seen() {
        let mut network = Network::default();
        for (device, site) in [("a", "secret"), ("a", "fra"), ("b", "ber"), ("c", ""), ("c", "ber")]
        {
            network.place(&device.into(), None, site.to_owned());
        }
        let network = network.finish();
        let sites = |seen: Option<&Bits>| -> Vec<String> {
            let devices = |site| network.devices(site).map(|device| device.name.to_string());
            let told = |site| devices(site).fold(site.name.clone(), |all, name| all + " " + &name);
            network.sites(seen).iter().map(told).collect()
        };
        assert_eq!(sites(None), ["ber b", "secret a", " c"]);
        let seen = Bits::of([false, true, false, true, true].into_iter());
        assert_eq!(sites(Some(&seen)), ["fra a", " c"]);
        assert!(sites(Some(&Bits::of([false; 5].into_iter()))).is_empty());
        let device = network.device("b").unwrap();
        assert_eq!(network.site_of(device, None).map(|site| &**site), Some("ber"));
        assert_eq!(network.site_of(device, Some(&seen)), None);
    }

    #[test]
    fn names_tell_sites() {
        for (device, expected) in [
            ("core1.fra.example.net", "fra.example.net"),
            ("tcp:core1.example.net:1161", "example.net"),
            ("192.0.2.1", ""),
            ("192.0.2.1:1161", ""),
            ("[2001:db8::1]:161", ""),
            ("core1", ""),
            ("a.example, b.example", ""),
        ] {
            assert_eq!(domain(device), expected, "{device}");
        }
        assert_eq!(directory("fra/core/a.rrd").as_deref(), Some("fra/core"));
        assert_eq!((directory("a.rrd"), directory("/var/a.rrd")), (None, None));
    }
}
