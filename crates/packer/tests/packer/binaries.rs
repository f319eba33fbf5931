//! Programs and their debug information.

use std::process::Command;

use packer::{Binary, Machine, Needs};

#[test]
fn the_latest_version_of_the_c_library_counts() {
    let minor = |program: &[u8]| Needs::of(program).glibc_minor;
    assert_eq!(minor(b"GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0"), 34);
    assert_eq!(minor(b"static"), 0);
    assert_eq!(minor(b"GLIBC_2."), 0);
}

#[test]
fn a_program_and_its_debug_information_are_split() {
    let Some(compiler) = oracle::program("cc", "debug information of programs") else { return };
    let Some(_) = oracle::program("objcopy", "debug information of programs") else { return };
    let machine = Machine::ALL.into_iter().find(|machine| machine.is_here()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let [code, whole] = ["a.c", "a.out"].map(|name| directory.path().join(name));
    std::fs::write(
        &code,
        "int answer_of_this_test(void) { return 42; }\nint main(void) { return 7; }",
    )
    .unwrap();
    let mut compile = Command::new(compiler);
    compile.args(["-g", "-Wl,--build-id=sha1", "-o"]).arg(&whole).arg(&code);
    assert!(compile.status().unwrap().success());
    let binary = Binary::split(&whole, machine, &directory.path().join("parts")).unwrap();
    let has = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|it| it == text.as_bytes());
    assert!(!has(&binary.program, "answer_of_this_test"));
    assert!(has(&binary.debug, "answer_of_this_test"));
    assert_eq!(binary.build_id.len(), 40);
    let (directory_name, file) = binary.build_id.split_at(2);
    assert_eq!(
        binary.debug_path(),
        format!("usr/lib/debug/.build-id/{directory_name}/{file}.debug")
    );
    let stripped = directory.path().join("stripped");
    std::fs::write(&stripped, &binary.program).unwrap();
    let mut executable = Command::new("chmod");
    assert!(executable.arg("+x").arg(&stripped).status().unwrap().success());
    assert_eq!(Command::new(&stripped).status().unwrap().code(), Some(7));
}
