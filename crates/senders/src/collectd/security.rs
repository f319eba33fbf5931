//! Who may send packets, and how they are signed and encrypted.
//!
//! ```text
//! signature   0200 LENGTH  HMAC-SHA-256 (32 bytes)  user;  what is signed follows the part
//! encryption  0210 LENGTH  USER'S LENGTH  user  start (16 bytes)  SHA-1 (20 bytes)  parts
//!                                                                 \-- AES-256 in mode OFB --/
//! ```
//!
//! The HMAC is over the user and everything behind the part, its key is the password. AES' key is
//! the password's SHA-256. Sources: "Binary protocol" of collectd's wiki, and "The collectd
//! encrypted packet format" by Kumina.

use std::collections::HashMap;
use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use ofb::cipher::{KeyIvInit, StreamCipher};
use sha1::{Digest, Sha1};
use sha2::Sha256;
use zeroize::Zeroizing;

const MAC_BYTES: usize = 32;
const START_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 20;

/// What a packet must be for its values to be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Whatever comes.
    #[default]
    None,
    /// Signed or encrypted.
    Sign,
    /// Encrypted.
    Encrypt,
}

/// The users, and what their packets must be.
#[derive(Clone, Default)]
pub struct Security {
    users: HashMap<Box<str>, Keys>,
    level: Level,
}

/// What follows from a password.
#[derive(Clone)]
struct Keys {
    mac: Hmac<Sha256>,
    cipher: Zeroizing<[u8; 32]>,
}

/// A line of a file of users that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}")]
pub struct WrongUsers {
    /// Counted from 1.
    pub line: usize,
    /// What was expected there.
    pub expected: &'static str,
}

/// Only what was expected: passwords and users stay out of logs.
type Expected = &'static str;

impl Security {
    /// No users yet.
    #[must_use]
    pub fn new(level: Level) -> Self {
        Self { users: HashMap::new(), level }
    }

    /// Users as in collectd's own file: a line `user: password` for each.
    pub fn of_text(level: Level, text: &str) -> Result<Self, WrongUsers> {
        let mut security = Self::new(level);
        for (nth, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let parts = line.split_once(':').map(|(user, password)| (user.trim(), password.trim()));
            match parts {
                Some((user, password)) if !user.is_empty() && !password.is_empty() => {
                    security.add(user, password);
                }
                _ => return Err(WrongUsers { line: nth + 1, expected: "a line USER: PASSWORD" }),
            }
        }
        Ok(security)
    }

    /// A user and the password.
    pub fn add(&mut self, user: &str, password: &str) {
        let keyed = Hmac::new_from_slice(password.as_bytes());
        let mac = keyed.expect("a key of HMAC may have any length");
        let cipher = Zeroizing::new(Sha256::digest(password.as_bytes()).into());
        self.users.insert(user.into(), Keys { mac, cipher });
    }

    /// What packets must be.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Whether there is a user at all.
    #[must_use]
    pub fn has_users(&self) -> bool {
        !self.users.is_empty()
    }

    fn keys(&self, user: &[u8]) -> Result<&Keys, Expected> {
        let user = std::str::from_utf8(user).ok();
        user.and_then(|user| self.users.get(user)).ok_or("a user whose password is known")
    }

    /// What a signature makes of the bytes behind it. Without any user it says nothing.
    pub(super) fn verify(&self, part: &[u8], signed: &[u8]) -> Result<Level, Expected> {
        let (mac, user) = part.split_at_checked(MAC_BYTES).ok_or("a signature of 32 bytes")?;
        if self.users.is_empty() {
            return Ok(Level::None);
        }
        let expected = self.keys(user)?.mac.clone().chain_update(user).chain_update(signed);
        match expected.verify_slice(mac) {
            Ok(()) => Ok(Level::Sign),
            Err(_) => Err("a signature with the user's password"),
        }
    }

    /// The parts that are encrypted in a part.
    pub(super) fn decrypt(&self, part: &[u8]) -> Result<Decrypted, Expected> {
        let (length, rest) = part.split_first_chunk().ok_or("the length of a user's name")?;
        let length = usize::from(u16::from_be_bytes(*length));
        let (user, rest) = rest.split_at_checked(length).ok_or("a user's name")?;
        let (start, rest) = rest.split_first_chunk::<START_BYTES>().ok_or("a start of 16 bytes")?;
        let keys = self.keys(user)?;
        let mut clear = rest.to_vec();
        ofb::Ofb::<aes::Aes256>::new((&*keys.cipher).into(), start.into())
            .apply_keystream(&mut clear);
        let (sum, parts) =
            clear.split_first_chunk::<CHECKSUM_BYTES>().ok_or("a checksum of 20 bytes")?;
        if Sha1::digest(parts)[..] != sum[..] {
            return Err("parts that the user's password encrypted");
        }
        let offset = part.len() - parts.len();
        Ok(Decrypted { offset, parts: clear.split_off(CHECKSUM_BYTES) })
    }
}

impl fmt::Debug for Security {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Security {{ level: {:?}, users: {} }}", self.level, self.users.len())
    }
}

/// Parts that were encrypted.
pub(super) struct Decrypted {
    /// Where they begin in the part that they were in.
    pub(super) offset: usize,
    pub(super) parts: Vec<u8>,
}
