//! Serves a made-up site, to look at the pages: `cargo run -p server --example look`, for as many
//! seconds as the first argument says, at the port of the second. At the next port are its databases
//! as `gyre rrdcached --web` shows them.
#![allow(clippy::disallowed_methods, reason = "it opens a socket")]

#[path = "../tests/fixture/mod.rs"]
mod fixture;

use std::net::TcpListener;

fn main() -> std::io::Result<()> {
    let seconds = std::env::args().nth(1).and_then(|word| word.parse().ok());
    let port = std::env::args().nth(2).and_then(|word| word.parse().ok()).unwrap_or(8081_u16);
    let site = fixture::fixture(1200, 8, 380);
    let hosts = server::Hosts::of_this_machine();
    let pages = site.router();
    let tree = server::tree_router(fixture::smoke::tree(&site), hosts);
    let mut all = Vec::new();
    for (router, port) in [(pages, port), (tree, port + 1)] {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let running = server::start(listener, router, server::Limits::default())?;
        println!("http://{}/", running.address());
        all.push(running);
    }
    std::thread::sleep(std::time::Duration::from_secs(seconds.unwrap_or(600)));
    all.into_iter().for_each(server::Running::stop);
    Ok(())
}
