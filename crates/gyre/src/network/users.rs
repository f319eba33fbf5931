//! The users of SNMPv3 that devices know, from a file in the words of snmpd.conf.
//!
//! ```text
//! createUser monitor SHA-256 "a first secret" AES "a second secret"
//! ```

use std::path::{Path, PathBuf};

use snmp::{AuthProtocol, Authentication, Key, Privacy, PrivacyProtocol, Secret, User, UserError};

/// A user, and the words by which mrtg.cfg names it.
pub(super) struct Account {
    pub(super) user: User,
    /// The value of `SnmpOptions`. It has the secrets.
    pub(super) snmp_options: String,
}

/// Why the users cannot be read. It repeats no secret.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{}: {}", path.display(), rrdtool::system_words(source))]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{}:{line}: expected {expected}", path.display())]
    Line { path: PathBuf, line: usize, expected: &'static str },
    #[error("{}:{line}: {source}", path.display())]
    User { path: PathBuf, line: usize, source: UserError },
    #[error("{}: expected a line `createUser NAME ...`", path.display())]
    Empty { path: PathBuf },
}

const LINE: &str = "createUser NAME [AUTHENTICATION SECRET [PRIVACY [SECRET]]]";
const AUTHENTICATION: &str = "MD5, SHA, SHA-224, SHA-256, SHA-384 or SHA-512";
const PRIVACY: &str = "DES, AES, AES-192, AES-256, AES-192-C or AES-256-C";
const SECRET: &str = "a secret without ' and \\";

pub(super) fn read(path: &Path) -> Result<Vec<Account>, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| Error::Unreadable { path: path.to_owned(), source })?;
    let mut accounts = Vec::new();
    for (nth, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let place = Place { path, line: nth + 1 };
        let account = words(line).ok_or_else(|| place.expected(LINE))?;
        accounts.push(account_of(&account, &place)?);
    }
    if accounts.is_empty() {
        return Err(Error::Empty { path: path.to_owned() });
    }
    Ok(accounts)
}

/// Where a line is.
struct Place<'a> {
    path: &'a Path,
    line: usize,
}

impl Place<'_> {
    fn expected(&self, expected: &'static str) -> Error {
        Error::Line { path: self.path.to_owned(), line: self.line, expected }
    }
}

/// The words of a line, some of which may stand in quotes; `None` if a quote is not closed.
fn words(line: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word);
        rest = after.trim_start();
    }
    Some(words)
}

fn account_of(words: &[&str], place: &Place<'_>) -> Result<Account, Error> {
    let (name, protection) = match words {
        ["createUser", name, protection @ ..] => (*name, protection),
        _ => return Err(place.expected(LINE)),
    };
    let (authentication, privacy) = match *protection {
        [] => (None, None),
        [hash, secret] => (Some((hash, secret)), None),
        // As with snmpd, one secret may be for both.
        [hash, secret, cipher] => (Some((hash, secret)), Some((cipher, secret))),
        [hash, secret, cipher, other] => (Some((hash, secret)), Some((cipher, other))),
        _ => return Err(place.expected(LINE)),
    };
    let mut snmp_options = format!("username=>'{}'", plain(name, place)?);
    let authentication = match authentication {
        None => None,
        Some((hash, secret)) => {
            let protocol =
                AuthProtocol::from_name(hash).ok_or_else(|| place.expected(AUTHENTICATION))?;
            let (hash, secret) = (plain(hash, place)?, plain(secret, place)?);
            snmp_options += &format!(",authprotocol=>'{hash}',authpassword=>'{secret}'");
            Some(Authentication { protocol, key: Key::Password(Secret::new(secret)) })
        }
    };
    let privacy = match privacy {
        None => None,
        Some((cipher, secret)) => {
            let protocol =
                PrivacyProtocol::from_name(cipher).ok_or_else(|| place.expected(PRIVACY))?;
            let (cipher, secret) = (plain(cipher, place)?, plain(secret, place)?);
            snmp_options += &format!(",privprotocol=>'{cipher}',privpassword=>'{secret}'");
            Some(Privacy { protocol, key: Key::Password(Secret::new(secret)) })
        }
    };
    let user = User::new(name.as_bytes(), authentication, privacy)
        .map_err(|source| Error::User { path: place.path.to_owned(), line: place.line, source })?;
    Ok(Account { user, snmp_options })
}

/// A word that mrtg.cfg can repeat between quotes.
fn plain<'a>(word: &'a str, place: &Place<'_>) -> Result<&'a str, Error> {
    match word.contains(['\'', '\\']) {
        true => Err(place.expected(SECRET)),
        false => Ok(word),
    }
}
