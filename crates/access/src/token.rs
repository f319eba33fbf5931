//! A token, and what is kept of it.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};
use zeroize::{Zeroize as _, Zeroizing};

/// Random bytes of a token.
pub const TOKEN_BYTES: usize = 32;
/// What every token begins with, so that programs that look for leaked secrets can find one.
const MARK: &str = "gyre_";
/// What stands before a hash in a file.
const HASH_MARK: &str = "sha256:";
const HASH_BYTES: usize = 32;

/// A secret that a client shows. It is wiped from memory when it goes, and is not shown by `{:?}`.
#[derive(Clone)]
pub struct Token(Zeroizing<String>);

impl Token {
    /// The token of so many random bytes.
    #[must_use]
    pub fn of(mut random: [u8; TOKEN_BYTES]) -> Self {
        let mut text = Zeroizing::new(String::with_capacity(MARK.len() + 2 * TOKEN_BYTES));
        text.push_str(MARK);
        put_hex(&mut text, &random);
        random.zeroize();
        Self(text)
    }

    /// The token that a client shows; `None` if no token looks like that. The form is fixed, so that
    /// nobody can use a word that is easily guessed.
    #[must_use]
    pub fn read(shown: &str) -> Option<Self> {
        bytes_of_hex::<TOKEN_BYTES>(shown.strip_prefix(MARK)?)?;
        Some(Self(Zeroizing::new(shown.to_owned())))
    }

    /// The secret itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(..)")
    }
}

/// SHA-256 of a token's text. A slow hash, as passwords need it, would gain nothing: a token has 256
/// random bits, of which no computer tries a noticeable part.
#[derive(Clone, Copy, Debug)]
pub struct TokenHash([u8; HASH_BYTES]);

impl TokenHash {
    /// Reads what [`TokenHash`] shows.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        bytes_of_hex(text.strip_prefix(HASH_MARK)?).map(Self)
    }

    /// Whether both are the same, in a time that does not tell where they differ.
    pub(crate) fn is(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

impl fmt::Display for TokenHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = HASH_MARK.to_owned();
        put_hex(&mut text, &self.0);
        formatter.write_str(&text)
    }
}

fn put_hex(text: &mut String, bytes: &[u8]) {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
    }
}

/// The bytes that lower-case digits stand for; `None` if they are not so many.
fn bytes_of_hex<const COUNT: usize>(text: &str) -> Option<[u8; COUNT]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != COUNT || !rest.is_empty() {
        return None;
    }
    let mut bytes = [0; COUNT];
    for (byte, &[high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = nibble(high)? << 4 | nibble(low)?;
    }
    Some(bytes)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Token, TokenHash};

    #[test]
    fn a_token_is_read_as_it_is_shown() {
        let token = Token::of(std::array::from_fn(|nth| nth as u8 * 7));
        assert_eq!(token.reveal().len(), 5 + 64);
        let read = Token::read(token.reveal()).unwrap();
        assert_eq!(read.reveal(), token.reveal());
        assert_eq!(format!("{token:?}"), "Token(..)");
        let hash = TokenHash::read(&token.hash().to_string()).unwrap();
        assert!(bool::from(hash.is(&token.hash())));
        let other = Token::of([1; 32]).hash();
        assert!(!bool::from(hash.is(&other)));
    }

    #[test]
    fn the_hash_is_that_of_sha256sum() {
        // printf gyre_0000...0 | sha256sum
        let hash = Token::of([0; 32]).hash().to_string();
        assert_eq!(hash, ZEROS_HASH);
    }

    const ZEROS_HASH: &str =
        "sha256:a49abb4816670be0cdc8c13a4b4fe2ffcbe1c35ad1c1f83b5e09d2f3390e9772";

    #[test]
    fn what_is_no_token_is_none() {
        let good = Token::of([171; 32]).reveal().to_owned();
        for wrong in [
            "",
            "gyre_",
            "gyre_secret",
            &good[..good.len() - 1],
            &good[1..],
            &format!("{good}0"),
            &format!("{good} "),
            &good.to_uppercase(),
            &good.replace('a', "g"),
            &good.replace("ab", "ä"),
        ] {
            assert!(Token::read(wrong).is_none(), "{wrong}");
        }
    }
}
