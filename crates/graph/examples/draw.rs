//! `cargo run -p graph --example draw -- FILE ARGUMENTS…`: draws a graph of files that Debian's
//! rrdtool reads, and says how long the drawing took. `GYRE_DRAWS=n` draws it n times.
#![allow(clippy::disallowed_methods)] // an example talks to files, the clock and rrdtool
#![allow(missing_docs)]

#[path = "../tests/common/mod.rs"]
#[allow(dead_code)]
mod common;

use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut arguments = graph::Arguments::read(&arguments).expect("options of rrdgraph");
    let file = arguments.take_file_name().expect("a file name");
    let now = jiff::Timestamp::now().as_second();
    let now = rrd::Timestamp::from_seconds(now);
    let zone = jiff::tz::TimeZone::system();
    let plan = match graph::Plan::new(&arguments, now, &zone) {
        Ok(plan) => plan,
        Err(error) => {
            eprintln!("ERROR: {error}");
            std::process::exit(1);
        }
    };
    let fetched: Result<Vec<_>, _> = plan.requests().iter().map(common::fetch).collect();
    let fetched = fetched.expect("rrdtool fetch");
    let drawing = match plan.draw(&fetched) {
        Ok(drawing) => drawing,
        Err(error) => {
            eprintln!("ERROR: {error}");
            std::process::exit(1);
        }
    };
    if let Some(count) = std::env::var("GYRE_DRAWS").ok().and_then(|n| n.parse().ok()) {
        let before = Instant::now();
        for _ in 0..count {
            let plan = graph::Plan::new(&arguments, now, &zone).expect("parsed before");
            std::hint::black_box(plan.draw(&fetched).expect("drawn before"));
        }
        let each = before.elapsed() / count;
        eprintln!("{each:?} a graph, {} bytes", drawing.image.len());
    }
    println!("{}x{}", drawing.width, drawing.height);
    println!("value_min = {:e} value_max = {:e}", drawing.value_min, drawing.value_max);
    for line in &drawing.printed {
        println!("{line}");
    }
    for text in &drawing.legend {
        println!("{:?} {} {} {}", text.text, text.left, text.right, text.middle);
    }
    std::fs::write(file, drawing.image).expect("the image is written");
}
