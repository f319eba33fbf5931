//! Users of SNMPv3: from what mrtg.cfg says to users with secrets.

use std::collections::HashMap;
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;

use mrtg::{Credentials, Hidden, Protection};
use snmp::v3::Context;
use snmp::{AuthProtocol, Authentication, Key, Privacy, PrivacyProtocol, Secret, User};

use super::secrets::{Secrets, Unknown, secret_variable};

/// The users of a configuration. Equal credentials are one user, whose keys are made once.
#[derive(Debug, Default)]
pub(super) struct Users {
    secrets: Arc<Secrets>,
    known: HashMap<Arc<Credentials>, Found>,
}

/// A user and the context that it asks about, or why there is no such user.
type Found = Result<(User, Context), Arc<str>>;

/// What a protection protects, in the words of a configuration.
#[derive(Clone, Copy, Debug)]
struct Words {
    protocol: &'static str,
    password: &'static str,
    key: &'static str,
}

const AUTHENTICATION: Words =
    Words { protocol: "authprotocol", password: "authpassword", key: "authkey" };
const PRIVACY: Words = Words { protocol: "privprotocol", password: "privpassword", key: "privkey" };

impl Users {
    /// Users whose passwords and keys may stand for secrets.
    pub(super) fn with(secrets: Arc<Secrets>) -> Self {
        Self { secrets, known: HashMap::new() }
    }

    /// The user, or why there cannot be one; the reason shows no secret.
    pub(super) fn user(&mut self, credentials: &Arc<Credentials>) -> Found {
        if let Some(known) = self.known.get(credentials) {
            return known.clone();
        }
        let name = String::from_utf8_lossy(&credentials.username).into_owned();
        let made = make(credentials, &self.secrets);
        let made = made.map_err(|why| format!("SNMPv3 user {name}: {why}").into());
        self.known.entry(credentials.clone()).or_insert(made).clone()
    }
}

