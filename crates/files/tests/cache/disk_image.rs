//! A file system of its own in a file, so that a test can cut its power.
//!
//! What ext4 has written to its device is in the image; what it holds back in memory is not. A copy
//! of the image, taken while the file system is mounted, is what a power cut would leave.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const IMAGE_BYTES: u64 = 64 << 20;

/// A mounted image. It is unmounted when it is dropped.
pub(crate) struct DiskImage {
    image: PathBuf,
    root: PathBuf,
}

impl DiskImage {
    /// Makes an empty one below a directory; `None`, and told so, where this user or machine cannot
    /// mount an image.
    pub(crate) fn make(directory: &Path, what_it_tests: &str) -> Option<Self> {
        let image = directory.join("image");
        fs::File::create(&image).unwrap().set_len(IMAGE_BYTES).unwrap();
        let made = run("mkfs.ext4", &["-q", "-F", image.to_str().unwrap()]);
        let mounted = made.then(|| Self::mount(image, directory.join("root"))).flatten();
        if mounted.is_none() {
            // Not by `eprintln!`, which the test harness swallows where the test passes.
            let words = "NOT TESTED, an image cannot be mounted here";
            let _ = writeln!(std::io::stderr(), "{words}: {what_it_tests}");
        }
        mounted
    }

    fn mount(image: PathBuf, root: PathBuf) -> Option<Self> {
        fs::create_dir_all(&root).unwrap();
        let words = ["-o", "loop", image.to_str().unwrap(), root.to_str().unwrap()];
        run("mount", &words).then_some(Self { image, root })
    }

    /// Where it is mounted.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Copies the image as a power cut now would leave it; gives the copy's path.
    pub(crate) fn copy_as_cut(&self, directory: &Path) -> PathBuf {
        fs::create_dir_all(directory).unwrap();
        let image = directory.join("image");
        fs::copy(&self.image, &image).unwrap();
        image
    }

    /// Mounts such a copy where the first one was.
    pub(crate) fn mount_again(image: PathBuf, root: PathBuf) -> Self {
        Self::mount(image, root).expect("the first image could be mounted")
    }
}

impl Drop for DiskImage {
    fn drop(&mut self) {
        // Lazily: a process that another test starts may hold a file of it for a moment.
        let _ = run("umount", &["-l", self.root.to_str().unwrap()]);
    }
}

fn run(program: &str, words: &[&str]) -> bool {
    let output = Command::new(program).args(words).output();
    output.is_ok_and(|output| output.status.success())
}
