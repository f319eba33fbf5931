//! Proxies that say who asks, as options name them.

use std::net::IpAddr;

/// What [`ProxyUsers::addresses_of`] takes.
pub const PROXY_ADDRESSES_EXPECTED: &str = "addresses in numbers, commas between";

/// Proxies that say in a header who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyUsers {
    /// The header's name, as it was given.
    pub header: String,
    /// Where the proxies are.
    pub addresses: Vec<IpAddr>,
}

/// Of the options that name proxies and their users, some are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--proxy-users needs --proxy-from and --tokens")]
pub struct ProxyIncomplete;

impl ProxyUsers {
    /// The addresses of a list; `None` if it is none.
    #[must_use]
    pub fn addresses_of(list: &str) -> Option<Vec<IpAddr>> {
        list.split(',').map(|address| address.parse().ok()).collect()
    }

    /// What `--proxy-users`, `--proxy-from` and `--tokens` say together; `None` where there are
    /// neither a header nor addresses.
    ///
    /// # Errors
    /// [`ProxyIncomplete`].
    pub fn of_options(
        header: Option<String>,
        addresses: Vec<IpAddr>,
        has_tokens: bool,
    ) -> Result<Option<Self>, ProxyIncomplete> {
        match header {
            None if addresses.is_empty() => Ok(None),
            Some(header) if !addresses.is_empty() && has_tokens => {
                Ok(Some(Self { header, addresses }))
            }
            _ => Err(ProxyIncomplete),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::ProxyUsers;

    #[test]
    fn addresses_are_numbers_with_commas_between() {
        let expected: [IpAddr; 2] = ["192.0.2.7", "::1"].map(|address| address.parse().unwrap());
        assert_eq!(ProxyUsers::addresses_of("192.0.2.7,::1").unwrap(), expected);
        for wrong in ["", "localhost", "192.0.2.7,", "192.0.2.0/24", "192.0.2.7, ::1"] {
            assert_eq!(ProxyUsers::addresses_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn all_three_options_are_there_or_none() {
        let header = || Some("X-Remote-User".to_owned());
        let addresses = || ProxyUsers::addresses_of("::1").unwrap();
        assert_eq!(ProxyUsers::of_options(None, Vec::new(), true), Ok(None));
        assert!(ProxyUsers::of_options(header(), addresses(), true).unwrap().is_some());
        for (header, addresses, has_tokens) in [
            (header(), Vec::new(), true),
            (None, addresses(), true),
            (header(), addresses(), false),
        ] {
            assert!(ProxyUsers::of_options(header, addresses, has_tokens).is_err());
        }
    }
}
