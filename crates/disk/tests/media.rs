//! All implementations of a medium behave the same when nothing fails.

use disk::{AnyMedium, FaultPlan, FaultyMedium, Medium, MediumFile, MemoryMedium, PosixMedium};

fn works(medium: &impl Medium) {
    let file = medium.create("a").unwrap();
    assert_eq!(medium.create("a").map(drop).unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
    file.allocate(3000).unwrap();
    file.write_at(b"gyre", 1022).unwrap();
    file.allocate(10).unwrap(); // it never shrinks
    assert_eq!(file.len_bytes().unwrap(), 3000);
    file.write_at(b"end", 2999).unwrap();
    file.sync_data().unwrap();
    medium.rename("a", "b").unwrap();
    medium.create("c").unwrap();
    medium.sync_directory().unwrap();
    assert_eq!(medium.list().unwrap(), ["b", "c"]);

    let file = medium.open("b").unwrap();
    let mut bytes = [1; 6];
    assert_eq!(file.read_at(&mut bytes, 1021).unwrap(), 6);
    assert_eq!(&bytes, b"\0gyre\0");
    assert_eq!(file.read_at(&mut bytes, 2998).unwrap(), 4);
    assert_eq!(&bytes[..4], b"\0end");
    assert_eq!(file.read_at(&mut bytes, 9000).unwrap(), 0);
    file.truncate(1024).unwrap();
    file.truncate(1026).unwrap();
    assert_eq!(file.read_at(&mut bytes, 1022).unwrap(), 4);
    assert_eq!(&bytes[..4], b"gy\0\0");

    // Enough zeros that they are written in more than one piece.
    const BYTES: usize = 200_000;
    let file = medium.create("d").unwrap();
    file.write_at(&[7; BYTES], 0).unwrap();
    file.write_zeros_at(150_001, 17).unwrap();
    let mut bytes = vec![1; BYTES + 1];
    assert_eq!(file.read_at(&mut bytes, 0).unwrap(), BYTES);
    let is_zero = |nth: &usize| (17..150_018).contains(nth);
    assert!((0..BYTES).all(|nth| bytes[nth] == if is_zero(&nth) { 0 } else { 7 }));
    medium.remove("d").unwrap();

    medium.remove("c").unwrap();
    for missing in [medium.remove("c"), medium.open("c").map(drop), medium.rename("c", "d")] {
        assert_eq!(missing.unwrap_err().kind(), std::io::ErrorKind::NotFound);
    }
    assert_eq!(medium.list().unwrap(), ["b"]);
}

#[test]
fn in_memory() {
    works(&MemoryMedium::default());
}

#[test]
fn without_faults() {
    works(&FaultyMedium::new(FaultPlan::default()));
}

#[test]
fn whose_type_is_not_told() {
    works(&AnyMedium::of(MemoryMedium::default()));
}

#[test]
fn on_disk() {
    let directory = tempfile::tempdir().unwrap();
    works(&PosixMedium::open(directory.path()).unwrap());
}

#[test]
#[should_panic(expected = "leads out of the directory")]
fn a_name_stays_inside() {
    let _ = MemoryMedium::default().create("../a");
}

#[test]
fn a_disk_without_room_says_how_much_it_has_before_it_gives_any() {
    let directory = tempfile::tempdir().unwrap();
    let medium = PosixMedium::open(directory.path()).unwrap();
    let file = medium.create("a").unwrap();
    // More than ext4 allows in one file: so the test fills no disk even if the check fails.
    let bytes = 1 << 50;
    for refused in [MediumFile::reserve(&file, bytes), file.allocate(bytes)] {
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "{error}");
        let words = format!("{bytes} bytes are needed on the disk, and ");
        assert!(error.to_string().starts_with(&words), "{error}");
    }
    assert_eq!(file.len_bytes().unwrap(), 0);
    MediumFile::reserve(&file, 65 << 20).unwrap();
    assert_eq!(file.len_bytes().unwrap(), 65 << 20);
}
