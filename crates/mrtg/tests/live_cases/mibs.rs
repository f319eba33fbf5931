//! MIB files, as MRTG's own modules of Perl read them.

use std::path::PathBuf;

use mrtg::{Configuration, Poll};

use super::super::support::{Disk, PREFACE, Scratch, have, run};

/// Loads files as MRTG does, and prints the names that are new.
const LOAD: &str = "$SNMP_Session::suppress_warnings = 1000; my %known = %SNMP_util::OIDS; \
    SNMP_util::snmpMIB_to_OID($_) for @ARGV; \
    for (sort keys %SNMP_util::OIDS) { print \"$_ $SNMP_util::OIDS{$_}\\n\" unless $known{$_} }";

/// net-snmp's own MIBs; those that others need come first, as MRTG wants it.
fn files() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir("/usr/share/snmp/mibs") else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths.filter(|path| path.extension() == Some("txt".as_ref())).collect();
    let is_base = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let order = ["UCD-SNMP-MIB", "NET-SNMP-MIB", "NET-SNMP-EXAMPLES-MIB"];
        order.iter().position(|base| name == *base).unwrap_or(order.len())
    };
    files.sort();
    files.sort_by_key(is_base);
    files
}

#[test]
fn names_of_mib_files_mean_what_mrtg_takes_them_for() {
    let files = files();
    if !have(&["mrtg", "perl"]) || files.is_empty() {
        return;
    }
    let files: Vec<&str> = files.iter().map(|path| path.to_str().unwrap()).collect();
    let output = run("perl", &[&["-MSNMP_util", "-e", LOAD], &files[..]].concat());
    let printed = String::from_utf8(output.stdout).unwrap();
    let known: Vec<_> = printed.lines().filter_map(|line| line.split_once(' ')).collect();
    assert!(known.len() > 200, "perl reads the files: {}", known.len());
    let targets = known
        .iter()
        .enumerate()
        .map(|(nth, (name, _))| format!("Target[t{nth}]: {name}.7&WaLK{name}:public@192.0.2.1\n"));
    let text = format!("{PREFACE}LoadMIBs: {}\n", files.join(", ")) + &targets.collect::<String>();
    let scratch = Scratch::new("mibs");
    let read = Configuration::read(&scratch.write("mrtg.cfg", text), &Disk).unwrap();
    assert_eq!(read.notes, []);
    for (target, (name, oid)) in read.targets.iter().zip(&known) {
        assert_eq!(target.unsupported, None, "{name}");
        let Poll::Snmp(poll) = read.poll(target.expression.single_poll().unwrap()) else {
            panic!("{name}");
        };
        let [get, walk] = poll.objects.each_ref().map(|object| object.oid(None).unwrap());
        assert_eq!((get.to_string(), walk.to_string()), (format!("{oid}.7"), oid.to_string()));
    }
}
