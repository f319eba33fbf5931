//! Backups: their speed compared with the disk, and their effect on the page cache.
//!
//! The source is a tree of files of 94 kB, like MRTG's databases, and of a few large ones, like the
//! tiles of a ring store. Their bytes are incompressible, and only one file in sixteen is cached.
//! The tree is copied by gyre (with and without verification), by `cp -a` and by `tar`, each
//! synced. The disk's own rates are measured in the same run, with large requests that bypass the
//! page cache. Source and copy are on one disk, so the rate of a copy is at most `1 / (1/read +
//! 1/write)`, and with verification `1 / (2/read + 1/write)`.
//!
//! Expected: writing is the limit; the page cache grows by the part of a copy that waits to be
//! written.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Instant, SystemTime};

use ::backup::Watch;
use disk::{Advice, File, Mode, Moment, Random};

use ::options::{OwnRow, checked, option, switch};

use crate::options::{self, fill};
use crate::report::{Report, Row};

const FILE_BYTES: usize = 94_096;
const PIECE_BYTES: usize = 4 << 20;

pub(crate) struct Options {
    directory: PathBuf,
    files: usize,
    large_mib: usize,
    json: bool,
}

impl options::Options for Options {
    const NAME: &'static str = "backup";
    const ABOUT: &'static str =
        "backups beside cp and tar: rate against the disk's, growth of the page cache";
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system (.)", |o, it| {
            o.directory = it.path()
        }),
        checked("--files", "N", "files of 94 kB (10000)", |o, it| fill(&mut o.files, &it)),
        checked("--large-mib", "N", "four large files together (1024)", |o, it| {
            fill(&mut o.large_mib, &it)
        }),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self { directory: PathBuf::from("."), files: 10_000, large_mib: 1024, json: false }
    }

    fn quick() -> Option<Self> {
        Some(Self { files: 500, large_mib: 32, ..Self::full() })
    }
}

struct Clock;

impl Watch for Clock {
    fn now(&self) -> Moment {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Moment { seconds: now.as_secs() as i64, nanoseconds: now.subsec_nanos() }
    }
}

/// What bounds a way of copying.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The disk, reading all and writing it.
    Copy,
    /// The same, and reading the copy.
    Verified,
    /// Nothing is copied.
    Nothing,
    /// Another program.
    Peer,
}

/// The result of one way of copying.
struct Figures {
    kind: Kind,
    name: &'static str,
    seconds: f64,
    bytes: u64,
    /// The growth of `Cached` in `/proc/meminfo`, for the whole machine.
    cached_growth_kib: i64,
    /// The growth of `Buffers`.
    buffers_growth_kib: i64,
    /// Resident pages of the source, before and after.
    resident_pages: (u64, u64),
}

/// Runs the benchmark.
///
/// # Errors
///
/// The machine's error, in words.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = options::parse(words)?;
    let site = tempfile::tempdir_in(&options.directory).map_err(|error| error.to_string())?;
    let (read, write) = disk_rates(site.path()).map_err(|error| error.to_string())?;
    let tree = site.path().join("tree");
    let files = make_tree(&tree, &options).map_err(|error| error.to_string())?;
    let backup_options = |verify| ::backup::Options { verify, ..::backup::Options::default() };
    let backup = |to: &str, verify| {
        let to = site.path().join(to);
        ::backup::run(&tree, &to, &backup_options(verify), &Clock).map(drop).map_err(told)
    };
    let mut all = vec![
        measure(Kind::Copy, "gyre backup --no-verify", &files, || backup("one", false))?,
        measure(Kind::Verified, "gyre backup", &files, || backup("two", true))?,
        measure(Kind::Nothing, "gyre backup, nothing new", &files, || backup("two", true))?,
    ];
    let copy = || program(Command::new("cp").arg("-a").arg(&tree).arg(site.path().join("cp")));
    all.push(measure(Kind::Peer, "cp -a", &files, || copy().and_then(|()| sync(site.path())))?);
    let archive = site.path().join("tar");
    let tar = || program(Command::new("tar").arg("-cf").arg(&archive).arg(&tree));
    all.push(measure(Kind::Peer, "tar -cf", &files, || tar().and_then(|()| sync(site.path())))?);
    let mut report = Report::default();
    tell(&all, read, write, &mut report);
    report.print("backup", options.json)
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn program(command: &mut Command) -> Result<(), String> {
    let status = command.stderr(std::process::Stdio::null()).status().map_err(told)?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}

fn sync(directory: &Path) -> Result<(), String> {
    testbed::sync_file_system(directory)
}

