//! What can be opened, and what is said of the rest.

use disk::{Medium as _, MediumFile as _, MemoryMedium};
use journal::LogPosition;
use redb::{Builder, TableDefinition};
use ring::catalogue::{Catalogue, CatalogueError};

use crate::world::{Contents, META, filled};

fn with_file(bytes: &[u8]) -> MemoryMedium {
    let medium = MemoryMedium::default();
    medium.create("catalogue").unwrap().write_at(bytes, 0).unwrap();
    medium
}

fn message(medium: &MemoryMedium) -> String {
    Catalogue::open(medium).unwrap_err().to_string()
}

#[test]
fn a_new_catalogue_is_one_file_and_is_made_once() {
    let medium = MemoryMedium::default();
    medium.create("catalogue.new").unwrap().write_at(b"left by a power cut", 0).unwrap();
    let catalogue = Catalogue::create(&medium, &META).unwrap();
    assert_eq!(medium.list().unwrap(), ["catalogue"]);
    assert_eq!(catalogue.applied().unwrap(), LogPosition(0));
    let again = Catalogue::create(&medium, &META).unwrap_err();
    assert!(matches!(again, CatalogueError::Exists));
    assert_eq!(again.to_string(), "catalogue: exists already");
}

#[test]
fn what_is_no_store_is_named() {
    let nothing = "catalogue: no catalogue of a ring store: expected";
    let start = format!("{nothing} a file of redb, found");
    assert_eq!(
        message(&MemoryMedium::default()),
        format!("{nothing} a file of that name, found none")
    );
    assert_eq!(message(&with_file(b"")), format!("{start} []"));
    assert_eq!(
        message(&with_file(b"RRD\x0000003")),
        format!("{start} [52, 52, 44, 00, 30, 30, 30, 30, 33]")
    );
    assert_eq!(message(&with_file(&[0; 8192])), format!("{start} [{}]", ["00"; 9].join(", ")));
    // A beginning alone is a damaged catalogue.
    let cut = message(&with_file(b"redb\x1a\x0a\xa9\x0d\x0a"));
    assert!(cut.starts_with("catalogue: opening: "), "{cut}");
}

#[test]
fn another_database_is_no_store() {
    let medium = MemoryMedium::default();
    let other = TableDefinition::<u32, u32>::new("other");
    write_with_redb(&medium, |database| {
        let transaction = database.begin_write().unwrap();
        transaction.open_table(other).unwrap().insert(1, 1).unwrap();
        transaction.commit().unwrap();
    });
    let error = Catalogue::open(&medium).unwrap_err();
    assert!(
        matches!(error, CatalogueError::NotAStore { expected: "gyre's tables", .. }),
        "{error}"
    );
}

#[test]
fn another_version_is_named_with_both_numbers() {
    let medium = MemoryMedium::default();
    write_with_redb(&medium, |database| {
        let transaction = database.begin_write().unwrap();
        let meta = TableDefinition::<&str, u64>::new("meta");
        transaction.open_table(meta).unwrap().insert("format", 2).unwrap();
        transaction.commit().unwrap();
    });
    assert_eq!(
        message(&medium),
        "catalogue: format 2; this program knows format 1: use the version of gyre that made the \
         store, or a newer one"
    );
}

/// Writes a file with redb alone.
fn write_with_redb(medium: &MemoryMedium, work: impl FnOnce(&redb::Database)) {
    let backend = Shared(medium.create("catalogue").unwrap());
    let database = Builder::new().create_with_backend(backend).unwrap();
    work(&database);
    database.close().unwrap();
}

/// A file in memory that outlives the database.
#[derive(Debug)]
struct Shared(disk::MemoryFile);

impl redb::StorageBackend for Shared {
    fn len(&self) -> std::io::Result<u64> {
        self.0.len_bytes()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
        self.0.read_at(out, offset).map(drop)
    }

    fn set_len(&self, bytes: u64) -> std::io::Result<()> {
        self.0.truncate(bytes)
    }

    fn sync_data(&self) -> std::io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        self.0.write_at(data, offset)
    }
}

#[test]
fn a_store_that_was_not_closed_opens() {
    let medium = MemoryMedium::default();
    let catalogue = filled(&medium, 50);
    let before = Contents::of(&catalogue).unwrap();
    // The bytes as a killed process leaves them.
    let left = with_file(&medium.open("catalogue").unwrap().to_bytes());
    assert_eq!(Contents::of(&Catalogue::open(&left).unwrap()).unwrap(), before);
}
