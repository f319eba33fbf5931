//! VictoriaMetrics as a process of its own, asked by HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use testbed::ProcessCounters;

/// The longest wait for its first answer.
const READY_SECONDS: u64 = 60;
/// The pause between two tries to reach it.
const PAUSE: Duration = Duration::from_millis(20);

/// A running server with an empty store; it is killed when dropped.
#[derive(Debug)]
pub(crate) struct Victoria {
    child: Child,
    port: u16,
}

impl Victoria {
    /// Starts it on a free port of the loopback interface and waits until it answers.
    pub(crate) fn start(program: &Path, directory: &Path) -> Result<Self, String> {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
        let port = free.map_err(|error| error.to_string())?.port();
        let mut command = Command::new(program);
        command.arg("-storageDataPath").arg(directory);
        command.arg(format!("-httpListenAddr=127.0.0.1:{port}"));
        command.args(["-retentionPeriod=100y", "-search.maxExportDuration=1h"]);
        command.args(["-search.maxUniqueTimeseries=10000000", "-loggerLevel=ERROR"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let mut server = Self { child, port };
        server.wait_until_ready()?;
        Ok(server)
    }

    fn wait_until_ready(&mut self) -> Result<(), String> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(READY_SECONDS) {
            if let Some(status) = self.child.try_wait().map_err(|error| error.to_string())? {
                return Err(format!("VictoriaMetrics ended: {status}"));
            }
            if self.get("/health").is_ok() {
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        Err(format!("VictoriaMetrics does not answer after {READY_SECONDS} s"))
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// A connection for lines of Influx.
    pub(crate) fn connect(&self) -> Result<Writer, String> {
        Writer::to(self.port).map_err(|error| error.to_string())
    }

    /// The body of an answer.
    pub(crate) fn get(&self, path: &str) -> Result<Vec<u8>, String> {
        let text = |error: std::io::Error| format!("VictoriaMetrics: {path}: {error}");
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(text)?;
        // Of an answer by HTTP 1.0 the body ends where the connection does.
        stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).map_err(text)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).map_err(text)?;
        let head_end = answer.windows(4).position(|it| it == b"\r\n\r\n");
        let head_end = head_end.ok_or_else(|| format!("VictoriaMetrics: {path}: no head"))?;
        let status = String::from_utf8_lossy(&answer[..head_end.min(64)]).into_owned();
        if !status.contains(" 200 ") {
            return Err(format!("VictoriaMetrics: {path}: {status}"));
        }
        Ok(answer.split_off(head_end + 4))
    }

    /// Makes it show everything that it has taken.
    pub(crate) fn flush(&self) -> Result<(), String> {
        self.get("/internal/force_flush").map(drop)
    }

    /// The kernel's counters of the server.
    pub(crate) fn counters(&self) -> Result<ProcessCounters, String> {
        ProcessCounters::of(self.child.id())
    }
}

impl Drop for Victoria {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}

/// A connection that stays open for many requests.
#[derive(Debug)]
pub(crate) struct Writer {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Writer {
    fn to(port: u16) -> std::io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        let reader = BufReader::new(stream.try_clone()?);
        Ok(Self { stream, reader })
    }

    /// Sends lines and waits until they are taken.
    pub(crate) fn write(&mut self, lines: &str) -> Result<(), String> {
        let text = |error: std::io::Error| format!("VictoriaMetrics: {error}");
        let length = lines.len();
        let head = format!("POST /write HTTP/1.1\r\nHost: it\r\nContent-Length: {length}\r\n\r\n");
        self.stream.write_all(head.as_bytes()).map_err(text)?;
        self.stream.write_all(lines.as_bytes()).map_err(text)?;
        let mut status = String::new();
        self.reader.read_line(&mut status).map_err(text)?;
        if !status.contains(" 204 ") {
            return Err(format!("VictoriaMetrics: {}", status.trim_end()));
        }
        let mut line = status;
        while !line.trim_end().is_empty() {
            line.clear();
            self.reader.read_line(&mut line).map_err(text)?;
        }
        Ok(())
    }
}
