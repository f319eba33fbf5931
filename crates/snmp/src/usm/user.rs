//! A user and the secrets that it shares with devices.

use super::keys::LocalKeys;
use super::level::SecurityLevel;
use super::protocol::{AuthProtocol, PrivacyProtocol};
use super::secret::Secret;
use super::stretch::{localized, localized_for};
use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// The most bytes of a user's name (RFC 3414, usmUserName).
const NAME_BYTES_MAX: usize = 32;

/// A user. Clones share the master keys, each of which takes a mebibyte of hashing and is made when
/// it is first needed: give all devices of a user the same one.
#[derive(Clone)]
pub struct User(Arc<Inner>);

/// How a user's messages are authenticated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authentication {
    /// The protocol.
    pub protocol: AuthProtocol,
    /// The secret.
    pub key: Key,
}

/// How a user's messages are encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privacy {
    /// The protocol.
    pub protocol: PrivacyProtocol,
    /// The secret.
    pub key: Key,
}

/// A user's secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A password, from which the key of each engine is made.
    Password(Secret),
    /// The key of the only engine that the user is used with.
    Localized(Secret),
}

/// Why there cannot be such a user. It names no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UserError {
    /// The name is empty or too long.
    #[error("the name of a user has 1 to 32 bytes, not {bytes}")]
    Name {
        /// Its length.
        bytes: usize,
    },
    /// Messages cannot be encrypted that are not authenticated.
    #[error("user {user} has a secret for privacy but none for authentication")]
    PrivacyAlone {
        /// The user.
        user: String,
    },
    /// A password is empty. RFC 3414, 11.2, wants 8 bytes, but there are devices with fewer.
    #[error("the {purpose} password of user {user} is empty")]
    EmptyPassword {
        /// The user.
        user: String,
        /// `authentication` or `privacy`.
        purpose: &'static str,
    },
    /// A localised key has the length that its protocol needs.
    #[error("the {purpose} key of user {user} has {bytes} bytes; {protocol} needs {expected}")]
    KeyLength {
        /// The user.
        user: String,
        /// `authentication` or `privacy`.
        purpose: &'static str,
        /// Its protocol.
        protocol: String,
        /// What the protocol needs.
        expected: usize,
        /// Its length.
        bytes: usize,
    },
}

struct Inner {
    name: Box<[u8]>,
    authentication: Option<Authentication>,
    privacy: Option<Privacy>,
    auth_master: OnceLock<Secret>,
    privacy_master: OnceLock<Secret>,
}

impl User {
    /// A user with this name and these secrets.
    pub fn new(
        name: &[u8],
        authentication: Option<Authentication>,
        privacy: Option<Privacy>,
    ) -> Result<User, UserError> {
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            return Err(UserError::Name { bytes: name.len() });
        }
        let user = String::from_utf8_lossy(name).into_owned();
        if let Some(Authentication { protocol, key }) = &authentication {
            let expected = protocol.key_bytes();
            key.check(&user, "authentication", expected, protocol)?;
        }
        if let Some(Privacy { protocol, key }) = &privacy {
            key.check(&user, "privacy", protocol.key_bytes(), protocol)?;
            if authentication.is_none() {
                return Err(UserError::PrivacyAlone { user });
            }
        }
        Ok(User(Arc::new(Inner {
            name: name.into(),
            authentication,
            privacy,
            auth_master: OnceLock::new(),
            privacy_master: OnceLock::new(),
        })))
    }

    /// The name's bytes.
    pub fn name(&self) -> &[u8] {
        &self.0.name
    }

    /// The name, for people.
    pub fn display_name(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0.name)
    }

    /// The level of its messages: as high as its secrets allow.
    pub fn level(&self) -> SecurityLevel {
        match (&self.0.authentication, &self.0.privacy) {
            (None, _) => SecurityLevel::Plain,
            (Some(_), None) => SecurityLevel::Authenticated,
            (Some(_), Some(_)) => SecurityLevel::Encrypted,
        }
    }

    /// Its keys for one engine, ready for use. The first call hashes a mebibyte for each password;
    /// with Reeder's long keys each call does.
    pub fn localize(&self, engine_id: &[u8]) -> LocalKeys {
        let Inner { authentication, privacy, auth_master, privacy_master, .. } = &*self.0;
        let Some(Authentication { protocol: hash, key }) = authentication else {
            return LocalKeys::default();
        };
        let auth_key = match key {
            Key::Localized(key) => key.clone(),
            Key::Password(password) => {
                let master = auth_master.get_or_init(|| hash.master_key(password.reveal()));
                localized(*hash, master, engine_id)
            }
        };
        let privacy = privacy.as_ref().map(|Privacy { protocol, key }| match key {
            Key::Localized(key) => (*protocol, key.clone()),
            Key::Password(password) => {
                let master = privacy_master.get_or_init(|| hash.master_key(password.reveal()));
                (*protocol, localized_for(*protocol, *hash, master, engine_id))
            }
        });
        LocalKeys::new(*hash, &auth_key, privacy)
    }
}

impl Key {
    fn check(
        &self,
        user: &str,
        purpose: &'static str,
        expected: usize,
        protocol: &impl fmt::Display,
    ) -> Result<(), UserError> {
        let user = user.to_owned();
        match self {
            Key::Password(password) if password.reveal().is_empty() => {
                Err(UserError::EmptyPassword { user, purpose })
            }
            Key::Password(_) => Ok(()),
            Key::Localized(key) if key.reveal().len() == expected => Ok(()),
            Key::Localized(key) => {
                let (protocol, bytes) = (protocol.to_string(), key.reveal().len());
                Err(UserError::KeyLength { user, purpose, protocol, expected, bytes })
            }
        }
    }
}

impl PartialEq for User {
    fn eq(&self, other: &User) -> bool {
        let (one, two) = (&*self.0, &*other.0);
        Arc::ptr_eq(&self.0, &other.0)
            || (one.name == two.name
                && one.authentication == two.authentication
                && one.privacy == two.privacy)
    }
}

impl Eq for User {}

impl Hash for User {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "User({}, {})", self.display_name(), self.level().name())
    }
}
