//! `packer`: makes packages of gyre. `cargo xtask package` calls it.
#![allow(clippy::disallowed_methods)] // it reads the environment and files

mod arguments;

use std::path::Path;
use std::process::ExitCode;

use arguments::Arguments;
use packer::{Moment, Order, Output, PackError, Source, Workshop, make};

fn main() -> ExitCode {
    match Arguments::read(std::env::args().skip(1)).and_then(|wanted| run(&wanted)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(wanted: &Arguments) -> Result<(), PackError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().map_err(|cause| PackError::File { path: root, cause })?;
    let directory = wanted.directory.clone().unwrap_or_else(|| root.join("target/package"));
    let workshop = Workshop { care: wanted.care, root: root.clone(), directory: directory.clone() };
    let mut source = Source {
        third_parties: String::new(),
        version: wanted.version.clone().unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()),
        moment: Moment::of_source(&root)?,
        generated: Some(directory.clone()),
        root,
    };
    for machine in &wanted.machines {
        source.third_parties = workshop.third_parties(*machine)?;
        let order = Order { formats: wanted.formats.clone(), machine: *machine };
        let outputs = make(&workshop, &source, &order)?;
        if wanted.twice {
            compare(&outputs, &again(&workshop, &source, &order)?)?;
        }
        for output in &outputs {
            println!("{}  {}", output.bytes.len(), output.write(&directory)?.display());
        }
    }
    Ok(())
}

/// The same packages of programs that are made anew, in a directory of their own.
fn again(workshop: &Workshop, source: &Source, order: &Order) -> Result<Vec<Output>, PackError> {
    let directory = workshop.directory.join("again");
    if directory.exists() {
        let failed = |cause| PackError::File { path: directory.clone(), cause };
        std::fs::remove_dir_all(&directory).map_err(failed)?;
    }
    make(&Workshop { directory, ..workshop.clone() }, source, order)
}

fn compare(first: &[Output], second: &[Output]) -> Result<(), PackError> {
    for (one, other) in first.iter().zip(second) {
        if one != other {
            return Err(PackError::Different { name: one.name.clone() });
        }
    }
    eprintln!("two builds are equal: {} files", first.len());
    Ok(())
}
