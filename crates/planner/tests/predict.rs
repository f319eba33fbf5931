//! Predictions beside figures that are known, and beside each other.

use planner::{
    DiskRates, FileSystem, Fleet, Machine, Prediction, Processor, Way, most, most_more, predict,
};
use rrd::Definition;

const GIB: u64 = 1 << 30;

/// MRTG's layout with 800 rows in each archive: 105,312 bytes.
fn mrtg() -> Definition {
    let archives =
        ["AVERAGE", "MAX"].map(|cf| [1, 6, 24, 288].map(|pdps| format!("RRA:{cf}:0.5:{pdps}:800")));
    let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
    let specs: Vec<String> = sources.into_iter().chain(archives.into_iter().flatten()).collect();
    rrd::spec::definition(300, specs.iter().map(String::as_str)).unwrap()
}

fn machine(memory_bytes: u64) -> Machine {
    Machine {
        memory_bytes,
        cores: 2,
        processor: Processor::default(),
        disk_bytes: 1 << 40,
        disk: DiskRates {
            random_reads_per_second: 10_000.0,
            random_writes_per_second: 20_000.0,
            sequential_bytes_per_second: 500e6,
            synced_write_seconds: 0.15e-3,
        },
        readahead_bytes: 128 << 10,
        file_system: FileSystem::default(),
    }
}

fn of(databases: u64, memory_bytes: u64, way: Way) -> Prediction {
    predict(&Fleet::of(mrtg(), databases), &machine(memory_bytes), way).unwrap()
}

#[test]
fn the_reference_s_480_000_files_need_its_memory() {
    let memory_of = |pages: u64| 480_000 * (pages * 4200 + 1950) + (11 << 20);
    let eight = of(480_000, memory_of(8), Way::FILES);
    assert!((7.9..8.1).contains(&eight.pages_per_file.unwrap()), "{eight:?}");
    assert!((eight.memory.page_cache_bytes - 15.7e9).abs() < 0.1e9, "14.6 GiB: {eight:?}");
    assert!(eight.reads.page_ins_per_update < 0.06, "{eight:?}");
    let six = of(480_000, memory_of(6), Way::FILES);
    assert!(six.reads.page_ins_per_update > 4.0 * eight.reads.page_ins_per_update, "{six:?}");
    assert!(six.reads.page_ins_per_update_max > 3.0, "at midnight: {six:?}");
}

#[test]
fn the_ring_store_is_predicted_by_its_own_arithmetic() {
    let ring = of(1_000_000, 2 * GIB, Way::RING);
    assert_eq!(ring.pace.unwrap().tile_rows_max, 18);
    assert!(ring.memory.process_bytes < 700e6, "{ring:?}");
    assert_eq!(ring.reads.page_ins_per_second, 0.0);
    assert!(ring.fits(), "{ring:?}");
    let bytes_per_update = ring.written.bytes() / ring.updates_per_second;
    assert!((54.0..62.0).contains(&bytes_per_update), "{bytes_per_update}");
}

#[test]
fn a_journal_writes_a_page_once_for_many_samples() {
    let files = of(10_000, GIB, Way::FILES);
    let journal = of(10_000, GIB, Way::DAEMON);
    assert!(journal.written.data_bytes < files.written.data_bytes / 4.0, "{journal:?}");
}

#[test]
fn more_memory_never_costs_more_page_ins() {
    for way in [Way::FILES, Way::DAEMON] {
        let page_ins = |pages: u64| {
            let memory_bytes = 10_000 * (pages * 4096 + 3000) + (16 << 20);
            of(10_000, memory_bytes, way).reads.page_ins_per_second
        };
        let row: Vec<f64> = [2, 4, 6, 8, 12, 20].map(page_ins).into();
        assert!(row.windows(2).all(|pair| pair[1] <= pair[0]), "{way:?}: {row:?}");
    }
}

#[test]
fn the_most_that_fit_is_the_edge() {
    let (fleet, machine) = (Fleet::of(mrtg(), 50_000), machine(2 * GIB));
    for way in [Way::FILES, Way::DAEMON, Way::RING] {
        let most = most(&fleet, &machine, way).unwrap();
        let fits = |databases| predict(&fleet.resized(databases), &machine, way).unwrap().fits();
        assert!(fits(most) && !fits(most + most / 250 + 1), "{way:?}: {most}");
    }
    let most = most(&fleet, &machine, Way::RING).unwrap();
    let more = most_more(&fleet, 0, &machine, Way::RING).unwrap();
    assert!((more + 50_000).abs_diff(most) <= most / 100, "{most} and 50000 + {more}");
}
