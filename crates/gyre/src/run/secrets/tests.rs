use super::*;
use std::os::unix::fs::PermissionsExt as _;

fn file(directory: &Path, name: &str, text: &str, mode: u32) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    path
}

fn meant(secrets: &Secrets, written: &str) -> Option<Vec<u8>> {
    secrets.meant_by(written.as_bytes()).unwrap().map(|secret| secret.with(<[u8]>::to_vec))
}

fn refused(secrets: &Secrets, written: &str) -> String {
    secrets.meant_by(written.as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_name_stands_for_its_secret_and_nothing_else_does() {
    let directory = tempfile::tempdir().unwrap();
    let text = "# communities\ncore=ab=c d\n\nedge.1=x\r\n";
    let lines = file(directory.path(), "lines", text, 0o600);
    file(directory.path(), "single", "lone\n", 0o640);
    let places = [Place::Path(lines), Place::Path(directory.path().to_owned()), Place::Environment];
    let secrets = Secrets::at(&places).unwrap();
    assert_eq!(meant(&secrets, "$core"), Some(b"ab=c d".to_vec()));
    assert_eq!(meant(&secrets, "$edge.1"), Some(b"x".to_vec()));
    assert_eq!(meant(&secrets, "$single"), Some(b"lone".to_vec()));
    assert!(meant(&secrets, "$PATH").is_some());
    for plain in ["core", "$", "$a/b", "$..", "a$core", "$core edge"] {
        assert_eq!(meant(&secrets, plain), None, "{plain}");
    }
    // Two stand for one that is meant as it is.
    assert_eq!(meant(&secrets, "$$core"), Some(b"$core".to_vec()));
    assert_eq!(meant(&secrets, "$$"), Some(b"$".to_vec()));
    assert_eq!(meant(&Secrets::default(), "$$core"), None);
    let why = refused(&secrets, "$nowhere");
    assert!(
        why.starts_with("there is no secret nowhere in ") && why.ends_with(", the environment")
    );
    // Without --secrets, MRTG's meaning holds.
    assert_eq!(meant(&Secrets::default(), "$core"), None);
}

#[test]
fn files_that_others_may_read_or_change_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    for mode in [0o644, 0o660, 0o604, 0o602, 0o620] {
        let path = file(directory.path(), "lines", "core=geheim\n", mode);
        let error = Secrets::at(&[Place::Path(path)]).unwrap_err().to_string();
        assert!(
            error.contains(&format!("mode {mode:04o}")) && !error.contains("geheim"),
            "{error}"
        );
    }
    for mode in [0o600, 0o400, 0o440, 0o640] {
        let path = file(directory.path(), "lines", "core=geheim\n", mode);
        assert!(Secrets::at(&[Place::Path(path)]).is_ok(), "{mode:o}");
        std::fs::remove_file(directory.path().join("lines")).unwrap();
    }
    file(directory.path(), "open", "geheim", 0o644);
    let secrets = Secrets::at(&[Place::Path(directory.path().to_owned())]).unwrap();
    let error = refused(&secrets, "$open");
    assert!(error.contains("mode 0644") && !error.contains("geheim"), "{error}");
}

#[test]
fn errors_name_the_line_and_show_no_secret() {
    let directory = tempfile::tempdir().unwrap();
    let error = |text: &str| {
        let path = file(directory.path(), "lines", text, 0o600);
        let error = Secrets::at(&[Place::Path(path)]).unwrap_err().to_string();
        assert!(!error.contains("geheim"), "{error}");
        error
    };
    assert!(error("a=geheim\ngeheim\n").contains("lines:2: expected NAME=SECRET"));
    assert!(error("a b=geheim\n").contains("lines:1: expected NAME=SECRET"));
    assert!(error("=geheim\n").contains("lines:1: expected NAME=SECRET"));
    assert!(error("a=geheim\n\na=geheim\n").contains("lines:3: the secret a stands twice"));
    let path = file(directory.path(), "lines", "empty=\n", 0o600);
    let secrets = Secrets::at(&[Place::Path(path)]).unwrap();
    assert_eq!(refused(&secrets, "$empty"), "the secret empty is empty");
    let missing = Secrets::at(&[Place::Path(directory.path().join("none"))]).unwrap_err();
    assert!(missing.to_string().ends_with("cannot be read: No such file or directory"));
    let pipe = directory.path().join("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let error = Secrets::at(&[Place::Path(pipe)]).unwrap_err().to_string();
    assert!(error.contains("expected a file"), "{error}");
}
