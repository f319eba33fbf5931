//! The keys of one user for one engine, ready for use.

use super::cipher::Cipher;
use super::mac::Authenticator;
use super::protocol::{AuthProtocol, PrivacyProtocol};
use super::secret::Secret;
use std::fmt;

/// The keys of one user for one engine: about a kilobyte, most of it the expanded key of AES.
#[derive(Default)]
pub struct LocalKeys {
    pub(crate) authenticator: Option<Box<Authenticator>>,
    pub(crate) cipher: Option<Cipher>,
}

impl LocalKeys {
    pub(super) fn new(
        protocol: AuthProtocol,
        auth_key: &Secret,
        privacy: Option<(PrivacyProtocol, Secret)>,
    ) -> LocalKeys {
        LocalKeys {
            authenticator: Some(Box::new(Authenticator::new(protocol, auth_key))),
            cipher: privacy.and_then(|(protocol, key)| Cipher::new(protocol, &key)),
        }
    }
}

impl fmt::Debug for LocalKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalKeys(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A collector keeps them for each of its devices.
    #[test]
    fn the_keys_of_a_device_stay_small() {
        let cipher = size_of::<aes::Aes256Enc>();
        let keys = size_of::<LocalKeys>() + size_of::<Authenticator>() + cipher;
        assert!(keys <= 1600, "{keys} bytes");
    }
}
