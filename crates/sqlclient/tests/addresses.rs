//! The file that says where a database is.
#![allow(clippy::disallowed_methods)] // tests make files

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use sqlclient::{Address, Dialect};

const SECRET: &str = "s3cret never shown";

fn read(text: &str, file: &Path) -> Result<Address, String> {
    let environment = |name: &str| (name == "GYRE_PASSWORD").then(|| SECRET.to_owned());
    Address::read(text, file, &environment).map_err(|error| error.to_string())
}

fn good(text: &str) -> Address {
    read(text, Path::new("/etc/gyre/sql.toml")).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn each_kind_is_read() {
    let sqlite = good("[database]\nkind = \"sqlite\"\nfile = \"rows.sqlite\"\n");
    assert_eq!(sqlite.file(), Some(Path::new("/etc/gyre/rows.sqlite")));
    assert_eq!(sqlite.to_string(), "SQLite /etc/gyre/rows.sqlite");

    let mariadb = good(
        "[database]\nkind = \"mariadb\"\nsocket = \"/run/mysqld/mysqld.sock\"\nname = \"rows\"\n\
         user = \"gyre\"\n",
    );
    assert_eq!((mariadb.dialect(), mariadb.file()), (Dialect::MariaDb, None));
    assert_eq!(mariadb.to_string(), "MariaDB rows at /run/mysqld/mysqld.sock");

    let postgres = good(
        "[database]\nkind = \"postgresql\"\nhost = \"db.example.org\"\nport = 5433\n\
         name = \"rows\"\nuser = \"gyre\"\npassword_env = \"GYRE_PASSWORD\"\n\
         ca_file = \"ca.pem\"\nconnect_seconds = 3\ncall_seconds = 7\n",
    );
    assert_eq!(postgres.dialect(), Dialect::Postgres);
    assert_eq!(postgres.to_string(), "PostgreSQL rows at db.example.org:5433");
    let shown = format!("{postgres:?}");
    assert!(!shown.contains(SECRET) && shown.contains("/etc/gyre/ca.pem"), "{shown}");
    assert!(shown.contains(&format!("{:?}", Duration::from_secs(7))), "{shown}");
}

#[test]
fn tls_is_checked_unless_nobody_else_can_listen() {
    let of = |lines: &str| {
        let text = format!("[database]\nkind = \"mariadb\"\nname = \"n\"\nuser = \"u\"\n{lines}");
        read(&text, Path::new("f"))
    };
    let is_off = |lines: &str| {
        let address = of(lines).unwrap_or_else(|error| panic!("{lines}: {error}"));
        format!("{address:?}").contains("tls: Off")
    };
    for lines in
        ["socket = \"s\"", "host = \"127.0.0.1\"", "host = \"::1\"", "host = \"localhost\""]
    {
        assert!(is_off(lines), "{lines}");
        assert!(is_off(&format!("{lines}\ntls = \"off\"")), "{lines}");
    }
    for lines in [
        "host = \"10.0.0.1\"",
        "host = \"localhost.example.org\"",
        "host = \"::1\"\ntls = \"verify\"",
    ] {
        assert!(!is_off(lines), "{lines}");
    }
    assert!(!is_off("host = \"localhost\"\nca_file = \"ca.pem\""));
    let refused = of("host = \"10.0.0.1\"\ntls = \"off\"").expect_err("it is refused");
    assert_eq!(refused, "f:6: tls = \"off\" is for sockets and loopback alone, not for 10.0.0.1");
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (text, expected) in [
        ("", "f:1: missing field `database`"),
        (
            "[database]\nkind = \"oracle\"\n",
            "f:2: unknown variant `oracle`, expected one of `sqlite`, `mariadb`, `postgresql`",
        ),
        ("[database]\nkind = 7\n", "f:2: "),
        ("[database]\nkind = \"sqlite\"\n", "f:1: SQLite needs `file`"),
        ("[database]\nkind = \"sqlite\"\nfile = \"\"\n", "f:3: `file` is empty"),
        (
            "[database]\nkind = \"sqlite\"\nfile = \"f\"\nuser = \"u\"\n",
            "f:4: SQLite has no `user`",
        ),
        ("[database]\nkind = \"mariadb\"\nfile = \"f\"\n", "f:3: MariaDB has no `file`"),
        ("[database]\nkind = \"mariadb\"\n", "f:1: MariaDB needs `host` or `socket`"),
        ("[database]\nkind = \"mariadb\"\nhost = \"h\"\n", "f:1: MariaDB needs `name`"),
        (
            "[database]\nkind = \"postgresql\"\nhost = \"h\"\nname = \"n\"\n",
            "f:1: PostgreSQL needs `user`",
        ),
        (
            "[database]\nkind = \"mariadb\"\nhost = \"h\"\nsocket = \"s\"\n",
            "f:4: `socket` and `host` exclude each other",
        ),
        (
            "[database]\nkind = \"mariadb\"\nsocket = \"s\"\nport = 1\n",
            "f:4: `port` and `socket` exclude each other",
        ),
        ("[database]\nkind = \"mariadb\"\nhost = \"h\"\nport = 70000\n", "f:4: "),
        (
            "[database]\nkind = \"mariadb\"\nhost = \"h\"\nname = \"n\"\nuser = \"u\"\nca_file = \"c\"\ntls = \"of\"\n",
            "f:7: unknown variant `of`",
        ),
        (
            "[database]\nkind = \"mariadb\"\nsocket = \"s\"\nname = \"n\"\nuser = \"u\"\ntls = \"verify\"\n",
            "f:6: a socket has no `tls`",
        ),
        (
            "[database]\nkind = \"mariadb\"\nhost = \"::1\"\nname = \"n\"\nuser = \"u\"\nca_file = \"c\"\ntls = \"off\"\n",
            "f:6: `ca_file` needs tls = \"verify\"",
        ),
        (
            "[database]\nkind = \"sqlite\"\nfile = \"f\"\ncall_seconds = 0\n",
            "f:4: `call_seconds` is not at least one second",
        ),
        (
            "[database]\nkind = \"sqlite\"\nfile = \"f\"\ncolour = 1\n",
            "f:4: unknown field `colour`",
        ),
        ("[database]\nkind = \"sqlite\"\nfile = \"f\"\n[other]\n", "f:4: unknown field `other`"),
        ("[database]\nkind = \"sqlite\n", "f:2: "),
        (
            "[database]\nkind = \"mariadb\"\nhost = \"h\"\nname = \"n\"\nuser = \"u\"\npassword_env = \"NONE\"\n",
            "f:6: the environment has no variable NONE",
        ),
        (
            "[database]\nkind = \"mariadb\"\nhost = \"h\"\nname = \"n\"\nuser = \"u\"\npassword = \"s3cret\"\n",
            "f:6: unknown field `password`",
        ),
    ] {
        let found = read(text, Path::new("f")).expect_err(text);
        assert!(found.starts_with(expected), "{found}\nis not: {expected}");
        assert_eq!(found.lines().count(), 1, "{found}");
        assert!(!found.contains("s3cret"), "{found}");
    }
}

#[test]
fn a_password_is_read_from_a_file_of_its_owner() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (file, secret) = (directory.path().join("sql.toml"), directory.path().join("password"));
    let text = "[database]\nkind = \"mariadb\"\nhost = \"::1\"\nname = \"n\"\nuser = \"u\"\n\
                password_file = \"password\"\n";
    let told = |text: &str| format!("{}:6: {}: {text}", file.display(), secret.display());
    assert_eq!(
        read(text, &file).expect_err("none"),
        told("No such file or directory (os error 2)")
    );
    std::fs::write(&secret, format!("{SECRET}\n")).expect("it is written");
    let may = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&secret, mode).expect("it is ours");
    };
    for mode in [0o640, 0o604, 0o644] {
        may(mode);
        let expected = told(&format!("others can read it (mode {mode:o}); chmod 600"));
        assert_eq!(read(text, &file).expect_err("open"), expected);
    }
    may(0o600);
    let address = read(text, &file).expect("it is read");
    assert!(!format!("{address:?} {address}").contains(SECRET));
    std::fs::write(&secret, "\n").expect("it is written");
    assert_eq!(
        read(text, &file).expect_err("empty"),
        told("expected a password, found an empty line")
    );
}
