//! A description of the machine for the figures.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::Device;

/// Describes kernel, processors, memory and disk, and measures a small synced write.
///
/// # Errors
///
/// The directory cannot be written to.
pub fn notes(directory: &Path, device: &Device) -> Result<Value, String> {
    let text = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let after = |path: &str, label: &str| {
        let text = text(path);
        let line = text.lines().find_map(|line| line.strip_prefix(label));
        line.unwrap_or_default().trim_start_matches([':', ' ', '\t']).trim().to_owned()
    };
    let queue = format!("/sys/dev/block/{}/queue", device.number());
    Ok(json!({
        "kernel": text("/proc/sys/kernel/osrelease").trim(),
        "processor": after("/proc/cpuinfo", "model name"),
        "processors": std::thread::available_parallelism().map_or(1, usize::from),
        "memory": after("/proc/meminfo", "MemTotal"),
        "file_system": file_system(device),
        "disk_scheduler": text(&format!("{queue}/scheduler")).trim(),
        "disk_readahead_kb": text(&format!("{queue}/read_ahead_kb")).trim(),
        "synced_write_ms": synced_write_ms(directory)?,
    }))
}

/// Whether ext4 has large folios here, with readahead windows that end where folios end: since
/// Linux 6.16.
#[must_use]
pub fn has_large_folios() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(16))
}

/// Type and options of the mount of a device (`proc_pid_mountinfo(5)`).
fn file_system(device: &Device) -> String {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let number = device.number();
    let line = mounts.lines().find(|line| line.split_whitespace().nth(2) == Some(&number));
    line.and_then(|line| line.split_once(" - ")).map_or_else(String::new, |(_, it)| it.to_owned())
}

/// The median for 24 KiB, the size of a journal's batch, written in place and synced.
fn synced_write_ms(directory: &Path) -> Result<f64, String> {
    const WRITE_BYTES: usize = 24 << 10;
    const WRITES: u64 = 200;
    let path = directory.join("synced-writes");
    let text = |error: std::io::Error| format!("{}: {error}", path.display());
    let file = disk::File::create(&path).map_err(text)?;
    let bytes = vec![1; WRITE_BYTES];
    let mut seconds = Vec::new();
    for nth in 0..2 * WRITES {
        let begun = Instant::now();
        let offset_bytes = nth % WRITES * WRITE_BYTES as u64;
        file.write_at(&bytes, offset_bytes).and_then(|()| file.sync_data()).map_err(text)?;
        // The first pass extends the file and is not counted.
        seconds.extend((nth >= WRITES).then(|| begun.elapsed().as_secs_f64()));
    }
    std::fs::remove_file(&path).map_err(text)?;
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2] * 1e3)
}
