//! Life after life: started, loaded, killed, torn, recovered, compared.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use disk::Random;
use files::cache::FileCache;

use crate::child::{ROOT, SEED, SYNC_MILLIS, synced_directory};
use crate::judge::Judge;
use crate::plan::{all_files, make, nth_of, options, path};

const PIECE_BYTES: usize = 512;
/// How long a child may take to be ready.
const PATIENCE: Duration = Duration::from_secs(20);
/// Kills between comparisons.
const COMPARED_EVERY: u64 = 5;

fn wanted(usual: u64) -> u64 {
    std::env::var("GYRE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

fn seed() -> u64 {
    std::env::var("GYRE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// What is known of a file's samples.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    acknowledged: u64,
    /// More may have been taken, all of them up to here.
    sent: u64,
}

/// How the machine fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    Kill,
    /// What was written to files since they were last synced is there or not, piece by piece.
    PowerCut,
}

/// One life of the child, killed some time after it began.
fn live(root: &Path, seed: u64, sync_millis: Option<u64>, known: &mut [Known]) -> u64 {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "child::child_that_is_killed", "--nocapture"])
        .env(ROOT, root)
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped());
    sync_millis.map(|millis| command.env(SYNC_MILLIS, millis.to_string()));
    let mut child = command.spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (tell, is_ready) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let lines = output.lines().map_while(Result::ok);
        let lines = lines.filter_map(|line| line.strip_prefix("> ").map(str::to_owned));
        let tell_ready = |line: &String| {
            if line == "ready" {
                let _ = tell.send(()); // nobody may wait for it
            }
        };
        lines.inspect(tell_ready).collect::<Vec<String>>()
    });
    let mut random = Random::new(seed);
    if random.below(4) > 0 {
        let _ = is_ready.recv_timeout(PATIENCE);
    }
    // One of four in the middle of the start, the others under load.
    std::thread::sleep(Duration::from_micros(random.below(40_000)));
    child.kill().unwrap();
    child.wait().unwrap();
    let lines = reader.join().unwrap();
    lines.iter().map(|line| take_line(line, known, seed)).sum()
}

/// Takes a line of the child's; returns how many samples it acknowledges.
fn take_line(line: &str, known: &mut [Known], seed: u64) -> u64 {
    let mut words = line.split(' ');
    let what = words.next().unwrap();
    let numbers: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    let pairs = numbers.as_chunks::<2>().0.iter().map(|[file, nth]| (*file as usize, *nth));
    let mut count = 0;
    match what {
        "ready" => {}
        "found" => pairs.for_each(|(file, nth)| found(&mut known[file], file, nth, seed)),
        "sent" => pairs.for_each(|(file, nth)| known[file].sent = nth),
        "acknowledged" => pairs.for_each(|(file, nth)| {
            count += nth - known[file].acknowledged;
            known[file].acknowledged = nth;
        }),
        _ => panic!("seed {seed}: {line}"),
    }
    count
}

/// What was sent and not acknowledged is wholly in or out.
fn found(known: &mut Known, file: usize, nth: u64, seed: u64) {
    let Known { acknowledged, sent } = *known;
    assert!(nth >= acknowledged, "seed {seed}: file {file} lost {nth} to {acknowledged}");
    assert!(nth == acknowledged || nth == sent, "seed {seed}: file {file} is at {nth}: {known:?}");
    *known = Known { acknowledged: nth, sent: nth };
}

/// Mixes each file from what was durable and what was written since.
fn tear(root: &Path, originals: &Path, seed: u64) {
    let mut random = Random::new(seed ^ 0xdead);
    for file in all_files() {
        let synced = path(&synced_directory(root), file);
        let old = fs::read(&synced).or_else(|_| fs::read(path(originals, file))).unwrap();
        let mut new = fs::read(path(root, file)).unwrap();
        // Nearly all, nearly nothing, or half of it reached the disk.
        let odds = [3, 50, 97][random.below(3) as usize];
        for (new, old) in new.chunks_mut(PIECE_BYTES).zip(old.chunks(PIECE_BYTES)) {
            if random.below(100) < odds {
                new.copy_from_slice(old);
            }
        }
        fs::write(path(root, file), &new).unwrap();
        // From here on that is what is durable.
        fs::create_dir_all(synced_directory(root)).unwrap();
        fs::copy(path(root, file), synced).unwrap();
    }
}

fn lives(failure: Failure, sync_millis: Option<u64>, kills: u64) {
    let Some(program) = oracle::program("rrdtool", "a killed cache of files loses nothing") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("files");
    let originals = directory.path().join("originals");
    fs::create_dir_all(&root).unwrap();
    make(&root);
    copy_all(&root, &originals);
    let mut judge = Judge::new(&program, &root, directory.path().join("theirs"));
    let mut known = vec![Known::default(); all_files().len()];
    let mut samples = 0;
    for kill in 1..=kills {
        let seed = seed() * 100_000 + kill;
        samples += live(&root, seed, sync_millis, &mut known);
        if failure == Failure::PowerCut {
            tear(&root, &originals, seed);
        }
        if kill % COMPARED_EVERY == 0 || kill == kills {
            let what = format!("{failure:?}, seed {seed}");
            let cache = FileCache::open(options(&root, None)).unwrap();
            for file in all_files() {
                let nth = nth_of(file, cache.last_update(&path(&root, file)).unwrap());
                found(&mut known[file], file, nth, seed);
                judge.update(file, nth);
            }
            judge.compare_shown(&cache, &root, &what);
            let flush = kill % (2 * COMPARED_EVERY) == 0 || kill == kills;
            cache.close(flush);
            // It synced what it wrote, without telling us.
            copy_all(&root, &synced_directory(&root));
            if flush {
                judge.compare_files(&root, &what);
            }
        }
    }
    eprintln!("{failure:?}, {sync_millis:?}: {kills} kills, {samples} samples, none lost");
    assert!(samples > kills, "there was load: {samples}");
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in all_files() {
        fs::copy(path(from, file), path(to, file)).unwrap();
    }
}

#[test]
fn a_process_that_is_killed_loses_nothing() {
    lives(Failure::Kill, None, wanted(25));
}

#[test]
fn a_process_that_is_killed_loses_nothing_though_the_disk_is_not_waited_for() {
    lives(Failure::Kill, Some(1000), wanted(25));
}

#[test]
fn a_power_cut_tears_files_and_loses_nothing() {
    lives(Failure::PowerCut, None, wanted(25));
}
