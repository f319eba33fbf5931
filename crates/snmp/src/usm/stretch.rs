//! From a master key to the key of one engine, as long as its use needs.
//!
//! Source: RFC 3414, 2.6 (localisation); draft-blumenthal-aes-usm-04, 3.1.2.1, and
//! draft-reeder-snmpv3-usm-3desede-00, 2.1 (longer keys).

use super::protocol::{AuthProtocol, Extension, PrivacyProtocol};
use super::secret::Secret;

/// The key of one engine.
pub(super) fn localized(protocol: AuthProtocol, master: &Secret, engine_id: &[u8]) -> Secret {
    protocol.hash(&[master.reveal(), engine_id, master.reveal()])
}

/// The key of one engine for a cipher, at least as long as that needs.
pub(super) fn localized_for(
    cipher: PrivacyProtocol,
    protocol: AuthProtocol,
    master: &Secret,
    engine_id: &[u8],
) -> Secret {
    let mut key = localized(protocol, master, engine_id);
    let mut last = key.clone();
    while key.reveal().len() < cipher.key_bytes() {
        last = match cipher.extension() {
            Extension::Blumenthal => protocol.hash(&[key.reveal()]),
            Extension::Reeder => {
                localized(protocol, &protocol.master_key(last.reveal()), engine_id)
            }
        };
        key.append(&last);
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGINE: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];

    fn hex(secret: &Secret) -> String {
        secret.reveal().iter().map(|octet| format!("{octet:02x}")).collect()
    }

    fn keys(protocol: AuthProtocol) -> [String; 2] {
        let master = protocol.master_key(b"maplesyrup");
        [hex(&master), hex(&localized(protocol, &master, &ENGINE))]
    }

    fn long_key(cipher: PrivacyProtocol, protocol: AuthProtocol) -> String {
        hex(&localized_for(cipher, protocol, &protocol.master_key(b"maplesyrup"), &ENGINE))
    }

    /// RFC 3414, A.3.1 and A.3.2; those of SHA-2 are Python's hashlib's, by the same algorithm.
    #[test]
    fn passwords_become_the_keys_of_the_standard() {
        let cases = [
            (
                AuthProtocol::Md5,
                ["9faf3283884e92834ebc9847d8edd963", "526f5eed9fcce26f8964c2930787d82b"],
            ),
            (
                AuthProtocol::Sha1,
                [
                    "9fb5cc0381497b3793528939ff788d5d79145211",
                    "6695febc9288e36282235fc7151f128497b38f3f",
                ],
            ),
            (
                AuthProtocol::Sha224,
                [
                    "282a5867ee9aac639ad59df9572c7d3ac0fbc13a905b6df07dbbf00b",
                    "0bd8827c6e29f8065e08e09237f177e410f69b90e1782be682075674",
                ],
            ),
            (
                AuthProtocol::Sha256,
                [
                    "ab51014d1e077f6017df2b12bee5f5aa72993177e9bb569c4dff5a4ca0b4afac",
                    "8982e0e549e866db361a6b625d84cccc11162d453ee8ce3a6445c2d6776f0f8b",
                ],
            ),
            (
                AuthProtocol::Sha384,
                [
                    concat!(
                        "e06eccdf2c68a06ed034723c9c26e0db3b669e1e2efed49150b55377a2e98f38",
                        "3c86fb836857444654b287c93f51ff64"
                    ),
                    concat!(
                        "3b298f16164a11184279d5432bf169e2d2a48307de02b3d3f7e2b4f36eb6f045",
                        "5a53689a3937eea07319a633d2ccba78"
                    ),
                ],
            ),
            (
                AuthProtocol::Sha512,
                [
                    concat!(
                        "7e4396de5aadc77be853819b98c9406265b3a9c37cc3176569847a4e4f6fba63",
                        "dd3a73d04924d31a63f95a601f9385af6be4ed1b37f87d040f7c6ed6f8d38a91"
                    ),
                    concat!(
                        "22a5a36cedfcc085807a128d7bc6c2382167ad6c0dbc5fdff856740f3d84c099",
                        "ad1ea87a8db096714d9788bd544047c9021e4229ce27e4c0a69250adfcffbb0b"
                    ),
                ],
            ),
        ];
        for (protocol, expected) in cases {
            assert_eq!(keys(protocol), expected, "{protocol}");
        }
    }

    /// Blumenthal's is that of SNMP4J's tests; Reeder's are those of his draft, section 2.1.
    #[test]
    fn short_hashes_become_long_keys() {
        let sha = "6695febc9288e36282235fc7151f128497b38f3f";
        let blumenthal = long_key(PrivacyProtocol::Aes256, AuthProtocol::Sha1);
        assert!(blumenthal.starts_with(&format!("{sha}505e07eb9af25568fa1f5dbe")));
        assert_eq!(
            long_key(PrivacyProtocol::Aes256Reeder, AuthProtocol::Md5),
            "526f5eed9fcce26f8964c2930787d82b79eff44a90650ee0a3a40abfac5acc12"
        );
        assert_eq!(
            long_key(PrivacyProtocol::Aes256Reeder, AuthProtocol::Sha1),
            format!("{sha}9b8b6d78936ba6e7d19dfd9cd2d5065547743fb5")
        );
        let enough = long_key(PrivacyProtocol::Aes256, AuthProtocol::Sha256);
        assert_eq!(enough, long_key(PrivacyProtocol::Aes256Reeder, AuthProtocol::Sha256));
        assert_eq!(enough, keys(AuthProtocol::Sha256)[1]);
    }
}
