//! Compares each store with rrdtool: as it is served, after its process was killed, and through all
//! copies made of it.

use std::fs;
use std::path::Path;

use oracle::{Reply, Rrdtool};

use super::keepers::{Keeper, comparable, gyre};
use super::life::{Command, Life};

/// rrdtool's reply to a read command.
struct Look {
    command: Command,
    expected: Reply,
}

/// Compares every store with rrdtool: as it serves, after a kill, and by its copies.
pub(crate) fn compare_all(
    rrdtool: &mut Rrdtool,
    keepers: &mut [Keeper],
    life: &Life,
    chapter: u64,
) {
    let looks = life.looks().into_iter().map(|command| {
        let expected = rrdtool.send(&command.words(""));
        Look { command, expected }
    });
    let looks: Vec<Look> = looks.collect();
    for keeper in keepers {
        looks.iter().for_each(|look| keeper.check(&look.command, &look.expected, life));
        keeper.end();
        looks.iter().for_each(|look| keeper.check(&look.command, &look.expected, life));
        keeper.flush(life.names());
        // The first backup of a store is taken while it is served.
        if chapter > 0 {
            keeper.end();
        }
        compare_backup(rrdtool, keeper, &looks, life);
        keeper.end();
        if keeper.way.is_ring() {
            compare_export(rrdtool, keeper, &looks, life);
            gyre(&["verify", keeper.base.to_str().unwrap()]);
        }
    }
}

/// Takes a backup, each building on the one before, restores it and compares.
fn compare_backup(rrdtool: &mut Rrdtool, keeper: &Keeper, looks: &[Look], life: &Life) {
    let (backup, restored) = (keeper.room.join("backup"), keeper.room.join("restored"));
    let [backup, into] = [&backup, &restored].map(|path| path.to_str().unwrap());
    gyre(&["backup", keeper.base.to_str().unwrap(), backup]);
    gyre(&["restore", backup, into]);
    if keeper.way.is_ring() {
        let mut ring = Rrdtool::start(&keeper.room.join("rrdtool"), &restored);
        compare(&mut ring, "", looks, &format!("restored from {:?}", keeper.way), life);
    } else {
        let prefix = format!("{}/", restored.display());
        compare(rrdtool, &prefix, looks, &format!("restored from {:?}", keeper.way), life);
    }
    fs::remove_dir_all(restored).unwrap();
}

/// The files that an export makes, as rrdtool reads them.
fn compare_export(rrdtool: &mut Rrdtool, keeper: &Keeper, looks: &[Look], life: &Life) {
    let exported = keeper.room.join("exported");
    gyre(&["export", keeper.base.to_str().unwrap(), "--all", exported.to_str().unwrap()]);
    let prefix = format!("{}/", exported.display());
    compare(rrdtool, &prefix, looks, &format!("exported from {:?}", keeper.way), life);
    let files = fs::read_dir(Path::new(&exported)).unwrap().count();
    assert_eq!(files, life.names().count(), "seed {}: files of an export", life.seed);
    fs::remove_dir_all(exported).unwrap();
}

fn compare(program: &mut Rrdtool, prefix: &str, looks: &[Look], what: &str, life: &Life) {
    for Look { command, expected } in looks {
        let command = command.under(prefix);
        let found = program.send(&command.words(""));
        assert!(
            comparable(&found) == comparable(expected),
            "seed {}: {what}: {}: rrdtool first\n{expected:#?}\n{found:#?}\nafter\n{}",
            life.seed,
            command.words(""),
            life.log.join("\n")
        );
    }
}
