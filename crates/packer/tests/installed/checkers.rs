//! What the checkers of Debian's and of rpm's packages say.

use std::process::Command;

use crate::packages::at_hand;

#[test]
#[ignore = "it checks packages: cargo xtask package --try"]
fn lintian_has_nothing_to_say() {
    let Some(lintian) = oracle::program("lintian", "packages of Debian's") else { return };
    let mut command = Command::new(lintian);
    command.args(["--allow-root", "--tag-display-limit", "0", "--fail-on", "error,warning"]);
    // The man pages are made by the program itself, which the packages of this trial do not ask.
    command.args(["--suppress-tags", "no-manual-page"]);
    let output = command.args(at_hand(".deb")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
}

#[test]
#[ignore = "it checks packages: cargo xtask package --try"]
fn rpmlint_has_nothing_to_say() {
    let Some(rpmlint) = oracle::program("rpmlint", "packages of rpm") else { return };
    let filters = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/rpmlint.toml");
    let mut command = Command::new(rpmlint);
    let output = command.args(["--config", filters]).args(at_hand(".rpm")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("0 errors, 0 warnings"), "{said}");
}
