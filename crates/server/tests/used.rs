//! The pages used in a real browser: typed, dragged, hovered, on a phone, by people who do not see.
//! The scripts are in `browser/`; pictures are kept below `target/pages`.
#![allow(clippy::disallowed_methods, reason = "it opens a socket and runs node")]

mod fixture;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use server::{Limits, Router, Running};

use fixture::{Fixture, fixture};

/// The longest that one script may take, in seconds: `timeout` ends it.
const PATIENCE_SECONDS: &str = "240";

/// A server that a script may ask to end and to start again.
struct Site {
    router: Router,
    running: Option<Running>,
    address: SocketAddr,
}

impl Site {
    fn new(router: Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut site = Self { router, running: None, address };
        site.start(listener);
        site
    }

    fn start(&mut self, listener: TcpListener) {
        let running = server::start(listener, self.router.clone(), Limits::default());
        self.running = Some(running.expect("a server"));
    }

    fn carry_out(&mut self, asked: &str) {
        match asked {
            "stop" => self.running.take().expect("it runs").stop(),
            "start" => {
                let listener = TcpListener::bind(self.address).expect("the port is free again");
                self.start(listener);
            }
            other => panic!("a script asks for {other}"),
        }
    }
}

/// Runs a script of `browser/` against a site.
fn drive(script: &str, fixture: Fixture) {
    let router = server::router(fixture.context.clone(), server::Hosts::of_this_machine());
    drive_router(script, router);
}

/// The same against any pages.
fn drive_router(script: &str, router: Router) {
    let Some(modules) = oracle::node_of_tests("the pages used in a browser") else { return };
    let Some(node) = oracle::program("node", "the pages used in a browser") else { return };
    let Some(chromium) = oracle::program("chromium", "the pages used in a browser") else { return };
    let mut site = Site::new(router);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut child = Command::new("timeout")
        .arg(PATIENCE_SECONDS)
        .arg(node)
        .arg(here.join("tests/browser").join(script))
        .arg(format!("http://{}", site.address))
        .args([modules, pictures()])
        .env("CHROMIUM", chromium)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node starts");
    let mut answers = child.stdin.take().expect("a pipe");
    let said = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut told = String::new();
    for line in said.lines().map_while(Result::ok) {
        match line.strip_prefix("ASK ") {
            Some(asked) => {
                site.carry_out(asked);
                answers.write_all(b"done\n").expect("the script listens");
            }
            None => told += &format!("{line}\n"),
        }
    }
    let status = child.wait().expect("it is our child");
    assert!(status.success() && told.contains("passed:"), "{script}: {status}\n{told}");
}

/// Where pictures of the pages are kept.
fn pictures() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("this crate lies in the project").join("target/pages")
}

#[test]
fn every_page_is_shown_to_everybody() {
    drive("every_page.mjs", fixture(120, 14, 9));
}

#[test]
fn lists_of_the_first_and_the_stores_page_are_shown_to_everybody() {
    drive("top.mjs", fixture(120, 14, 9));
}

#[test]
fn what_is_chosen_in_the_foot_is_kept() {
    drive("choices.mjs", fixture(24, 2, 2));
}

#[test]
fn targets_and_devices_are_found() {
    drive("found.mjs", fixture(240, 10, 9));
}

#[test]
fn charts_are_moved_and_compared() {
    drive("charts.mjs", fixture(24, 14, 40));
}

#[test]
fn databases_have_charts_and_smoke() {
    let site = fixture(12, 1, 3);
    let context = fixture::smoke::tree(&site);
    drive_router("smoke.mjs", server::tree_router(context, server::Hosts::of_this_machine()));
}
