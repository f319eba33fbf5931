//! Proxies that say who asks.

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;
use std::sync::Once;

use axum::http::{HeaderMap, HeaderName};

/// Proxies that asked users who they are, and say so in a header. The header of any other client is
/// passed over.
pub struct Proxies {
    header: HeaderName,
    addresses: BTreeSet<IpAddr>,
    /// Told once that somebody else sends the header.
    note: Box<dyn Fn(IpAddr) + Send + Sync>,
    told: Once,
}

/// A proxy says nothing that could be a user.
#[derive(Debug)]
pub(crate) struct NoUser;

impl Proxies {
    /// The header, and the addresses of the proxies; `None` if no header is called so. `note` is
    /// told the address of the first other client that sends the header.
    #[must_use]
    pub fn new(
        header: &str,
        addresses: impl IntoIterator<Item = IpAddr>,
        note: impl Fn(IpAddr) + Send + Sync + 'static,
    ) -> Option<Self> {
        let header = header.parse().ok()?;
        let addresses = addresses.into_iter().map(|address| address.to_canonical()).collect();
        Some(Self { header, addresses, note: Box::new(note), told: Once::new() })
    }

    /// The user whom the proxy at this address names; `None` if it is no proxy, or names nobody.
    ///
    /// # Errors
    /// It names several, or nothing that could be a user.
    pub(crate) fn user(
        &self,
        address: IpAddr,
        headers: &HeaderMap,
    ) -> Result<Option<String>, NoUser> {
        let mut named = headers.get_all(&self.header).iter();
        let (Some(user), others) = (named.next(), named.next()) else { return Ok(None) };
        if !self.addresses.contains(&address) {
            self.told.call_once(|| (self.note)(address));
            return Ok(None);
        }
        // A client may have sent one of several itself.
        let user = user.to_str().ok().filter(|user| others.is_none() && !user.is_empty());
        user.map(|user| Some(user.to_owned())).ok_or(NoUser)
    }
}

impl fmt::Debug for Proxies {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Proxies");
        shown.field("header", &self.header).field("addresses", &self.addresses);
        shown.finish_non_exhaustive()
    }
}
