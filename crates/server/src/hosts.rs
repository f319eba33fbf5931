//! The host names that this server answers to.
//!
//! A hostile page can make its own name resolve to this server's address (DNS rebinding); the
//! visitor's browser would then let that page read our answers. But the Host header of its requests
//! has the hostile name. So requests are answered only under names that are configured.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv6Addr};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

/// The host names that requests may have. Numeric addresses are always allowed: a hostile page is
/// not served from one of our addresses.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    /// In lower case, without a dot at the end.
    names: BTreeSet<String>,
    admits_all: bool,
}

/// Allows every name.
const ALL: &str = "*";

impl Hosts {
    /// `localhost` and the name of this machine.
    #[must_use]
    pub fn of_this_machine() -> Self {
        let mut hosts = Self::default();
        hosts.allow("localhost");
        if let Ok(name) = rustix::system::uname().nodename().to_str() {
            hosts.allow(name);
        }
        hosts
    }

    /// Allows another name, with or without a port; `*` allows every name.
    pub fn allow(&mut self, name: &str) {
        self.admits_all |= name == ALL;
        self.names.insert(plain(without_port(name)));
    }

    /// Whether a request may have this host, with or without a port.
    #[must_use]
    pub fn admit(&self, host: &str) -> bool {
        if self.admits_all {
            return true;
        }
        if let Some(rest) = host.strip_prefix('[') {
            let number = rest.split_once(']').map(|(number, _)| number);
            return number.is_some_and(|number| number.parse::<Ipv6Addr>().is_ok());
        }
        let name = plain(without_port(host));
        self.names.contains(&name) || name.ends_with(".localhost") || name.parse::<IpAddr>().is_ok()
    }
}

fn without_port(host: &str) -> &str {
    host.split_once(':').map_or(host, |(name, _)| name)
}

fn plain(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

/// Answers a request only if its host is allowed.
pub(crate) async fn check(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    match stranger(&hosts, request.uri(), request.headers()) {
        None => next.run(request).await,
        Some(name) => (StatusCode::MISDIRECTED_REQUEST, refusal(&name)).into_response(),
    }
}

/// The host of a request, if it is not allowed. A request of HTTP/1.0 may have no host; browsers do
/// not send such requests.
fn stranger(hosts: &Hosts, uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let named = headers.get_all(header::HOST).iter();
    let named = named.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let in_line = uri.authority().map(|authority| authority.as_str().to_owned());
    named.chain(in_line).find(|host| !hosts.admit(host))
}

fn refusal(name: &str) -> String {
    let shown: String =
        without_port(name).chars().filter(|letter| !letter.is_control()).take(255).collect();
    format!(
        "This server does not answer to the name {shown}. If it is meant to, start it with \
         --allow-host and that name.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::Hosts;

    #[test]
    fn numbers_and_our_own_names_are_admitted() {
        let mut hosts = Hosts::of_this_machine();
        hosts.allow("Graphs.Example.org");
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "localhost.",
            "a.localhost:1",
            "127.0.0.1:8080",
            "192.0.2.1",
            "[::1]:8080",
            "[::1]",
            "graphs.example.org:80",
        ] {
            assert!(hosts.admit(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "evillocalhost",
            "127.0.0.1.evil.example",
            "[evil]",
            "[::1",
            "graphs.example.org.evil.example",
            ":8080",
            "*",
        ] {
            assert!(!hosts.admit(host), "{host}");
        }
        hosts.allow("with-port.example:8080");
        assert!(hosts.admit("with-port.example") && hosts.admit("with-port.example:9090"));
        hosts.allow("*");
        assert!(hosts.admit("evil.example"));
    }

    #[test]
    fn this_machine_is_known_by_its_name() {
        let name = rustix::system::uname();
        let name = name.nodename().to_str().unwrap();
        assert!(Hosts::of_this_machine().admit(&format!("{name}:8080")));
    }
}
