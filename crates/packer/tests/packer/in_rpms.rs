//! Packages of rpm, as the crate that wrote them reads them; the trials of installing them use rpm.

use packer::product::{self, Family};
use packer::{Machine, Output, rpm};

use crate::made_up::{MOMENT, binary, source};

fn gyre() -> Output {
    let product = product::gyre(&source(), &binary(), Machine::Amd64, Family::Rpm).unwrap();
    rpm(&product, MOMENT).unwrap()
}

#[test]
fn a_package_is_the_same_each_time() {
    let [one, other] = [(); 2].map(|()| gyre());
    assert_eq!(one.name, "gyre-1.2.3-1.x86_64.rpm");
    assert_eq!(one, other);
}

#[test]
fn it_owns_its_files_and_no_directory_of_the_system() {
    let package = ::rpm::Package::parse(&mut gyre().bytes.as_slice()).unwrap();
    let entries = package.metadata.get_file_entries().unwrap();
    let paths: Vec<String> =
        entries.iter().map(|entry| entry.path().display().to_string()).collect();
    for path in ["/usr/bin/gyre", "/usr/lib/systemd/system/gyre-run.service"] {
        assert!(paths.iter().any(|found| found == path), "{paths:?}");
    }
    for path in ["/usr", "/usr/bin", "/etc", "/etc/default", "/usr/lib/systemd/system"] {
        assert!(!paths.iter().any(|found| found == path), "{paths:?}");
    }
}

#[test]
fn the_names_of_rrdtool_are_never_taken_by_force() {
    let product = product::compat(&source(), Family::Rpm).unwrap();
    let package = rpm(&product, MOMENT).unwrap();
    assert_eq!(package.name, "gyre-compat-1.2.3-1.noarch.rpm");
    let package = ::rpm::Package::parse(&mut package.bytes.as_slice()).unwrap();
    let conflicts = package.metadata.get_conflicts().unwrap();
    assert!(conflicts.iter().any(|other| other.name == "rrdtool"), "{conflicts:?}");
}
