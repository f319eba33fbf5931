//! Serves a made-up site, to look at the pages: `cargo run -p server --example look`.
#![allow(clippy::disallowed_methods, reason = "it opens a socket")]

#[path = "../tests/fixture/mod.rs"]
mod fixture;

use std::net::TcpListener;

fn main() -> std::io::Result<()> {
    let seconds = std::env::args().nth(1).and_then(|word| word.parse().ok());
    let site = fixture::fixture(1200, 8, 380);
    let listener = TcpListener::bind("127.0.0.1:8081")?;
    let router = server::router(site.context.clone(), server::Hosts::of_this_machine());
    let running = server::start(listener, router, server::Limits::default())?;
    println!("http://{}/", running.address());
    std::thread::sleep(std::time::Duration::from_secs(seconds.unwrap_or(600)));
    running.stop();
    Ok(())
}
