//! Files that were made, put back or renamed a moment before a power cut, and what was acknowledged
//! of them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use files::cache::{CacheOptions, FileCache, Journaling};
use store::Update;

use crate::basics::{START, append, make, options, value};
use crate::disk_image::DiskImage;

/// Makes a file as another program does: nothing of it is synced.
fn copy_in(model: &Path, path: &Path) {
    fs::write(path, fs::read(model).unwrap()).unwrap();
}

/// Paths in the journal are those of the first mount, which the second one takes.
struct Machine {
    // Unmounted before the directory is removed.
    disk: Option<DiskImage>,
    directory: tempfile::TempDir,
    cuts: u32,
}

impl Machine {
    fn start(what_it_tests: &str) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let disk = DiskImage::make(directory.path(), what_it_tests)?;
        Some(Self { directory, disk: Some(disk), cuts: 0 })
    }

    fn root(&self) -> &Path {
        self.disk.as_ref().unwrap().root()
    }

    fn open(&self) -> FileCache {
        let journal = Journaling { directory: self.root().join("journal"), sync_every: None };
        FileCache::open(CacheOptions { journal: Some(journal), ..options() }).unwrap()
    }

    /// The power is cut while a cache is at work; the machine starts again.
    fn cut_power(&mut self, cache: FileCache) {
        self.cuts += 1;
        let disk = self.disk.take().unwrap();
        let directory = self.directory.path().join(format!("cut{}", self.cuts));
        let root = disk.root().to_path_buf();
        let image = disk.copy_as_cut(&directory);
        cache.close(false);
        drop(cache);
        drop(disk);
        self.disk = Some(DiskImage::mount_again(image, root));
    }
}

fn last_update(cache: &FileCache, path: &Path) -> i64 {
    cache.last_update(path).unwrap_or_else(|error| panic!("{error}")).seconds
}

#[test]
fn updates_of_a_new_file_survive_a_power_cut() {
    let Some(mut machine) = Machine::start("new files and a power cut") else { return };
    let cache = machine.open();
    let directory = machine.root().join("new/deep");
    let model = machine.directory.path().join("model.rrd");
    make(&model);
    let old = machine.root().join("old.rrd");
    make(&old);
    append(&cache, &old, &[&value(1)]);
    fs::create_dir_all(&directory).unwrap();
    let paths: Vec<_> = (0..40).map(|nth| directory.join(format!("{nth}.rrd"))).collect();
    for path in &paths {
        copy_in(&model, path);
    }
    // One by one, then some together.
    for path in &paths[..3] {
        append(&cache, path, &[&value(1)]);
    }
    let one = value(1);
    let values = [one.as_str()];
    let updates: Vec<_> = paths[3..].iter().map(|path| Update::numbered(path, &values)).collect();
    assert!(cache.append(&updates).is_empty());
    machine.cut_power(cache);
    let cache = machine.open();
    for path in paths.iter().chain([&old]) {
        assert_eq!(last_update(&cache, path), START + 300, "{}", path.display());
        cache.flush(path).unwrap();
    }
}

#[test]
fn updates_of_a_file_put_in_anothers_place_survive_a_power_cut() {
    let Some(mut machine) = Machine::start("replaced files and a power cut") else { return };
    let cache = machine.open();
    let root = machine.root().to_path_buf();
    let paths = ["renamed.rrd", "copied.rrd", "recreated.rrd"].map(|name| root.join(name));
    let other = machine.directory.path().join("other.rrd");
    make(&other);
    for path in &paths {
        make(path);
        append(&cache, path, &[&value(1)]);
        cache.flush(path).unwrap();
    }
    cache.sync().unwrap();
    // The grain of the times of files.
    std::thread::sleep(Duration::from_millis(12));
    let new = root.join("new");
    copy_in(&other, &new);
    fs::rename(&new, &paths[0]).unwrap();
    copy_in(&other, &paths[1]);
    fs::remove_file(&paths[2]).unwrap();
    copy_in(&other, &paths[2]);
    for path in &paths {
        append(&cache, path, &[&value(2)]);
    }
    machine.cut_power(cache);
    let cache = machine.open();
    for path in &paths {
        assert_eq!(last_update(&cache, path), START + 600, "{}", path.display());
        cache.flush(path).unwrap();
    }
}

/// The new file has the head that the samples in the journal stand behind.
#[test]
fn updates_of_a_file_put_in_its_likes_place_survive_a_power_cut() {
    let Some(mut machine) = Machine::start("files replaced by their like and a power cut") else {
        return;
    };
    let cache = machine.open();
    let path = machine.root().join("a.rrd");
    make(&path);
    let like = fs::read(&path).unwrap();
    append(&cache, &path, &[&value(1)]);
    // The grain of the times of files.
    std::thread::sleep(Duration::from_millis(12));
    fs::remove_file(&path).unwrap();
    fs::write(&path, like).unwrap();
    // The names are on disk then, and the new file's content is not.
    fs::File::create(machine.root().join("other")).unwrap().sync_all().unwrap();
    append(&cache, &path, &[&value(2)]);
    machine.cut_power(cache);
    let cache = machine.open();
    assert_eq!(last_update(&cache, &path), START + 600);
}
