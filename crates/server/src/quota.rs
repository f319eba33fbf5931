//! How many requests a client may send: a bucket for each address, which fills again by itself.
//!
//! Clients on this machine have no bucket: what a proxy asks for others cannot be told apart, and
//! it is the proxy that must not be drowned.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};

use crate::peer::Peer;

/// Requests a second that a client may go on with.
const REQUESTS_A_SECOND: f64 = 100.0;
/// Requests that a client may send at once.
const REQUESTS_AT_ONCE: f64 = 1000.0;
/// Clients of whom something is remembered.
const CLIENTS_MAX: usize = 10_000;

/// The buckets of all clients.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quotas(Arc<Mutex<HashMap<IpAddr, Bucket>>>);

#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// Requests that may be sent now.
    left: f64,
    /// When that was.
    at: Instant,
}

/// A client has sent too many; so long it has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany(Duration);

impl Quotas {
    /// All pages of a router, for clients that do not ask too often.
    pub(crate) fn around(self, router: Router) -> Router {
        router.layer(from_fn_with_state(self, check))
    }

    fn take(&self, client: IpAddr, now: Instant) -> Result<(), TooMany> {
        if client.is_loopback() {
            return Ok(());
        }
        let client = network(client);
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= CLIENTS_MAX && !buckets.contains_key(&client) {
            buckets.retain(|_, bucket| bucket.filled(now).left < REQUESTS_AT_ONCE);
            // All of them asked much just now: who is new is asked to wait, and none is forgotten.
            if buckets.len() >= CLIENTS_MAX {
                return Err(TooMany(Duration::from_secs(1)));
            }
        }
        let bucket = buckets.entry(client).or_insert(Bucket { left: REQUESTS_AT_ONCE, at: now });
        *bucket = bucket.filled(now);
        match bucket.left >= 1.0 {
            true => {
                bucket.left -= 1.0;
                Ok(())
            }
            false => {
                let seconds = (1.0 - bucket.left) / REQUESTS_A_SECOND;
                Err(TooMany(Duration::from_secs_f64(seconds)))
            }
        }
    }
}

impl Bucket {
    fn filled(self, now: Instant) -> Self {
        let seconds = now.saturating_duration_since(self.at).as_secs_f64();
        let left = (self.left + seconds * REQUESTS_A_SECOND).min(REQUESTS_AT_ONCE);
        Self { left, at: now }
    }
}

/// The addresses that one client has: of IPv6, a network of 64 bits is given to each.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)))
        }
    }
}

async fn check(State(quotas): State<Quotas>, request: Request, next: Next) -> Response {
    let client = request.extensions().get::<Peer>().map(|peer| peer.address);
    match client.map_or(Ok(()), |client| quotas.take(client, Instant::now())) {
        Ok(()) => next.run(request).await,
        Err(TooMany(wait)) => {
            let seconds = wait.as_secs() + 1;
            let headers = [(header::RETRY_AFTER, seconds.to_string())];
            (StatusCode::TOO_MANY_REQUESTS, headers, "too many requests\n").into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_client_waits_after_many_requests_and_others_do_not() {
        let (quotas, now) = (Quotas::default(), Instant::now());
        let client = address("192.0.2.1");
        let taken = (0..5000).filter(|_| quotas.take(client, now).is_ok()).count();
        assert_eq!(taken, REQUESTS_AT_ONCE as usize);
        assert!(quotas.take(address("192.0.2.2"), now).is_ok());
        let later = now + Duration::from_millis(105);
        let taken = (0..5000).filter(|_| quotas.take(client, later).is_ok()).count();
        assert_eq!(taken, 10);
    }

    #[test]
    fn a_network_of_ipv6_is_one_client_and_this_machine_is_none() {
        let (quotas, now) = (Quotas::default(), Instant::now());
        for nth in 0..1000_u32 {
            assert!(quotas.take(address(&format!("2001:db8::{nth:x}")), now).is_ok());
        }
        assert!(quotas.take(address("2001:db8::ffff:1"), now).is_err());
        assert!(quotas.take(address("2001:db8:0:1::1"), now).is_ok());
        assert!((0..5000).all(|_| quotas.take(address("127.0.0.1"), now).is_ok()));
    }

    #[test]
    fn the_memory_of_clients_is_bounded() {
        let (quotas, now) = (Quotas::default(), Instant::now());
        let client = |nth: u32| IpAddr::from((0x0a00_0000 + nth).to_be_bytes());
        let taken = (0..20_000).filter(|nth| quotas.take(client(*nth), now).is_ok()).count();
        assert_eq!(taken, CLIENTS_MAX);
        // Whose bucket is full again is forgotten.
        let later = now + Duration::from_secs(1);
        assert!(quotas.take(client(30_000), later).is_ok());
        assert_eq!(quotas.0.lock().unwrap().len(), 1);
    }
}
