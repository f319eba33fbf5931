//! Who may see what a run serves: tokens, roles, prefixes, as programs and browsers show them.
#![allow(clippy::disallowed_methods)] // the test starts gyre and asks it

mod running;
mod said;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use running::{Run, answer, configure, gyre, network};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(30);

/// A new token of this name.
fn token(file: &Path, words: &[&str]) -> String {
    let file = file.to_str().unwrap();
    let printed = answer(&[&["token", "new"], words, &[file]].concat());
    let token = printed.trim_end().to_owned();
    assert!(token.starts_with("gyre_") && token.len() == 69 && printed.lines().count() == 1);
    token
}

/// The status of an answer, and all of it.
fn get(address: &str, path: &str, token: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let shown = match token {
        "" => String::new(),
        token => format!("Authorization: Bearer {token}\r\n"),
    };
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n{shown}Connection: close\r\n\r\n")
        .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    (text[9..12].parse().unwrap(), text)
}

/// Where the pages of a run are.
fn address(run: &mut Run) -> String {
    let line = run.said.wait_for("web pages at http://");
    line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned()
}

/// Waits until a page has this status.
fn await_status(address: &str, path: &str, token: &str, status: u16) {
    let began = Instant::now();
    while get(address, path, token).0 != status {
        assert!(began.elapsed() < PATIENCE, "{path} never has status {status}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn tokens_say_who_sees_what_of_a_run() {
    let room = TempDir::new().unwrap();
    let file = room.path().join("tokens");
    let network = network();
    configure(&network, room.path());
    let all = token(&file, &["--name", "all"]);
    let words = format!("--tokens={}", file.display());
    let mut run = Run::start_with(room.path(), &["--listen=127.0.0.1:0", &words], &[]);
    let address = address(&mut run);
    // Nothing is served without a token, whatever is asked for.
    for path in ["/", "/status", "/metrics", "/api/targets.json", "/assets/x/style.css", "/none"] {
        let (status, told) = get(&address, path, "");
        assert_eq!(status, 401, "{path}: {told}");
        assert!(told.to_lowercase().contains("www-authenticate: basic realm="), "{told}");
    }
    let (status, listed) = get(&address, "/api/targets.json", &all);
    assert_eq!(status, 200);
    let names = listed.split("\"name\":\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let names: Vec<String> = names.map(str::to_owned).collect();
    let (first, last) = (names.first().unwrap(), names.last().unwrap());
    assert!(names.len() > 8 && first != last, "{names:?}");
    // A token that is made while the run goes on counts from SIGHUP on.
    let some = token(&file, &["--name=some", "--role=admin", "--prefix", first]);
    assert_eq!(get(&address, "/", &some).0, 401);
    run.signal("HUP");
    await_status(&address, "/", &some, 200);
    assert_eq!(get(&address, &format!("/t/{first}"), &some).0, 200);
    assert_eq!(get(&address, &format!("/t/{last}"), &some).0, 404);
    assert_eq!(get(&address, &format!("/t/{last}"), &all).0, 200);
    assert_eq!(get(&address, "/status", &some).0, 403);
    // A broken file changes nothing; a line that is gone is a token that counts no more.
    let lines = fs::read_to_string(&file).unwrap();
    fs::write(&file, "nonsense\n").unwrap();
    run.signal("HUP");
    let refused = run.said.wait_for("the tokens stay as they were");
    assert!(refused.contains("tokens:1: expected NAME ROLE PROOF"), "{refused}");
    assert_eq!(get(&address, "/", &all).0, 200);
    let kept: Vec<&str> = lines.lines().filter(|line| !line.starts_with("all ")).collect();
    fs::write(&file, kept.join("\n")).unwrap();
    run.signal("HUP");
    await_status(&address, "/", &all, 401);
    assert_eq!(get(&address, "/", &some).0, 200);
    let said = run.terminate();
    assert!(!said.contains(&all) && !said.contains(&some), "{said}");
}

#[test]
fn requests_are_logged_without_secrets() {
    let room = TempDir::new().unwrap();
    let (file, log) = (room.path().join("tokens"), room.path().join("requests"));
    let network = network();
    configure(&network, room.path());
    let one = token(&file, &["--name", "one"]);
    let words =
        [format!("--tokens={}", file.display()), format!("--request-log={}", log.display())];
    let mut run =
        Run::start_with(room.path(), &["--listen=127.0.0.1:0", &words[0], &words[1]], &[]);
    let address = address(&mut run);
    assert_eq!(get(&address, "/api/v1/query?query=secret", &one).0, 200);
    assert_eq!(get(&address, "/", "gyre_unknown").0, 401);
    let lines = |file: &Path, count: usize| {
        let began = Instant::now();
        loop {
            let text = fs::read_to_string(file).unwrap_or_default();
            if text.lines().count() >= count {
                return text.lines().map(str::to_owned).collect::<Vec<_>>();
            }
            assert!(began.elapsed() < PATIENCE, "{text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let logged = lines(&log, 2);
    assert!(logged[0].contains(r#""path":"/api/v1/query""#), "{logged:?}");
    assert!(
        logged[0].contains(r#""user":"one""#) && logged[0].contains(r#""status":200"#),
        "{logged:?}"
    );
    assert!(
        logged[1].contains(r#""status":401"#) && logged[1].contains(r#""user":null"#),
        "{logged:?}"
    );
    let all = logged.concat();
    assert!(
        !all.contains("secret") && !all.contains(&one) && !all.contains("gyre_unknown"),
        "{all}"
    );
    // What logrotate does.
    let moved = room.path().join("requests.1");
    fs::rename(&log, &moved).unwrap();
    run.signal("HUP");
    let began = Instant::now();
    while !log.exists() {
        assert!(began.elapsed() < PATIENCE, "the log is not opened anew");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(get(&address, "/status", &one).0, 200);
    assert_eq!(lines(&log, 1).len(), 1);
    assert_eq!(lines(&moved, 2).len(), 2);
}

#[test]
fn a_file_of_tokens_is_made_listed_and_checked() {
    let room = TempDir::new().unwrap();
    let file = room.path().join("tokens");
    let path = file.to_str().unwrap();
    let first = token(&file, &["--name", "grafana", "--prefix", "router/", "--prefix=core-"]);
    let second = token(&file, &["--name=b", "--role=write"]);
    assert_ne!(first, second);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o600);
    let kept = fs::read_to_string(&file).unwrap();
    assert!(!kept.contains(&first[5..]) && !kept.contains(&second[5..]), "{kept}");
    let listed = answer(&["token", "list", path]);
    assert_eq!(listed, "grafana  read   token  router/ core-\nb        write  token  all names\n");
    let refused = |words: &[&str], part: &str| {
        let (is_well, told) = gyre(words);
        assert!(!is_well && told.contains(part), "{words:?}: {told}");
    };
    refused(&["token", "new", "--name", "b", path], "there is a token b already");
    refused(&["token", "new", path], "expected --name NAME");
    refused(&["token", "new", "--name", "a b", path], "--name: expected at most 64 letters");
    refused(&["token", "new", "--name", "c", "--prefix", "a b", path], "--prefix: expected");
    refused(&["token", "new", "--name", "c", "--role", "root", path], "read, write or admin");
    assert_eq!(fs::read_to_string(&file).unwrap(), kept);
    // A line without an end is no reason to spoil it.
    fs::write(&file, kept.trim_end()).unwrap();
    token(&file, &["--name", "c"]);
    assert_eq!(answer(&["token", "list", path]).lines().count(), 3);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o620)).unwrap();
    refused(&["token", "list", path], "it has mode 0620");
    refused(&["token", "new", "--name", "d", path], "it has mode 0620");
    refused(&["token", "list", room.path().to_str().unwrap()], "expected a file");
    fs::write(room.path().join("mrtg.cfg"), "WorkDir: /tmp\n").unwrap();
    let configuration = room.path().join("mrtg.cfg").display().to_string();
    let store = room.path().join("store").display().to_string();
    let run = ["run", "--store", &store, "--tokens", path, &configuration];
    refused(&run, "--tokens: ");
}

#[test]
fn what_others_reach_is_refused_at_start() {
    let room = TempDir::new().unwrap();
    let path = |name: &str| room.path().join(name).display().to_string();
    let network = network();
    configure(&network, room.path());
    fs::create_dir(path("base")).unwrap();
    let hint = "others than users of this machine reach it, and nothing says who may ask";
    let refused = |words: &[&str], address: &str| {
        let (is_well, told) = gyre(words);
        assert!(!is_well && told.contains(address) && told.contains(hint), "{words:?}: {told}");
    };
    let (store, configuration) = (path("store"), path("mrtg.cfg"));
    let run_refused = |words: &[&str], address: &str| {
        refused(&[&["run", "--store", &store], words, &[&configuration]].concat(), address);
    };
    for address in ["0.0.0.0:0", "[::]:0"] {
        run_refused(&["--listen", address], &format!("--listen {address}"));
        run_refused(&["--no-web", "--rrdcached", address], "--rrdcached ");
    }
    let (base, pid, log) = (path("base"), path("pid"), path("log"));
    let daemon = ["rrdcached", "-g", "-b", &base, "-p", &pid, "-o", &log];
    let unix = path("socket");
    let port = free_port();
    refused(&[&daemon[..], &["-l", &format!("0.0.0.0:{port}")]].concat(), &port.to_string());
    let web = format!("0.0.0.0:{port}");
    refused(&[&daemon[..], &["-l", &unix, "--web", &web]].concat(), &format!("--web {web}"));
    // What says who may ask, or that everybody may, has it start.
    token(&room.path().join("tokens"), &["--name", "all"]);
    let tokens = format!("--tokens={}", path("tokens"));
    for words in [&["--insecure"][..], &[&tokens]] {
        let words = [&["--listen=0.0.0.0:0"], words].concat();
        let mut run = Run::start_with(room.path(), &words, &[]);
        run.said.wait_for("web pages at http://0.0.0.0:");
        run.terminate();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A daemon; it is killed when dropped.
struct Daemon(Child);

impl Daemon {
    /// Starts one that will listen at this port of loopback, and waits until it does.
    fn start(words: &[&str], port: u16) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
        command.args(["rrdcached", "-g"]).args(words).stdout(Stdio::null()).stderr(Stdio::null());
        let daemon = Self(command.spawn().unwrap());
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(began.elapsed() < PATIENCE, "it never listens");
            std::thread::sleep(Duration::from_millis(20));
        }
        daemon
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill(); // it may have ended
        let _ = self.0.wait();
    }
}

/// What gyre's client says in a directory, with these variables.
fn client(directory: &Path, words: &[&str], variables: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.current_dir(directory).args(words).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let told = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&told).into_owned())
}

#[test]
fn a_client_trusts_the_authorities_that_it_is_told() {
    let room = TempDir::new().unwrap();
    let path = |name: &str| room.path().canonicalize().unwrap().join(name).display().to_string();
    let pair = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    fs::write(path("cert"), pair.cert.pem()).unwrap();
    fs::write(path("key"), pair.signing_key.serialize_pem()).unwrap();
    fs::write(path("other"), other.cert.pem()).unwrap();
    fs::create_dir(path("base")).unwrap();
    let secret = token(&room.path().join("tokens"), &["--name=admin", "--role=admin"]);
    fs::write(path("secret"), format!("{secret}\n")).unwrap();
    let port = free_port();
    let (listen, address) = (format!("tls:127.0.0.1:{port}"), format!("tls:localhost:{port}"));
    let files = ["base", "pid", "log", "cert", "key", "tokens"].map(path);
    let [base, pid, log, cert, key, tokens] = files.each_ref().map(String::as_str);
    let words = ["-l", &listen, "-b", base, "-p", pid, "-o", log];
    let guarded = ["--tls-cert", cert, "--tls-key", key, "--tokens", tokens];
    let _daemon = Daemon::start(&[&words[..], &guarded].concat(), port);
    let create = ["create", "a.rrd", "--daemon", &address, "-s", "60", "-b", "1000000000"];
    let create = [&create[..], &["DS:x:GAUGE:120:U:U", "RRA:AVERAGE:0.5:1:10"]].concat();
    let ask = |words: &[&str], variables: &[(&str, &str)]| client(room.path(), words, variables);
    let (secret, other) = (path("secret"), path("other"));
    for (variables, part) in [
        (&[][..], "Unable to connect to rrdcached"),
        (&[("RRDCACHED_CA_FILE", &*other)][..], "invalid peer certificate"),
        (&[("RRDCACHED_CA_FILE", &*secret)][..], "expected certificates in PEM, found none"),
        (&[("RRDCACHED_CA_FILE", cert)][..], "Permission denied."),
        (&[("RRDCACHED_CA_FILE", cert), ("RRDCACHED_TOKEN_FILE", "/none")][..], "/none: "),
        (&[("RRDCACHED_CA_FILE", cert), ("RRDCACHED_TOKEN_FILE", cert)][..], "expected a token"),
    ] {
        let (is_well, told) = ask(&["flushcached", "--daemon", &address, "a.rrd"], variables);
        assert!(!is_well && told.contains(part), "{variables:?}: {told}");
    }
    let known = [("RRDCACHED_CA_FILE", cert), ("RRDCACHED_TOKEN_FILE", &*secret)];
    assert_eq!(ask(&create, &known), (true, String::new()));
    let update = ["update", "a.rrd", "--daemon", &address, "1000000060:1", "1000000120:2"];
    assert_eq!(ask(&update, &known), (true, String::new()));
    let (is_well, told) = ask(&["last", "a.rrd", "--daemon", &address], &known);
    assert_eq!((is_well, told.as_str()), (true, "1000000080\n"));
    let logged = fs::read_to_string(path("log")).unwrap_or_default();
    assert!(!logged.contains(&secret), "{logged}");
}

/// An authority, and a certificate of it for this host.
struct Authority(rcgen::CertifiedIssuer<'static, rcgen::KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = rcgen::CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = rcgen::KeyPair::generate().unwrap();
        Self(rcgen::CertifiedIssuer::self_signed(params, key).unwrap())
    }

    /// Writes the certificate and the key of a host: `NAME.pem` and `NAME.key`.
    fn identify(&self, room: &Path, host: &str, name: &str) {
        let key = rcgen::KeyPair::generate().unwrap();
        let params = rcgen::CertificateParams::new(vec![host.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        fs::write(room.join(format!("{name}.pem")), certificate.pem()).unwrap();
        fs::write(room.join(format!("{name}.key")), key.serialize_pem()).unwrap();
    }
}

#[test]
fn a_client_shows_the_certificate_that_it_is_told() {
    let room = TempDir::new().unwrap();
    let directory = room.path().canonicalize().unwrap();
    let path = |name: &str| directory.join(name).display().to_string();
    let authority = Authority::new();
    fs::write(path("ca"), authority.0.pem()).unwrap();
    for (host, name) in
        [("localhost", "daemon"), ("writer.example", "writer"), ("reader.example", "reader")]
    {
        authority.identify(&directory, host, name);
    }
    Authority::new().identify(&directory, "writer.example", "stranger");
    token(&directory.join("tokens"), &["--name=unused"]);
    let known = "writer.example admin cert\nreader.example read cert\n";
    let lines = fs::read_to_string(path("tokens")).unwrap() + known;
    fs::write(path("tokens"), lines).unwrap();
    fs::create_dir(path("base")).unwrap();
    let port = free_port();
    let (listen, address) = (format!("tls:127.0.0.1:{port}"), format!("tls:localhost:{port}"));
    let files = ["base", "pid", "log", "daemon.pem", "daemon.key", "tokens", "ca"].map(path);
    let [base, pid, log, certificate, key, tokens, ca] = files.each_ref().map(String::as_str);
    let words = ["-l", &listen, "-b", base, "-p", pid, "-o", log, "--tokens", tokens];
    let tls = ["--tls-cert", certificate, "--tls-key", key, "--tls-client-ca", ca];
    let _daemon = Daemon::start(&[&words[..], &tls].concat(), port);
    let ask = |words: &[&str], certificate: &str, key: &str| {
        let (certificate, key) = (path(certificate), path(key));
        let all = [
            ("RRDCACHED_CA_FILE", ca),
            ("RRDCACHED_CERT_FILE", &*certificate),
            ("RRDCACHED_KEY_FILE", &*key),
        ];
        let given: Vec<_> = all.into_iter().filter(|(_, path)| !path.ends_with("/none")).collect();
        client(&directory, &[words, &["--daemon", &address]].concat(), &given)
    };
    let create = ["create", "a.rrd", "-s", "60", "-b", "1000000000"];
    let create = [&create[..], &["DS:x:GAUGE:120:U:U", "RRA:AVERAGE:0.5:1:10"]].concat();
    assert_eq!(ask(&create, "writer.pem", "writer.key"), (true, String::new()));
    let update = ["update", "a.rrd", "1000000060:1"];
    assert_eq!(ask(&update, "writer.pem", "writer.key"), (true, String::new()));
    // The name of the certificate says what its client may.
    let (is_well, told) = ask(&["last", "a.rrd"], "reader.pem", "reader.key");
    assert_eq!((is_well, told.as_str()), (true, "1000000020\n"));
    let flush = ["flushcached", "a.rrd"];
    for (certificate, key, part) in [
        ("reader.pem", "reader.key", "Permission denied."),
        ("none", "none", "CertificateRequired"),
        ("stranger.pem", "stranger.key", "received fatal alert"),
        ("writer.pem", "none", "RRDCACHED_CERT_FILE is set without RRDCACHED_KEY_FILE"),
        ("none", "writer.key", "RRDCACHED_KEY_FILE is set without RRDCACHED_CERT_FILE"),
        ("writer.pem", "reader.key", "RRDCACHED_CERT_FILE and RRDCACHED_KEY_FILE: "),
        ("tokens", "writer.key", "tokens: expected certificates in PEM, found none"),
        ("writer.pem", "tokens", "RRDCACHED_KEY_FILE: "),
        ("absent", "writer.key", "RRDCACHED_CERT_FILE: "),
    ] {
        let (is_well, told) = ask(&flush, certificate, key);
        assert!(!is_well && told.contains(part), "{certificate} {key}: {told}");
    }
}
