//! `SnmpOptions` and `SnmpOptions[]`: `name => number, name => 'text', ...`.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::credentials::Credentials;
use crate::text::{decode, trim};

/// The options of an SNMP session in a configuration. The fields `:timeout:retries:backoff` of an
/// agent take precedence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnmpOptions {
    /// `timeout`: how long to wait for the first answer.
    pub timeout: Option<Duration>,
    /// `retries`: the number of attempts, including the first.
    pub retries: Option<u32>,
    /// `backoff`: the factor by which the timeout grows from one attempt to the next.
    pub backoff: Option<f64>,
    /// `default_max_repetitions`: the rows of a GETBULK.
    pub max_repetitions: Option<u32>,
    /// The user of SNMPv3, if an option of one is set.
    pub credentials: Option<Arc<Credentials>>,
    /// Names of other options, which gyre does not use.
    pub others: Vec<String>,
}

impl SnmpOptions {
    /// Parses the value; `None` if it is not a list of pairs.
    pub(crate) fn parse(value: &[u8]) -> Option<Self> {
        let mut options = Self::default();
        for pair in split_unquoted(value) {
            let pair = trim(pair);
            if !pair.is_empty() {
                options.set(pair)?;
            }
        }
        Some(options)
    }

    fn set(&mut self, pair: &[u8]) -> Option<()> {
        let arrow = pair.windows(2).position(|two| two == b"=>")?;
        let name = unquote(trim(pair.get(..arrow)?))?.to_ascii_lowercase();
        let written = trim(pair.get(arrow + 2..)?);
        let value = unquote(written)?;
        let number = std::str::from_utf8(&value).ok().and_then(finite);
        // Net::SNMP's own arguments begin with a hyphen, which may be left out.
        match name.strip_prefix(b"-").unwrap_or(&name) {
            b"timeout" => self.timeout = Some(Duration::try_from_secs_f64(number?).ok()?),
            b"retries" => self.retries = Some(whole(number?)?),
            b"backoff" => self.backoff = Some(number?),
            b"default_max_repetitions" => self.max_repetitions = Some(whole(number?)?),
            other => self.set_credential(other, &value, *value != *written),
        }
        Some(())
    }

    fn set_credential(&mut self, name: &[u8], value: &[u8], is_quoted: bool) {
        let mut credentials = self.credentials.clone().unwrap_or_default();
        if Arc::make_mut(&mut credentials).set(name, value, is_quoted) {
            self.credentials = Some(credentials);
        } else {
            self.others.push(decode(name));
        }
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn whole(number: f64) -> Option<u32> {
    (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number))
        .then_some(number as u32)
}

/// The parts between commas outside of quotes.
fn split_unquoted(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quote = None;
    let mut is_escaped = false;
    value.split(move |byte| {
        let escapes = quote.is_some() && *byte == b'\\' && !is_escaped;
        match (quote, *byte) {
            _ if is_escaped => {}
            (None, b'\'' | b'"') => quote = Some(*byte),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
        is_escaped = escapes;
        quote.is_none() && *byte == b','
    })
}

/// A bare word or number unchanged, a quoted one without its quotes. In quotes, a backslash makes
/// a quote or a backslash plain.
fn unquote(value: &[u8]) -> Option<Cow<'_, [u8]>> {
    match value {
        [] => None,
        [open @ (b'\'' | b'"'), inner @ .., close] if open == close => Some(unescape(inner, *open)),
        [b'\'' | b'"', ..] => None,
        bare => Some(bare.into()),
    }
}

fn unescape(inner: &[u8], quote: u8) -> Cow<'_, [u8]> {
    if !inner.contains(&b'\\') {
        return inner.into();
    }
    let mut plain = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let [first, after @ ..] = rest {
        match (first, after) {
            (b'\\', [second, last @ ..]) if *second == quote || *second == b'\\' => {
                plain.push(*second);
                rest = last;
            }
            _ => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credentials::{Hidden, Protection};

    #[test]
    fn numbers_and_quoted_text_are_read() {
        let options =
            SnmpOptions::parse(b"retries => 2, timeout=>'1.5', username => 'a,b', backoff => 2,")
                .unwrap();
        assert_eq!(options.retries, Some(2));
        assert_eq!(options.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(options.backoff, Some(2.0));
        assert_eq!(options.credentials.unwrap().username, b"a,b");
        assert_eq!(options.others, [""; 0]);
    }

    /// The line is one that cfgmaker wrote, but for its names and secrets.
    #[test]
    fn a_user_of_version_3_is_read_and_its_secrets_are_not_shown() {
        let options = SnmpOptions::parse(
            b"privprotocol=>'aes',authpassword=>'it\\'s, a \\\\ secret',username=>'mon',\
              privpassword=>$ENV{PRIVACY},authprotocol=>'sha',-contextName => 'vrf',\
              contextengineid=>0x8000000001020304,use_16bit_request_ids => 1",
        )
        .unwrap();
        let credentials = options.credentials.clone().unwrap();
        let Protection { protocol, password, key } = &credentials.authentication;
        assert_eq!((protocol.as_deref(), key), (Some("sha"), &None));
        assert_eq!(*password, Some(Hidden::Written((*b"it's, a \\ secret").into())));
        assert_eq!(credentials.privacy.protocol.as_deref(), Some("aes"));
        assert_eq!(credentials.privacy.password, Some(Hidden::Environment("PRIVACY".into())));
        assert_eq!(credentials.context_name, b"vrf");
        assert_eq!(credentials.context_engine_id.as_deref(), Some("0x8000000001020304"));
        assert_eq!(options.others, ["use_16bit_request_ids"]);
        assert!(!format!("{options:?}").contains("secret"));
    }

    #[test]
    fn other_forms_are_refused() {
        for wrong in
            ["retries", "retries => ", "=> 2", "timeout => x", "timeout => -1", "username => 'open"]
        {
            assert_eq!(SnmpOptions::parse(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
