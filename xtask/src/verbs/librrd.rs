//! Installs the C library into a directory as programs expect it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, cargo};

pub(super) const VERB: Verb = Verb {
    name: "librrd",
    usage: "--to DIR",
    summary: "librrd.so.8, its headers and its pkg-config file, below a directory",
    run,
};

/// The library's file, named like the version that it replaces, and the links to it: the name that
/// programs load, and the name that they are linked with.
const FILE: &str = "librrd.so.8.2.1";
const LINKS: [&str; 2] = ["librrd.so.8", "librrd.so"];
/// The version for pkg-config: programs require at least some version of RRDtool.
const VERSION: &str = "1.7.2";
const HEADERS: [&str; 3] = ["rrd.h", "rrd_client.h", "rrd_format.h"];

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let directory = arguments.value("--to")?.ok_or("expected --to and a directory")?;
    arguments.finish()?;
    let mut command = cargo::command();
    command.args(["build", "--release", "--locked", "--package", "librrd"]);
    cargo::run(&mut command)?;
    let library = target_directory()?.join("release").join("librrd_abi.so");
    lay_out(&library, Path::new(&directory)).map_err(|error| format!("{directory}: {error}"))
}

/// The directory of cargo's builds, which contains this program.
fn target_directory() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let directory = own.ancestors().nth(2).ok_or("the chores lie in no target directory")?;
    Ok(directory.to_path_buf())
}

fn lay_out(library: &Path, directory: &Path) -> std::io::Result<()> {
    let sources = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/librrd"));
    let [lib, include] = ["lib", "include"].map(|name| directory.join(name));
    let pkgconfig = lib.join("pkgconfig");
    for place in [&include, &pkgconfig] {
        fs::create_dir_all(place)?;
    }
    put(&fs::read(library)?, &lib.join(FILE))?;
    for link in LINKS {
        let link = lib.join(link);
        let _ = fs::remove_file(&link); // it may not be there
        symlink(FILE, link)?;
    }
    for header in HEADERS {
        put(&fs::read(sources.join("include").join(header))?, &include.join(header))?;
    }
    let template = fs::read_to_string(sources.join("librrd.pc.in"))?;
    put(template.replace("@VERSION@", VERSION).as_bytes(), &pkgconfig.join("librrd.pc"))
}

/// Replaces a file atomically: programs that have loaded the old one keep it.
fn put(bytes: &[u8], place: &Path) -> std::io::Result<()> {
    let fresh = place.with_extension("new");
    fs::write(&fresh, bytes)?;
    fs::rename(fresh, place)
}
