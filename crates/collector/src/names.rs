//! Host names and the addresses they were found to have.
//!
//! Nothing here resolves a name: what is to be looked up is handed out, and the answer is handed
//! back whenever it comes. Until then the last known address stands.

use crate::plan::{DevicePlan, Family};
use std::collections::{HashMap, HashSet, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// A name that resolved is looked up again after this.
const AGAIN_AFTER: Duration = Duration::from_secs(300);
/// One that did not, after this.
const AGAIN_AFTER_FAILURE: Duration = Duration::from_secs(30);

/// A name to look up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lookup {
    /// The name.
    pub host: Arc<str>,
    /// Which of its addresses are good.
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
    /// With port 0.
    address: Option<SocketAddr>,
    error: Option<Arc<str>>,
    again_at: Duration,
    is_pending: bool,
}

/// What is known of a device's address.
#[derive(Debug)]
pub(crate) enum Address {
    Known(SocketAddr),
    /// The first lookup is under way.
    Pending,
    Failed(Arc<str>),
}

impl Names {
    /// Where to send to a device; its name is looked up again if it is time to.
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

    /// Takes what came of a lookup.
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

    /// Forgets the names that no device has any more.
    pub(crate) fn keep<'a>(&mut self, plans: impl Iterator<Item = &'a DevicePlan>) {
        let used: HashSet<_> = plans.map(|plan| (plan.host.clone(), plan.family)).collect();
        let is_used = |lookup: &Lookup| used.contains(&(lookup.host.clone(), lookup.family));
        self.known.retain(|lookup, _| is_used(lookup));
        self.wanted.retain(is_used);
    }
}
