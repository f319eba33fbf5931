//! Which targets visitors may see, who see some names only.

use std::sync::{Arc, Mutex, PoisonError};

use access::Scope;

/// So many scopes are remembered: there are as many as kinds of tokens.
const SCOPES_MAX: usize = 8;

/// A bit for each target.
#[derive(Debug, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// The bits of all targets, in their order.
    pub(crate) fn of(bits: impl Iterator<Item = bool>) -> Self {
        let mut all = Vec::new();
        for (nth, bit) in bits.enumerate() {
            if nth % 64 == 0 {
                all.push(0);
            }
            if let Some(last) = all.last_mut() {
                *last |= u64::from(bit) << (nth % 64);
            }
        }
        Self(all)
    }

    /// The bit of a target.
    pub(crate) fn has(&self, nth: u32) -> bool {
        self.0.get(nth as usize / 64).is_some_and(|bits| bits >> (nth % 64) & 1 == 1)
    }
}

/// What is seen, by scope; the last ones that were asked for.
#[derive(Debug, Default)]
pub(crate) struct SeenByScope(Mutex<Vec<Seen>>);

#[derive(Debug)]
struct Seen {
    scope: Scope,
    bits: Arc<Bits>,
}

impl SeenByScope {
    /// The targets that a scope sees; `names` are those of all targets, in their order.
    pub(crate) fn of<'n>(&self, scope: &Scope, names: impl Iterator<Item = &'n str>) -> Arc<Bits> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = all.iter().find(|seen| seen.scope == *scope) {
            return Arc::clone(&seen.bits);
        }
        let bits = Arc::new(Bits::of(names.map(|name| scope.sees(name))));
        if all.len() == SCOPES_MAX {
            all.remove(0);
        }
        all.push(Seen { scope: scope.clone(), bits: Arc::clone(&bits) });
        bits
    }
}
