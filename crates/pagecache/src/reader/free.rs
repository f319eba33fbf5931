//! The available memory.

use std::path::Path;

use disk::{File, Mode};

/// Bytes available without swapping (`MemAvailable` of `proc_meminfo(5)`); `None` if the kernel
/// does not tell. The limit of a control group is not included: it shows as evicted pages.
pub(super) fn bytes() -> Option<u64> {
    let mut text = [0; 256];
    let file = File::open(Path::new("/proc/meminfo"), Mode::Read).ok()?;
    let read = file.read_at(&mut text, 0).ok()?;
    available_bytes(&String::from_utf8_lossy(&text[..read]))
}

fn available_bytes(text: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = rest.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::available_bytes;

    #[test]
    fn reads_a_line_of_the_kernel() {
        let text = "MemTotal:       24682272 kB\nMemFree:  187 kB\nMemAvailable:   24083 kB\n";
        assert_eq!(available_bytes(text), Some(24_083 << 10));
        assert_eq!(available_bytes("MemTotal: 3 kB"), None);
    }
}
