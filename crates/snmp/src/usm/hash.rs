//! The hash of each authentication protocol: of bytes, and of a password.

use super::protocol::AuthProtocol;
use super::secret::Secret;
use sha2::Digest;
use zeroize::{Zeroize, Zeroizing};

/// How many bytes of the repeated password are hashed (RFC 3414, A.2).
const PASSWORD_BYTES: usize = 1 << 20;
/// A short password is hashed in pieces of about this size: one call each would cost more.
const PIECE_BYTES: usize = 4096;

impl AuthProtocol {
    /// The hash of these parts, one after the other.
    pub(super) fn hash(self, parts: &[&[u8]]) -> Secret {
        match self {
            AuthProtocol::Md5 => hash::<md5::Md5>(parts),
            AuthProtocol::Sha1 => hash::<sha1::Sha1>(parts),
            AuthProtocol::Sha224 => hash::<sha2::Sha224>(parts),
            AuthProtocol::Sha256 => hash::<sha2::Sha256>(parts),
            AuthProtocol::Sha384 => hash::<sha2::Sha384>(parts),
            AuthProtocol::Sha512 => hash::<sha2::Sha512>(parts),
        }
    }

    /// The master key of a password: the hash of the first mebibyte of its endless repetition. This
    /// takes milliseconds. An empty password gives the hash of nothing.
    pub(super) fn master_key(self, password: &[u8]) -> Secret {
        match self {
            AuthProtocol::Md5 => repeated::<md5::Md5>(password),
            AuthProtocol::Sha1 => repeated::<sha1::Sha1>(password),
            AuthProtocol::Sha224 => repeated::<sha2::Sha224>(password),
            AuthProtocol::Sha256 => repeated::<sha2::Sha256>(password),
            AuthProtocol::Sha384 => repeated::<sha2::Sha384>(password),
            AuthProtocol::Sha512 => repeated::<sha2::Sha512>(password),
        }
    }
}

fn hash<D: Digest>(parts: &[&[u8]]) -> Secret {
    let mut digest = D::new();
    for part in parts {
        digest.update(part);
    }
    finish(digest)
}

fn repeated<D: Digest>(password: &[u8]) -> Secret {
    let mut digest = D::new();
    if !password.is_empty() {
        let times = PIECE_BYTES.div_ceil(password.len());
        let piece = Zeroizing::new(password.repeat(times));
        let mut left = PASSWORD_BYTES;
        while left > 0 {
            let part = piece.get(..left).unwrap_or(&piece);
            digest.update(part);
            left -= part.len();
        }
    }
    finish(digest)
}

/// The hash as a secret; what the hashing left on the stack is wiped.
fn finish<D: Digest>(digest: D) -> Secret {
    let mut hash = digest.finalize();
    let secret = Secret::new(hash.to_vec());
    hash.as_mut_slice().zeroize();
    secret
}
