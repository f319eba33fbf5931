//! Host names and their addresses.
//!
//! This module does not resolve names. It hands out the names to look up, and the caller hands back
//! the answers at any time. Until then the last known address is used.

use crate::plan::{DevicePlan, Family};
use std::collections::{HashMap, HashSet, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// A name is looked up again this long after a success.
const AGAIN_AFTER: Duration = Duration::from_secs(300);
/// A name is looked up again this long after a failure.
const AGAIN_AFTER_FAILURE: Duration = Duration::from_secs(30);

/// A name to look up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lookup {
    /// The name.
    pub host: Arc<str>,
    /// The acceptable address families.
    pub family: Family,
}

/// The names of a plan.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: HashMap<Lookup, Known>,
    wanted: VecDeque<Lookup>,
}

#[derive(Debug, Default)]
struct Known {
    /// The address, with port 0.
    address: Option<SocketAddr>,
    error: Option<Arc<str>>,
    again_at: Duration,
    is_pending: bool,
}

/// The state of a device's address.
#[derive(Debug)]
pub(crate) enum Address {
    Known(SocketAddr),
    /// The first lookup is in progress.
    Pending,
    Failed(Arc<str>),
}

impl Names {
    /// The address of a device. Requests another lookup of its name if the last one is too old.
    pub(crate) fn address(&mut self, plan: &DevicePlan, now: Duration) -> Address {
        if let Ok(address) = plan.host.parse::<IpAddr>() {
            return Address::Known(SocketAddr::new(address, plan.port));
        }
        let lookup = Lookup { host: plan.host.clone(), family: plan.family };
        let known = self.known.entry(lookup.clone()).or_default();
        if !known.is_pending && now >= known.again_at {
            known.is_pending = true;
            self.wanted.push_back(lookup);
        }
        match (known.address, &known.error) {
            (Some(mut address), _) => {
                address.set_port(plan.port);
                Address::Known(address)
            }
            (None, Some(error)) => Address::Failed(error.clone()),
            (None, None) => Address::Pending,
        }
    }

    /// The next name to look up.
    pub(crate) fn next_lookup(&mut self) -> Option<Lookup> {
        self.wanted.pop_front()
    }

    /// Takes the result of a lookup.
    pub(crate) fn resolved(
        &mut self,
        lookup: &Lookup,
        result: Result<SocketAddr, Arc<str>>,
        now: Duration,
    ) {
        let Some(known) = self.known.get_mut(lookup) else {
            return;
        };
        known.is_pending = false;
        known.again_at = now
            + match result {
                Ok(_) => AGAIN_AFTER,
                Err(_) => AGAIN_AFTER_FAILURE,
            };
        match result {
            Ok(address) => known.address = Some(address),
            Err(error) => known.error = Some(error),
        }
    }

    /// Forgets names that no device uses any more.
    pub(crate) fn keep<'a>(&mut self, plans: impl Iterator<Item = &'a DevicePlan>) {
        let used: HashSet<_> = plans.map(|plan| (plan.host.clone(), plan.family)).collect();
        let is_used = |lookup: &Lookup| used.contains(&(lookup.host.clone(), lookup.family));
        self.known.retain(|lookup, _| is_used(lookup));
        self.wanted.retain(is_used);
    }
}
