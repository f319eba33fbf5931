//! The pages in a real browser, from a real server: their content after scripts have run.
#![allow(clippy::disallowed_methods, reason = "it opens a socket and runs Chromium")]

mod fixture;

use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fixture::{Fixture, fixture, name};
use server::Running;

const PATIENCE: Duration = Duration::from_secs(60);

struct Browser {
    program: PathBuf,
    running: Running,
    _site: Fixture,
}

impl Browser {
    /// `None` where there is no Chromium.
    fn open(site: Fixture) -> Option<Self> {
        let program = oracle::program("chromium", "the pages in a browser")?;
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let router = server::router(site.context.clone(), server::Hosts::default());
        let running = server::start(listener, router, server::Limits::default());
        Some(Self { program, running: running.expect("a server"), _site: site })
    }

    /// The document after it has been open for `milliseconds`.
    fn document(&self, path: &str, milliseconds: u32) -> String {
        let profile = tempfile::tempdir().expect("a directory");
        let address = format!("http://{}{path}", self.running.address());
        dump(&self.program, profile.path(), &address, milliseconds)
    }
}

fn dump(program: &Path, profile: &Path, address: &str, milliseconds: u32) -> String {
    let mut child = Command::new(program)
        .args("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run".split(' '))
        .args("--disable-background-networking --disable-component-update".split(' '))
        .args(["--disable-sync", "--window-size=1280,2000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--virtual-time-budget={milliseconds}"))
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Chromium starts");
    let mut output = child.stdout.take().expect("stdout is a pipe");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text)
    });
    let start = Instant::now();
    while child.try_wait().expect("it is our child").is_none() {
        if start.elapsed() > PATIENCE {
            let _ = child.kill(); // told below, by the document that is missing
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let text = reader.join().expect("the reader lives");
    let text = text.expect("the document is UTF-8");
    assert!(text.contains("</html>"), "Chromium shows nothing of {address}: {text:?}");
    text
}

#[test]
fn a_targets_graphs_are_shown_and_refreshed_in_place() {
    let Some(browser) = Browser::open(fixture(12, 1, 3)) else {
        return;
    };
    let document = browser.document(&format!("/t/{}", name(0)), 12_000);
    for period in ["day", "week", "month", "year"] {
        // The script adds a time to an image's URL when the new image could be decoded.
        let refreshed = format!("/graph/{}/{period}.svg?at=", name(0));
        assert!(document.contains(&refreshed), "{period}: {document}");
    }
    assert!(!document.contains("class=\"stale\""));
    assert!(!document.contains("a script of the page top ran</title>"));
    assert!(document.contains("GigabitEthernet0/1"));
}

#[test]
fn the_index_refreshes_and_keeps_its_rows() {
    let Some(browser) = Browser::open(fixture(120, 2, 1)) else {
        return;
    };
    let document = browser.document("/", 12_000);
    assert_eq!(document.matches("<tr data-words").count(), 50);
    let refreshed = format!("/graph/{}/day.svg?size=spark&amp;at=", name(0));
    assert!(document.contains(&refreshed), "{document}");
    assert!(document.contains("class=\"find live\""), "the script has run");
}