/// Why a configuration's user cannot be one. It shows no secret.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("authprotocol {0} is none of md5, sha, sha224, sha256, sha384, sha512")]
    AuthProtocol(String),
    #[error(
        "privprotocol {0} is none of des, aes, aes192, aes256, aes192c, aes256c (with c: Cisco's \
         keys)"
    )]
    PrivacyProtocol(String),
    #[error("{} without {} or {}", .0.protocol, .0.password, .0.key)]
    NoSecret(Words),
    #[error("both {} and {}", .0.password, .0.key)]
    TwoSecrets(Words),
    #[error("{0} is no hexadecimal number")]
    NotHexadecimal(&'static str),
    #[error("the environment has no variable {0}")]
    NoVariable(String),
    #[error(transparent)]
    Unknown(#[from] Unknown),
    #[error(transparent)]
    User(#[from] snmp::UserError),
}

fn make(credentials: &Credentials, secrets: &Secrets) -> Result<(User, Context), Problem> {
    let authentication = authentication(&credentials.authentication, secrets)?;
    let privacy = privacy(&credentials.privacy, secrets)?;
    let user = User::new(&credentials.username, authentication, privacy)?;
    let digits = credentials.context_engine_id.as_ref().map(String::as_bytes);
    let not_hexadecimal = Problem::NotHexadecimal("contextengineid");
    let engine_id = digits.map(|digits| hexadecimal(digits).ok_or(not_hexadecimal)).transpose()?;
    let engine_id = engine_id.map(Vec::into_boxed_slice);
    Ok((user, Context { engine_id, name: credentials.context_name.as_slice().into() }))
}

fn authentication(said: &Protection, secrets: &Secrets) -> Result<Option<Authentication>, Problem> {
    let Some(key) = secret(said, AUTHENTICATION, secrets)? else { return Ok(None) };
    let name = said.protocol.as_deref().unwrap_or("md5");
    let protocol = AuthProtocol::from_name(name);
    let protocol = protocol.ok_or_else(|| Problem::AuthProtocol(name.to_owned()))?;
    Ok(Some(Authentication { protocol, key }))
}

fn privacy(said: &Protection, secrets: &Secrets) -> Result<Option<Privacy>, Problem> {
    let Some(key) = secret(said, PRIVACY, secrets)? else { return Ok(None) };
    let name = said.protocol.as_deref().unwrap_or("des");
    let protocol = PrivacyProtocol::from_name(name);
    let protocol = protocol.ok_or_else(|| Problem::PrivacyProtocol(name.to_owned()))?;
    Ok(Some(Privacy { protocol, key }))
}

/// The secret of a protection; `None` if nothing is said of it.
fn secret(
    protection: &Protection,
    words: Words,
    secrets: &Secrets,
) -> Result<Option<Key>, Problem> {
    match (&protection.password, &protection.key) {
        (None, None) if protection.is_absent() => Ok(None),
        (None, None) => Err(Problem::NoSecret(words)),
        (Some(_), Some(_)) => Err(Problem::TwoSecrets(words)),
        (Some(hidden), None) => Ok(Some(Key::Password(reveal(hidden, secrets)?))),
        (None, Some(hidden)) => {
            let bytes = reveal(hidden, secrets)?.with(hexadecimal);
            let bytes = bytes.ok_or(Problem::NotHexadecimal(words.key))?;
            Ok(Some(Key::Localized(Secret::new(bytes))))
        }
    }
}

fn reveal(hidden: &Hidden, secrets: &Secrets) -> Result<Secret, Problem> {
    match hidden {
        Hidden::Written(bytes) => {
            let meant = secrets.meant_by(bytes)?;
            Ok(meant.unwrap_or_else(|| Secret::new(bytes.to_vec())))
        }
        Hidden::Environment(name) => {
            let value = secret_variable(name);
            let value = value.ok_or_else(|| Problem::NoVariable(name.clone()))?;
            Ok(Secret::new(value.into_vec()))
        }
    }
}

/// The bytes of hexadecimal digits, which may begin with `0x`.
fn hexadecimal(digits: &[u8]) -> Option<Vec<u8>> {
    let digits = digits.strip_prefix(b"0x").unwrap_or(digits);
    let (pairs, []) = digits.as_chunks::<2>() else {
        return None;
    };
    let nibble = |digit: u8| char::from(digit).to_digit(16).map(|nibble| nibble as u8);
    // It may be a key: a vector that grows would leave copies of it.
    let mut bytes = Vec::with_capacity(pairs.len());
    for [high, low] in pairs {
        bytes.push(nibble(*high)? << 4 | nibble(*low)?);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use snmp::SecurityLevel;

    fn user(change: impl FnOnce(&mut Credentials)) -> Result<(User, Context), Arc<str>> {
        let mut credentials = Credentials { username: b"mon".to_vec(), ..Credentials::default() };
        change(&mut credentials);
        Users::default().user(&Arc::new(credentials))
    }

    fn hidden(text: &str) -> Option<Hidden> {
        Some(Hidden::Written(text.as_bytes().into()))
    }

    #[test]
    fn what_is_written_decides_the_level() {
        let level = |change: fn(&mut Credentials)| user(change).unwrap().0.level();
        assert_eq!(level(|_| ()), SecurityLevel::Plain);
        assert_eq!(
            level(|it| it.authentication.password = hidden("secret")),
            SecurityLevel::Authenticated
        );
        let both = |it: &mut Credentials| {
            it.authentication.key = hidden("0x00112233445566778899aabbccddeeff");
            it.privacy.password = hidden("secret");
            it.privacy.protocol = Some("AES256".into());
            it.context_engine_id = Some("0x8000000001".into());
        };
        let (encrypted, context) = user(both).unwrap();
        assert_eq!(encrypted.level(), SecurityLevel::Encrypted);
        assert_eq!(context.engine_id, Some([0x80, 0, 0, 0, 1].into()));
    }

    #[test]
    fn what_cannot_be_meant_is_told_without_its_secret() {
        let said = |change: fn(&mut Credentials)| user(change).unwrap_err().to_string();
        let wrong = [
            said(|it| it.authentication.protocol = Some("sha".into())),
            said(|it| it.privacy.password = hidden("geheim")),
            said(|it| it.authentication.key = hidden("geheim")),
            said(|it| {
                it.authentication.key = hidden("0x0011");
                it.authentication.password = hidden("geheim");
            }),
            said(|it| {
                it.authentication.password = hidden("geheim");
                it.privacy.password = hidden("geheim");
                it.privacy.protocol = Some("3des".into());
            }),
            said(|it| {
                it.authentication.password =
                    Some(Hidden::Environment("GYRE_HAS_NO_SUCH_VARIABLE".into()));
            }),
        ];
        let expected = [
            "authprotocol without authpassword or authkey",
            "user mon has a secret for privacy but none for authentication",
            "authkey is no hexadecimal number",
            "both authpassword and authkey",
            "privprotocol 3des is none of des, aes, aes192, aes256, aes192c, aes256c \
             (with c: Cisco's keys)",
            "the environment has no variable GYRE_HAS_NO_SUCH_VARIABLE",
        ];
        for (said, expected) in wrong.iter().zip(expected) {
            assert_eq!(*said, format!("SNMPv3 user mon: {expected}"));
        }
    }

    #[test]
    fn equal_credentials_are_one_user() {
        let mut users = Users::default();
        let credentials =
            || Arc::new(Credentials { username: b"mon".to_vec(), ..Credentials::default() });
        let first = users.user(&credentials()).unwrap();
        assert_eq!(first, users.user(&credentials()).unwrap());
        assert_eq!(users.known.len(), 1);
    }
}
