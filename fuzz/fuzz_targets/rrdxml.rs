//! The reader of XML dumps: any text gives an error, or a database that survives dump and restore.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rrdfile::Version;
use rrdfile::layout::RowIndex;
use rrdfile::xml::{Prologue, forget_values_out_of_range, parse, write};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let Ok(mut snapshot) = parse(text) else {
        return; // an error is an answer
    };
    forget_values_out_of_range(&mut snapshot);
    let rows = snapshot.definition.archives.iter().map(|archive| RowIndex(archive.rows - 1));
    let file = rrdfile::encode(&snapshot, rows.collect()).expect("its rows are in memory");
    rrdfile::decode(&file).expect("what we write, we read");
    let version = Version::of(&snapshot.definition);
    let no_time = |_: i64, _: &mut String| {};
    let mut dumps = vec![write(&snapshot, version, Prologue::Dtd, &no_time)];
    for nth in 0..2 {
        let again = parse(&dumps[nth]).expect("what we write, we read");
        dumps.push(write(&again, version, Prologue::Dtd, &no_time));
    }
    // The first dump may shorten numbers and the end of a text; later dumps are equal.
    assert!(dumps[1] == dumps[2], "dump and restore must not change a dump");
});
