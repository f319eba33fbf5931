//! The protocols of authentication and privacy, and their names.

use std::fmt;

/// How messages are authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AuthProtocol {
    /// HMAC-MD5-96 (RFC 3414).
    Md5,
    /// HMAC-SHA-96 (RFC 3414).
    Sha1,
    /// HMAC-128-SHA-224 (RFC 7860).
    Sha224,
    /// HMAC-192-SHA-256 (RFC 7860).
    Sha256,
    /// HMAC-256-SHA-384 (RFC 7860).
    Sha384,
    /// HMAC-384-SHA-512 (RFC 7860).
    Sha512,
}

/// How messages are encrypted.
///
/// AES-192 and AES-256 need a longer key than some hashes give. There is no standard for making it
/// longer, and two drafts in use: that of Blumenthal (draft-blumenthal-aes-usm-04, net-snmp) and
/// that of Reeder (draft-reeder-snmpv3-usm-3desede-00, Cisco). Where the hash is long enough, the
/// two are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PrivacyProtocol {
    /// CBC-DES (RFC 3414).
    Des,
    /// CFB128-AES-128 (RFC 3826).
    Aes128,
    /// CFB128-AES-192, with Blumenthal's longer key.
    Aes192,
    /// CFB128-AES-256, with Blumenthal's longer key.
    Aes256,
    /// CFB128-AES-192, with Reeder's longer key.
    Aes192Reeder,
    /// CFB128-AES-256, with Reeder's longer key.
    Aes256Reeder,
}

/// What makes a key as long as a cipher needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extension {
    Blumenthal,
    Reeder,
}

impl AuthProtocol {
    /// All of them.
    pub const ALL: [AuthProtocol; 6] = [
        AuthProtocol::Md5,
        AuthProtocol::Sha1,
        AuthProtocol::Sha224,
        AuthProtocol::Sha256,
        AuthProtocol::Sha384,
        AuthProtocol::Sha512,
    ];

    /// The protocol that a configuration calls by this name, as net-snmp's and Net::SNMP's do:
    /// `SHA`, `sha-1`, `SHA256`, `hmac-sha-256`. Case and hyphens do not matter.
    pub fn from_name(name: &str) -> Option<AuthProtocol> {
        let plain = plain(name);
        let plain = plain.strip_prefix("hmac").unwrap_or(&plain);
        Some(match plain {
            "md5" | "md596" => AuthProtocol::Md5,
            "sha" | "sha1" | "sha96" => AuthProtocol::Sha1,
            "sha224" | "sha2224" => AuthProtocol::Sha224,
            "sha256" | "sha2256" => AuthProtocol::Sha256,
            "sha384" | "sha2384" => AuthProtocol::Sha384,
            "sha512" | "sha2512" => AuthProtocol::Sha512,
            _ => return None,
        })
    }

    /// Bytes of its hash, which is also its key.
    pub fn key_bytes(self) -> usize {
        match self {
            AuthProtocol::Md5 => 16,
            AuthProtocol::Sha1 => 20,
            AuthProtocol::Sha224 => 28,
            AuthProtocol::Sha256 => 32,
            AuthProtocol::Sha384 => 48,
            AuthProtocol::Sha512 => 64,
        }
    }

    /// Bytes of the truncated hash in a message.
    pub(crate) fn mac_bytes(self) -> usize {
        match self {
            AuthProtocol::Md5 | AuthProtocol::Sha1 => 12,
            AuthProtocol::Sha224 => 16,
            AuthProtocol::Sha256 => 24,
            AuthProtocol::Sha384 => 32,
            AuthProtocol::Sha512 => 48,
        }
    }
}

impl PrivacyProtocol {
    /// All of them.
    pub const ALL: [PrivacyProtocol; 6] = [
        PrivacyProtocol::Des,
        PrivacyProtocol::Aes128,
        PrivacyProtocol::Aes192,
        PrivacyProtocol::Aes256,
        PrivacyProtocol::Aes192Reeder,
        PrivacyProtocol::Aes256Reeder,
    ];

    /// The protocol that a configuration calls by this name, as net-snmp's and Net::SNMP's do:
    /// `DES`, `AES`, `aes-128`, `AES256`. A `c` at the end is Reeder's key, as Cisco has it:
    /// `AES-256-C`. Case and hyphens do not matter.
    pub fn from_name(name: &str) -> Option<PrivacyProtocol> {
        Some(match plain(name).as_str() {
            "des" | "cbcdes" | "descbc" => PrivacyProtocol::Des,
            "aes" | "aes128" | "aescfb128" | "cfb128aes" | "cfb128aes128" => {
                PrivacyProtocol::Aes128
            }
            "aes192" | "aescfb192" => PrivacyProtocol::Aes192,
            "aes256" | "aescfb256" => PrivacyProtocol::Aes256,
            "aes192c" => PrivacyProtocol::Aes192Reeder,
            "aes256c" => PrivacyProtocol::Aes256Reeder,
            _ => return None,
        })
    }

    /// Bytes of its key: DES takes half of them for its initial vector.
    pub fn key_bytes(self) -> usize {
        match self {
            PrivacyProtocol::Des | PrivacyProtocol::Aes128 => 16,
            PrivacyProtocol::Aes192 | PrivacyProtocol::Aes192Reeder => 24,
            PrivacyProtocol::Aes256 | PrivacyProtocol::Aes256Reeder => 32,
        }
    }

    pub(crate) fn extension(self) -> Extension {
        match self {
            PrivacyProtocol::Aes192Reeder | PrivacyProtocol::Aes256Reeder => Extension::Reeder,
            _ => Extension::Blumenthal,
        }
    }
}

/// Without case and hyphens.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|letter| !matches!(letter, '-' | '_'));
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

impl fmt::Display for AuthProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AuthProtocol::Md5 => "MD5",
            AuthProtocol::Sha1 => "SHA",
            AuthProtocol::Sha224 => "SHA-224",
            AuthProtocol::Sha256 => "SHA-256",
            AuthProtocol::Sha384 => "SHA-384",
            AuthProtocol::Sha512 => "SHA-512",
        })
    }
}

impl fmt::Display for PrivacyProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PrivacyProtocol::Des => "DES",
            PrivacyProtocol::Aes128 => "AES",
            PrivacyProtocol::Aes192 => "AES-192",
            PrivacyProtocol::Aes256 => "AES-256",
            PrivacyProtocol::Aes192Reeder => "AES-192-C",
            PrivacyProtocol::Aes256Reeder => "AES-256-C",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_protocol_is_read_by_the_name_that_is_shown() {
        for protocol in AuthProtocol::ALL {
            assert_eq!(AuthProtocol::from_name(&protocol.to_string()), Some(protocol));
        }
        for protocol in PrivacyProtocol::ALL {
            assert_eq!(PrivacyProtocol::from_name(&protocol.to_string()), Some(protocol));
        }
        assert_eq!(AuthProtocol::from_name("hmac-sha-256"), Some(AuthProtocol::Sha256));
        assert_eq!(AuthProtocol::from_name("sha3"), None);
        assert_eq!(PrivacyProtocol::from_name("3des"), None);
    }
}