/// The disk's rates in bytes a second, with large requests that bypass the page cache: reading,
/// writing.
pub(crate) fn disk_rates(site: &Path) -> std::io::Result<(f64, f64)> {
    const PIECES: u64 = 128;
    let path = site.join("rates");
    // A vector this large begins at a page boundary plus the allocator's header.
    let mut buffer = vec![7; PIECE_BYTES + 4096];
    let start = buffer.as_ptr().align_offset(4096);
    let piece = &mut buffer[start..start + PIECE_BYTES];
    let file = File::create_direct(&path)?;
    let begun = Instant::now();
    for nth in 0..PIECES {
        file.write_at(piece, nth * PIECE_BYTES as u64)?;
    }
    file.sync_data()?;
    let bytes = (PIECES * PIECE_BYTES as u64) as f64;
    let write = bytes / begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    for nth in 0..PIECES {
        file.read_at(piece, nth * PIECE_BYTES as u64)?;
    }
    let read = bytes / begun.elapsed().as_secs_f64();
    disk::remove_file(&path)?;
    Ok((read, write))
}

/// Makes the files, and leaves one in sixteen in the page cache.
fn make_tree(tree: &Path, options: &Options) -> std::io::Result<Vec<PathBuf>> {
    let mut random = Random::new(1);
    let mut bytes: Vec<u8> = Vec::with_capacity(PIECE_BYTES);
    bytes.extend((0..PIECE_BYTES / 8).flat_map(|_| random.below(u64::MAX).to_le_bytes()));
    let mut files = Vec::new();
    for nth in 0..options.files {
        let path = tree.join(format!("{}/{nth}.rrd", nth % 100));
        disk::create_parents(&path)?;
        let from = (nth * 8 * 37) % (PIECE_BYTES - FILE_BYTES);
        File::create(&path)?.write_at(&bytes[from..from + FILE_BYTES], 0)?;
        files.push(path);
    }
    for nth in 0..4 {
        let path = tree.join(format!("large{nth}"));
        let file = File::create(&path)?;
        for piece in 0..(options.large_mib / 16) as u64 {
            file.write_at(&bytes, piece * PIECE_BYTES as u64)?;
        }
        files.push(path);
    }
    File::open(tree, Mode::Read)?.sync_file_system()?;
    for (nth, path) in files.iter().enumerate() {
        if nth % 16 > 0 {
            File::open(path, Mode::Read)?.advise(Advice::DontNeed, 0, 0)?;
        }
    }
    Ok(files)
}

fn measure(
    kind: Kind,
    name: &'static str,
    files: &[PathBuf],
    copy: impl FnOnce() -> Result<(), String>,
) -> Result<Figures, String> {
    let before = (meminfo("Cached:")?, meminfo("Buffers:")?, resident_pages(files)?);
    let begun = Instant::now();
    copy()?;
    let seconds = begun.elapsed().as_secs_f64();
    let after = (meminfo("Cached:")?, meminfo("Buffers:")?, resident_pages(files)?);
    // Evicts pages that other programs loaded, so that they do not affect the next way.
    for (nth, path) in files.iter().enumerate().filter(|(nth, _)| nth % 16 > 0) {
        let _ = nth;
        let file = File::open(path, Mode::Read).map_err(told)?;
        file.advise(Advice::DontNeed, 0, 0).map_err(told)?;
    }
    let sizes = files.iter().map(|path| File::identity_of(path).map(|(_, bytes)| bytes));
    Ok(Figures {
        kind,
        name,
        seconds,
        bytes: sizes.sum::<std::io::Result<u64>>().map_err(told)?,
        cached_growth_kib: after.0 - before.0,
        buffers_growth_kib: after.1 - before.1,
        resident_pages: (before.2, after.2),
    })
}

fn meminfo(field: &str) -> Result<i64, String> {
    let text = std::fs::read_to_string("/proc/meminfo").map_err(told)?;
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| format!("/proc/meminfo: expected {field}"))
}

fn resident_pages(files: &[PathBuf]) -> Result<u64, String> {
    let of = |path: &PathBuf| {
        let file = File::open(path, Mode::Read)?;
        Ok(file.cache_counts(0, 0)?.resident_pages)
    };
    files.iter().map(of).sum::<std::io::Result<u64>>().map_err(told)
}

fn tell(all: &[Figures], read: f64, write: f64, report: &mut Report) {
    let mb = |rate: f64| rate / 1e6;
    let bound = 1.0 / (1.0 / read + 1.0 / write);
    let bound_verified = 1.0 / (2.0 / read + 1.0 / write);
    report.row(Row::new("the disk, read past the page cache", "MB/s", mb(read)).undirected());
    report.row(Row::new("the disk, written past the page cache", "MB/s", mb(write)).undirected());
    for each in all {
        let rate = each.bytes as f64 / each.seconds;
        let bound = match each.kind {
            Kind::Copy => Some(bound),
            Kind::Verified => Some(bound_verified),
            Kind::Nothing | Kind::Peer => None,
        };
        let beside = bound.map(|bound| ("bound", mb(bound)));
        report.row(Row::new(each.name, "MB/s", mb(rate)).beside(beside));
        let mib = |kib: i64| kib as f64 / 1024.0;
        let (before, after) = each.resident_pages;
        let row = Row::new(
            format!("{}: growth of the page cache", each.name),
            "MiB",
            mib(each.cached_growth_kib),
        );
        report.row(row.note(format!(
            "buffers {:+.1} MiB; pages of the source in memory {before}, then {after}",
            mib(each.buffers_growth_kib)
        )));
    }
}
