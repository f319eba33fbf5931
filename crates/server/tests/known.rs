//! Visitors who are known by a certificate, or by a proxy that asked them.
#![allow(clippy::disallowed_methods, reason = "it opens sockets and writes certificates")]

mod fixture;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use access::{Current, Tokens};
use fixture::{Fixture, fixture};
use guard::{Tls, TlsFiles};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use server::{Gate, Hosts, Limits, Proxies, Running};

/// A read that waits longer than this counts as no answer.
const HANG: Duration = Duration::from_secs(60);
const LINES: &[u8] =
    b"anna read proxy\nboss admin proxy\nhost.example read cert\nanna2 read cert\n";

struct Serving {
    running: Running,
    _site: Fixture,
}

impl Serving {
    fn start(gate: Gate, tls: Option<Tls>) -> Self {
        let site = fixture(1, 0, 0);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let router = gate.around(server::router(site.context.clone(), Hosts::of_this_machine()));
        let running = server::start_encrypted(listener, tls, router, Limits::default());
        Self { running: running.expect("a server"), _site: site }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.running.address()).expect("it listens");
        stream.set_read_timeout(Some(HANG)).expect("a socket");
        stream
    }
}

fn gate() -> Gate {
    Gate::new(Current::new(Tokens::parse(LINES).expect("a file of tokens")))
}

/// The status of an answer; `None` where there is none.
fn status(mut stream: impl Read + Write, method: &str, headers: &str) -> Option<u16> {
    let head =
        format!("{method} / HTTP/1.1\r\nHost: localhost\r\n{headers}Connection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text); // a reset is an end too
    String::from_utf8_lossy(&text).get(9..12)?.parse().ok()
}

#[test]
fn a_proxy_says_who_asks_and_others_are_not_believed() {
    let noted = Arc::new(AtomicUsize::new(0));
    let proxies = |from: &str| {
        let noted = Arc::clone(&noted);
        let note = move |_| {
            noted.fetch_add(1, Ordering::Relaxed);
        };
        Proxies::new("X-Remote-User", [from.parse().expect("an address")], note).expect("a header")
    };
    let ours = Serving::start(gate().behind(proxies("::ffff:127.0.0.1")), None);
    for (method, headers, expected) in [
        ("GET", "X-Remote-User: anna\r\n", 200),
        ("GET", "x-remote-user: boss\r\n", 200),
        ("GET", "X-Remote-User: nobody\r\n", 403),
        ("GET", "X-Remote-User: host.example\r\n", 403), // that is a certificate's
        ("GET", "X-Remote-User: \r\n", 403),
        ("GET", "X-Remote-User: boss\r\nX-Remote-User: anna\r\n", 403),
        ("GET", "", 401),
        ("GET", "X-Remote-Users: anna\r\n", 401),
        // A browser sends the proxy's cookie by itself: nothing is changed for it (CSRF).
        ("POST", "X-Remote-User: boss\r\n", 403),
        ("POST", "X-Remote-User: anna\r\n", 403),
    ] {
        assert_eq!(status(ours.connect(), method, headers), Some(expected), "{method} {headers}");
    }
    assert_eq!(noted.load(Ordering::Relaxed), 0);
    let elsewhere = Serving::start(gate().behind(proxies("10.0.0.1")), None);
    for _ in 0..3 {
        assert_eq!(status(elsewhere.connect(), "GET", "X-Remote-User: boss\r\n"), Some(401));
    }
    assert_eq!(noted.load(Ordering::Relaxed), 1, "it is told once");
    let without = Serving::start(gate(), None);
    assert_eq!(status(without.connect(), "GET", "X-Remote-User: boss\r\n"), Some(401));
    assert!(Proxies::new("two words", [], |_| ()).is_none());
}

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::<String>::new()).expect("names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(params, key).expect("a certificate"))
    }

    fn identity(&self, name: &str) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        (params.signed_by(&key, &self.0).expect("a certificate"), key)
    }

    fn connect(
        &self,
        site: &Serving,
        name: Option<&str>,
    ) -> StreamOwned<ClientConnection, TcpStream> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).expect("an authority");
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().expect("versions");
        let builder = builder.with_root_certificates(roots);
        let config = match name.map(|name| self.identity(name)) {
            Some((certificate, key)) => {
                let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
                builder.with_client_auth_cert(vec![certificate.der().clone()], key).expect("both")
            }
            None => builder.with_no_client_auth(),
        };
        let name = "localhost".try_into().expect("a name");
        let connection = ClientConnection::new(Arc::new(config), name).expect("a connection");
        StreamOwned::new(connection, site.connect())
    }
}

#[test]
fn certificates_say_who_asks() {
    let (room, authority) = (tempfile::tempdir().expect("a directory"), Authority::new());
    let write = |name: &str, text: String| {
        let path = room.path().join(name);
        fs::write(&path, text).expect("a file");
        path
    };
    let (certificate, key) = authority.identity("localhost");
    let files = TlsFiles {
        certificate: write("cert.pem", certificate.pem()),
        key: write("key.pem", key.serialize_pem()),
        client_authorities: Some(write("ca.pem", authority.0.pem())),
    };
    let tls = Tls::open(files.clone()).expect("TLS");
    let site = Serving::start(gate(), Some(tls.clone()));
    let ask = |name, method| status(authority.connect(&site, name), method, "");
    assert_eq!(ask(Some("host.example"), "GET"), Some(200));
    assert_eq!(ask(Some("other.example"), "GET"), Some(401));
    assert_eq!(ask(Some("anna"), "GET"), Some(401)); // that is a proxy's
    assert_eq!(ask(Some("host.example"), "POST"), Some(403));
    assert_eq!(ask(None, "GET"), None);
    assert_eq!(status(site.connect(), "GET", ""), None);
    // A pair that does not fit is refused by its names, and what was there stays.
    let (other, _) = authority.identity("localhost");
    write("cert.pem", other.pem());
    let told = tls.reload().expect_err("the key is another's").to_string();
    assert!(told.contains("cert.pem") && told.contains("key.pem"), "{told}");
    assert_eq!(ask(Some("host.example"), "GET"), Some(200));
    write("cert.pem", String::new());
    let told = Tls::open(files).expect_err("there is none").to_string();
    assert!(told.ends_with("cert.pem: expected certificates in PEM, found none"), "{told}");
}
