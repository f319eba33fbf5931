//! The scripts of packages: the shell understands them, and they name the same programs.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use packer::product::{self, Family, NAMES};
use packer::{Machine, Product};

use crate::made_up::{binary, source};

fn products(family: Family) -> [Product; 3] {
    let (source, binary, machine) = (source(), binary(), Machine::Amd64);
    [
        product::gyre(&source, &binary, machine, family).unwrap(),
        product::librrd(&source, &binary, machine, family).unwrap(),
        product::compat(&source, family).unwrap(),
    ]
}

#[test]
fn the_shell_understands_them() {
    let mut count = 0;
    for product in [Family::Debian, Family::Rpm].map(products).iter().flatten() {
        for script in product.scripts.iter().filter(|script| script.is_program()) {
            let mut shell = Command::new("sh");
            let mut shell = shell.arg("-n").stdin(Stdio::piped()).spawn().unwrap();
            shell.stdin.take().unwrap().write_all(script.text.as_bytes()).unwrap();
            let name = product.metadata.name;
            assert!(shell.wait().unwrap().success(), "{name}.{}", script.name);
            count += 1;
        }
    }
    assert!(count >= 13, "{count}");
}

/// A file that no package takes would be forgotten.
#[test]
fn every_file_of_scripts_belongs_to_a_package() {
    for (family, directory) in [(Family::Debian, "deb"), (Family::Rpm, "rpm")] {
        let named: Vec<String> = products(family)
            .iter()
            .flat_map(|product| {
                let name = product.metadata.name;
                product.scripts.iter().map(move |script| format!("{name}.{}", script.name))
            })
            .collect();
        let packaging = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging");
        for entry in packaging.join(directory).read_dir().unwrap() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            let is_paper = name == "copyright" || name.ends_with("lintian-overrides");
            assert!(is_paper || named.contains(&name), "{directory}/{name} is in no package");
        }
    }
}

#[test]
fn scripts_of_diversions_name_every_program() {
    let [.., compat] = products(Family::Debian);
    let loop_over_all = format!("for name in {}; do", NAMES.join(" "));
    for name in ["preinst", "postrm"] {
        let script = compat.scripts.iter().find(|script| script.name == name).unwrap();
        assert!(script.text.contains(&loop_over_all), "{name}");
    }
    let choices = compat.scripts.iter().find(|script| script.name == "postinst").unwrap();
    for name in NAMES {
        assert!(
            choices.text.contains(&format!("/usr/bin/{name} {name} \"$2/{name}$3\"")),
            "{name}"
        );
    }
}
