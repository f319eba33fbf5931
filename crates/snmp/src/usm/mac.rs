//! Authentication: a keyed hash of the whole message, truncated.

use super::protocol::AuthProtocol;
use super::secret::Secret;
use hmac::{Hmac, KeyInit};
use subtle::ConstantTimeEq;

/// The longest truncated hash.
pub(crate) const MAC_BYTES_MAX: usize = 48;
const HASH_BYTES_MAX: usize = 64;

/// The state of a keyed hash after its key. Each message begins with a copy, so that the key is
/// hashed once.
#[derive(Clone)]
pub(crate) enum Authenticator {
    Md5(Hmac<md5::Md5>),
    Sha1(Hmac<sha1::Sha1>),
    Sha224(Hmac<sha2::Sha224>),
    Sha256(Hmac<sha2::Sha256>),
    Sha384(Hmac<sha2::Sha384>),
    Sha512(Hmac<sha2::Sha512>),
}

/// A truncated hash.
pub(crate) struct MacOctets {
    octets: [u8; HASH_BYTES_MAX],
    length: usize,
}

impl Authenticator {
    pub(crate) fn new(protocol: AuthProtocol, key: &Secret) -> Authenticator {
        match protocol {
            AuthProtocol::Md5 => Authenticator::Md5(keyed(key)),
            AuthProtocol::Sha1 => Authenticator::Sha1(keyed(key)),
            AuthProtocol::Sha224 => Authenticator::Sha224(keyed(key)),
            AuthProtocol::Sha256 => Authenticator::Sha256(keyed(key)),
            AuthProtocol::Sha384 => Authenticator::Sha384(keyed(key)),
            AuthProtocol::Sha512 => Authenticator::Sha512(keyed(key)),
        }
    }

    pub(crate) fn mac_bytes(&self) -> usize {
        self.protocol().mac_bytes()
    }

    /// The truncated hash of these parts, one after the other.
    pub(crate) fn mac(&self, parts: &[&[u8]]) -> MacOctets {
        let octets = match self {
            Authenticator::Md5(state) => hash(state, parts),
            Authenticator::Sha1(state) => hash(state, parts),
            Authenticator::Sha224(state) => hash(state, parts),
            Authenticator::Sha256(state) => hash(state, parts),
            Authenticator::Sha384(state) => hash(state, parts),
            Authenticator::Sha512(state) => hash(state, parts),
        };
        MacOctets { octets, length: self.mac_bytes() }
    }

    /// Whether `found` is that hash. The time does not depend on where they differ.
    pub(crate) fn verify(&self, parts: &[&[u8]], found: &[u8]) -> bool {
        self.mac(parts).as_bytes().ct_eq(found).into()
    }

    fn protocol(&self) -> AuthProtocol {
        match self {
            Authenticator::Md5(_) => AuthProtocol::Md5,
            Authenticator::Sha1(_) => AuthProtocol::Sha1,
            Authenticator::Sha224(_) => AuthProtocol::Sha224,
            Authenticator::Sha256(_) => AuthProtocol::Sha256,
            Authenticator::Sha384(_) => AuthProtocol::Sha384,
            Authenticator::Sha512(_) => AuthProtocol::Sha512,
        }
    }
}

impl MacOctets {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.octets.get(..self.length).unwrap_or(&self.octets)
    }
}

fn keyed<M: hmac::Mac + KeyInit>(key: &Secret) -> M {
    // A keyed hash takes keys of any length: this cannot fail.
    M::new_from_slice(key.reveal()).unwrap_or_else(|_| unreachable!("HMAC takes any key"))
}

fn hash<M: hmac::Mac + Clone>(state: &M, parts: &[&[u8]]) -> [u8; HASH_BYTES_MAX] {
    let mut state = state.clone();
    for part in parts {
        state.update(part);
    }
    let whole = state.finalize().into_bytes();
    let mut octets = [0; HASH_BYTES_MAX];
    for (octet, hashed) in octets.iter_mut().zip(whole) {
        *octet = hashed;
    }
    octets
}
