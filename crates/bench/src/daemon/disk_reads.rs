//! The disk's own rate of random reads of 4 KiB.

use std::path::Path;
use std::time::{Duration, Instant};

use disk::{File, Mode};
use testbed::Caches;

const READ_BYTES: usize = 4096;
/// The file that is read.
const FILE_BYTES: u64 = 1 << 30;
/// The duration of the measurement for each depth.
const MEASURED: Duration = Duration::from_millis(1500);

/// Reads a second with this many in progress at once; `None` if caches are kept, because nothing
/// would be read from the disk.
pub(super) fn rates(
    directory: &Path,
    caches: Caches,
    depths: &[u64],
) -> Result<Option<Vec<(u64, f64)>>, String> {
    if caches == Caches::Keep {
        return Ok(None);
    }
    let path = directory.join("random-reads");
    let text = |error: std::io::Error| format!("{}: {error}", path.display());
    fill(&path).map_err(text)?;
    let rate = |depth: &u64| {
        caches.drop(directory)?;
        Ok((*depth, rate_at(&path, *depth).map_err(text)?))
    };
    let rates = depths.iter().map(rate).collect::<Result<_, String>>()?;
    std::fs::remove_file(&path).map_err(text)?;
    Ok(Some(rates))
}

fn fill(path: &Path) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut file = std::fs::File::create(path)?;
    let piece: Vec<u8> = (0..1 << 20).map(|nth: u64| chance::first(nth) as u8).collect();
    (0..FILE_BYTES / piece.len() as u64).try_for_each(|_| file.write_all(&piece))?;
    file.sync_all()
}

fn rate_at(path: &Path, depth: u64) -> std::io::Result<f64> {
    let file = File::open(path, Mode::Read)?;
    // Without this advice, the kernel reads ahead.
    file.advise_random()?;
    let begun = Instant::now();
    let reads = std::thread::scope(|scope| {
        let file = &file;
        let reading: Vec<_> = (0..depth)
            .map(|nth| scope.spawn(move || reads_until(file, nth << 32, begun + MEASURED)))
            .collect();
        let reads = reading.into_iter().map(|it| it.join().expect("reading does not panic"));
        reads.sum::<std::io::Result<u64>>()
    })?;
    Ok(reads as f64 / begun.elapsed().as_secs_f64())
}

fn reads_until(file: &File, seed: u64, end: Instant) -> std::io::Result<u64> {
    let mut buffer = vec![0; READ_BYTES];
    let mut reads = 0;
    while Instant::now() < end {
        let page = chance::first(seed + reads) % (FILE_BYTES / READ_BYTES as u64);
        file.read_at(&mut buffer, page * READ_BYTES as u64)?;
        reads += 1;
    }
    Ok(reads)
}
