//! Files whose resident pages the test determines.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use disk::{Advice, File, Mode};
use pagecache::residency::{PageState, Stretch, Way, stretches};

pub(crate) const PAGE: usize = 4096;

/// A directory on a real disk.
pub(crate) fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A file of random bytes with no page in the page cache.
pub(crate) fn cold_file(path: &Path, bytes: usize) -> File {
    let mut state = bytes as u64 | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    let content: Vec<u8> = (0..bytes).map(|_| random()).collect();
    let mut file = fs::File::create(path).unwrap();
    file.write_all(&content).unwrap();
    evict(path)
}

/// Runs a trial. If it fails, it is tried again twice, because the kernel may evict pages at any
/// time.
pub(crate) fn undisturbed(trial: impl Fn()) {
    let fails = || std::panic::catch_unwind(std::panic::AssertUnwindSafe(&trial)).is_err();
    if fails() && fails() {
        trial();
    }
}

/// Drops all pages of a file.
pub(crate) fn evict(path: &Path) -> File {
    let file = File::open(path, Mode::Update).unwrap();
    file.sync_all().unwrap();
    file.advise(Advice::DontNeed, 0, 0).unwrap();
    file.advise(Advice::Random, 0, 0).unwrap();
    file
}

/// Loads the pages of a stretch into the page cache, and no others.
pub(crate) fn read_pages(file: &File, first_page: usize, pages: usize) {
    let mut buffer = vec![0; PAGE];
    for page in first_page..first_page + pages {
        file.read_some_at(&mut buffer, (page * PAGE) as u64).unwrap();
    }
}

/// All stretches, or `None` if the kernel does not tell.
pub(crate) fn stretches_of(file: &File, way: Way) -> Option<Vec<Stretch>> {
    let mut found = Vec::new();
    let bytes = file.len_bytes().unwrap();
    stretches(file, bytes, way, &mut |stretch| found.push(stretch)).unwrap().then_some(found)
}

/// Whether each page is resident. Checks that stretches have no gaps, and that neighbours differ.
pub(crate) fn resident(file: &File, way: Way) -> Vec<bool> {
    let found = stretches_of(file, way).unwrap();
    let mut pages = Vec::new();
    let mut before = None;
    for stretch in found {
        assert_eq!(stretch.first_page, pages.len() as u64);
        assert!(stretch.pages > 0 && before != Some(stretch.state));
        before = Some(stretch.state);
        pages.extend((0..stretch.pages).map(|_| stretch.state.is_resident()));
        assert_eq!(
            stretch.state == PageState::Resident,
            stretch.state.is_resident() && way == Way::Mincore
        );
    }
    assert_eq!(pages.len(), file.len_bytes().unwrap().div_ceil(PAGE as u64) as usize);
    pages
}

/// The count of util-linux's fincore.
pub(crate) fn util_linux_count(path: &Path) -> Option<u64> {
    let fincore = oracle::program("fincore", "counts of resident pages")?;
    let output =
        Command::new(fincore).args(["-n", "-b", "-o", "PAGES"]).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().trim().parse().unwrap())
}

/// A Python program that maps a file and asks for the state of each page.
const MAPPED: &str = "
import ctypes, mmap, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
fd = os.open(sys.argv[1], os.O_RDONLY)
size = os.fstat(fd).st_size
at = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
pages = (size + 4095) // 4096
found = ctypes.create_string_buffer(pages)
assert libc.mincore(at, size, found) == 0
";

/// The output of a Python program that continues [`MAPPED`].
fn python(what: &str, script: &str, path: &Path) -> Option<Vec<u8>> {
    let python = oracle::program("python3", what)?;
    let script = format!("{MAPPED}{script}");
    let output = Command::new(python).args(["-c", &script]).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

/// The answer of mincore(2) for each page, called from Python.
pub(crate) fn python_pages(path: &Path) -> Option<Vec<bool>> {
    const SCRIPT: &str = "print(''.join(str(byte & 1) for byte in found.raw))";
    let printed = python("each page's residency, told by another program", SCRIPT, path)?;
    Some(printed.trim_ascii().iter().map(|digit| *digit == b'1').collect())
}

/// Makes the kernel reclaim the resident pages of a file, as it does when memory is short; `None`
/// if there is no way to ask for that.
pub(crate) fn take_away(path: &Path) -> Option<()> {
    const SCRIPT: &str = "
MADV_PAGEOUT = 21
for page, state in enumerate(found.raw):
    if state & 1:
        ctypes.string_at(at + page * 4096, 1)
assert libc.madvise(at, size, MADV_PAGEOUT) == 0
";
    python("pages that the kernel took away", SCRIPT, path).map(|_| ())
}

/// A file on a file system in memory; `None` if there is none.
pub(crate) fn file_in_memory(name: &str) -> Option<PathBuf> {
    let place = Path::new("/dev/shm");
    if place.is_dir() {
        return Some(place.join(format!("gyre-{}-{name}", std::process::id())));
    }
    let _ = writeln!(std::io::stderr(), "not tested: files of a tmpfs, there is no /dev/shm");
    None
}
