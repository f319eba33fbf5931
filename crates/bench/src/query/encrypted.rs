//! BATCH of rrdcached's protocol over TLS, beside the same over TCP in the clear: cycle after cycle
//! an update of each database of a ring store, the two taking turns.
//!
//! Expected: a line has 60 bytes. To encrypt and decrypt them takes 60 ns at 2 GB/s for each side,
//! and their copies through one more pair of sockets as much, beside 1 us that an update takes.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::Bench;
use crate::daemon::{Place, Subject, Sync, create_ring, first_cycle};
use crate::report::{Report, Row};
use crate::workload::{THREADS, Workload};

/// The least part of the rate in the clear.
const PART: f64 = 0.8;
/// Lines of a BATCH.
const BATCH_LINES: usize = 4000;
/// Updates that have gone to the store before it is measured.
const WARM_CYCLES: u64 = 2;

/// A connection of either kind.
type Connection = BufReader<Box<dyn Stream>>;

trait Stream: Read + Write + Send {}

impl<S: Read + Write + Send> Stream for S {}

/// A daemon that listens in the clear and encrypted.
struct Listening {
    plain: SocketAddr,
    encrypted: SocketAddr,
    config: Arc<ClientConfig>,
    words: Vec<String>,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let rrds = bench.options.updated;
    let place = Place::make(bench.inside, "encrypted")?;
    let workload = Workload::mrtg(rrds);
    create_ring(&place, &workload)?;
    let listening = Listening::beside(&place.beside)?;
    let daemon = Subject::Ring(Sync::Always).start_with(&place, None, &listening.words)?;
    let mut rates = [Vec::new(), Vec::new()];
    let mut cycle = first_cycle();
    for round in 0..WARM_CYCLES + bench.options.rounds as u64 {
        for (is_encrypted, rates) in [false, true].into_iter().zip(&mut rates) {
            let seconds = listening.send(workload, cycle, is_encrypted)?;
            cycle += 1;
            if round >= WARM_CYCLES {
                rates.push(rrds as f64 / seconds);
            }
        }
    }
    drop(daemon);
    let _ = std::fs::remove_dir_all(&place.beside); // the space is needed
    let what = format!("BATCH over TLS, ring store of {} RRDs, updates", ::figures::count(rrds));
    let row = Row::of_turns(what, "/s", "in the clear", &rates).times(PART);
    report.row(row.note(format!(
        "{THREADS} connections over TCP, {BATCH_LINES} lines a BATCH, --sync always; clients and \
         daemon share the processors"
    )));
    Ok(())
}

impl Listening {
    /// Two ports, and a certificate that is written into a directory.
    fn beside(directory: &Path) -> Result<Self, String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let pair = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]);
        let pair = pair.map_err(|error| told(&error))?;
        let (certificate, key) = (directory.join("cert.pem"), directory.join("key.pem"));
        let written = std::fs::write(&certificate, pair.cert.pem());
        written
            .and_then(|()| std::fs::write(&key, pair.signing_key.serialize_pem()))
            .map_err(|error| told(&error))?;
        let [plain, encrypted] = [free_address()?, free_address()?];
        let text = |path: &Path| path.display().to_string();
        let listen = |address: String| ["-l".to_owned(), address];
        let words = [
            listen(plain.to_string()),
            listen(format!("tls:{encrypted}")),
            ["--tls-cert".to_owned(), text(&certificate)],
            ["--tls-key".to_owned(), text(&key)],
        ];
        let config = trusting(pair.cert.der()).map_err(|error| told(&error))?;
        Ok(Self { plain, encrypted, config: Arc::new(config), words: words.concat() })
    }

    fn connect(&self, is_encrypted: bool) -> Result<Connection, String> {
        let address = if is_encrypted { self.encrypted } else { self.plain };
        let stream = TcpStream::connect(address).map_err(|error| error.to_string())?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        if !is_encrypted {
            return Ok(BufReader::new(Box::new(stream)));
        }
        let name = "localhost".try_into().map_err(|error| format!("{error}"))?;
        let connection = ClientConnection::new(Arc::clone(&self.config), name);
        let connection = connection.map_err(|error| error.to_string())?;
        let mut stream = StreamOwned::new(connection, stream);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock).map_err(|error| error.to_string())?;
        }
        Ok(BufReader::new(Box::new(stream)))
    }

    /// Sends a cycle; returns its seconds from the first byte to the last acknowledgement.
    fn send(&self, workload: Workload, cycle: u64, is_encrypted: bool) -> Result<f64, String> {
        let text = |rrds: &[u64]| workload.updates(rrds, cycle);
        let shares = (0..THREADS).map(|nth| workload.share_of(nth, THREADS));
        let texts = shares.map(|share| share.chunks(BATCH_LINES).map(text).collect());
        let texts: Vec<Vec<String>> = texts.collect();
        let connections = (0..THREADS).map(|_| self.connect(is_encrypted));
        let connections: Vec<Connection> = connections.collect::<Result<_, _>>()?;
        let begun = Instant::now();
        std::thread::scope(|scope| {
            let sending = connections.into_iter().zip(&texts).map(|(mut connection, texts)| {
                scope.spawn(move || texts.iter().try_for_each(|it| batch(&mut connection, it)))
            });
            let sending: Vec<_> = sending.collect();
            let mut sent = sending.into_iter().map(|it| it.join().expect("it does not panic"));
            sent.try_for_each(|sent| sent)
        })?;
        Ok(begun.elapsed().as_secs_f64())
    }
}

/// Sends lines as a batch and waits until all are acknowledged.
fn batch(connection: &mut Connection, lines: &str) -> Result<(), String> {
    tell(connection, "BATCH\n")?;
    tell(connection, &format!("{lines}.\n"))
}

fn tell(connection: &mut Connection, text: &str) -> Result<(), String> {
    let mut reply = String::new();
    let stream = connection.get_mut();
    let told = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    told.and_then(|()| connection.read_line(&mut reply)).map_err(|error| error.to_string())?;
    match reply.starts_with("0 ") {
        true => Ok(()),
        false => Err(format!("refused: {reply}")),
    }
}

fn trusting(certificate: &CertificateDer<'_>) -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone().into_owned())?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn free_address() -> Result<SocketAddr, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    listener.local_addr().map_err(|error| error.to_string())
}
