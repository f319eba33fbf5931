//! Packages of Debian's, as dpkg reads them.

use std::path::PathBuf;
use std::process::Command;

use packer::product::{self, Family};
use packer::{Machine, Output, Product, deb};

use crate::made_up::{MOMENT, binary, source};

fn gyre() -> Product {
    product::gyre(&source(), &binary(), Machine::Arm64, Family::Debian).unwrap()
}

/// What a command of dpkg-deb says of a package.
fn dpkg(package: &Output, words: &[&str]) -> Option<String> {
    let program = oracle::program("dpkg-deb", "packages of Debian's")?;
    let directory = tempfile::tempdir().unwrap();
    let path: PathBuf = package.write(directory.path()).unwrap();
    let output = Command::new(program).arg(words[0]).arg(path).args(&words[1..]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_package_is_the_same_each_time() {
    let [one, other] = [(); 2].map(|()| deb(&gyre(), MOMENT).unwrap());
    assert_eq!(one.name, "gyre_1.2.3_arm64.deb");
    assert_eq!(one, other);
}

#[test]
fn dpkg_reads_what_it_tells_of_itself() {
    let package = deb(&gyre(), MOMENT).unwrap();
    let Some(told) = dpkg(&package, &["--field"]) else { return };
    let field = |name: &str| told.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("");
    assert_eq!(field("Package: "), "gyre");
    assert_eq!(field("Version: "), "1.2.3");
    assert_eq!(field("Architecture: "), "arm64");
    assert!(
        field("Depends: ").starts_with("libc6 (>= 2.34), libgcc-s1 (>= 4.2), systemd"),
        "{told}"
    );
    assert!(told.contains("\n .\n It reads and writes the .rrd files"), "{told}");
    assert!(told.lines().all(|line| line.len() < 81 || !line.starts_with(' ')), "{told}");
}

#[test]
fn the_operators_files_are_told_to_dpkg() {
    let package = deb(&gyre(), MOMENT).unwrap();
    let Some(told) = dpkg(&package, &["--info", "conffiles"]) else { return };
    assert_eq!(told, "/etc/default/gyre-rrdcached\n/etc/default/gyre-run\n");
    let sums = dpkg(&package, &["--info", "md5sums"]).unwrap();
    assert!(!sums.contains("etc/default"), "{sums}");
    // The MD5 of the made-up program, by md5sum.
    assert!(sums.contains("6afbc96bc6b60900fd24fef58eb490d2  usr/bin/gyre\n"), "{sums}");
}

#[test]
fn names_of_rrdtool_are_choices_and_no_files() {
    let compat = product::compat(&source(), Family::Debian).unwrap();
    let package = deb(&compat, MOMENT).unwrap();
    assert_eq!(package.name, "gyre-compat_1.2.3_all.deb");
    let Some(listed) = dpkg(&package, &["--contents"]) else { return };
    for name in product::NAMES {
        assert!(!listed.contains(&format!("./usr/bin/{name}")), "{listed}");
        let link = format!("./usr/lib/gyre/compat/{name} -> ../../../bin/gyre\n");
        assert!(listed.contains(&link), "{listed}");
    }
    let triggers = dpkg(&package, &["--info", "triggers"]).unwrap();
    assert!(triggers.contains("interest-noawait /usr/bin/rrdtool"), "{triggers}");
}

#[test]
fn the_library_has_a_directory_of_its_own() {
    let library = product::librrd(&source(), &binary(), Machine::Amd64, Family::Debian).unwrap();
    let Some(listed) = dpkg(&deb(&library, MOMENT).unwrap(), &["--contents"]) else { return };
    let link = "./usr/lib/x86_64-linux-gnu/gyre/librrd.so.8 -> librrd.so.8.2.1\n";
    assert!(listed.contains(link), "{listed}");
    assert!(!listed.contains("./usr/lib/x86_64-linux-gnu/librrd"), "{listed}");
    assert!(!listed.contains("ld.so.conf.d"), "{listed}");
}
