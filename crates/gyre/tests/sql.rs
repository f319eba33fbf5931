//! `gyre sql`, and `--sql` of servers: tables are the archives, whatever is killed.
#![allow(clippy::disallowed_methods)] // the test starts the program

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long tables may take to catch up.
const PATIENCE: Duration = Duration::from_secs(60);

fn gyre(directory: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.args(line.split_whitespace()).current_dir(directory);
    command.env_remove("RRDCACHED_ADDRESS").stdin(Stdio::null()).output().unwrap()
}

fn done(directory: &Path, line: &str) -> String {
    let output = gyre(directory, line);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{line}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a verb says that fails.
fn refused(directory: &Path, line: &str) -> String {
    let output = gyre(directory, line);
    assert!(!output.status.success(), "{line}");
    String::from_utf8(output.stderr).unwrap().trim_end().to_owned()
}

/// A ring store `S` with two databases.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for line in [
        "store create S",
        "create S/a.rrd -b 1600000000 -s 10 DS:x:GAUGE:20:U:U DS:y:COUNTER:20:0:U \
         RRA:AVERAGE:0.5:1:60 RRA:MAX:0.5:1:60 RRA:MAX:0.5:6:20",
        "create S/sub/b.rrd -b 1600000000 -s 10 DS:x:GAUGE:20:U:U RRA:AVERAGE:0.5:1:60",
    ] {
        done(place.path(), line);
    }
    let readings =
        (1..50).map(|nth| format!(" {}:{}:{}", 1_600_000_000 + nth * 10, nth, nth * nth));
    done(place.path(), &format!("update S/a.rrd{}", readings.collect::<String>()));
    place
}

#[test]
fn tables_are_made_fed_compared_and_removed() {
    let place = place();
    let place = place.path();
    let planned = done(place, "sql create --dry-run S t.sqlite");
    assert!(planned.contains("2 databases, 3 series\n"), "{planned}");
    assert!(planned.contains("0.3 rows a second; 220 rows when all rings are full"), "{planned}");
    assert!(planned.ends_with("nothing was made\n"), "{planned}");
    let none = refused(place, "sql feed S t.sqlite");
    assert_eq!(none, "ERROR: there are no tables of gyre; `gyre sql create` makes them");
    done(place, "sql create --names a* --rows 10,60 --functions average,max S t.sqlite");
    done(place, "sql create --names a* --rows 10,60 --functions average,max S t.sqlite");
    assert!(refused(place, "sql create S t.sqlite").contains("are there already"));
    let fed = done(place, "sql feed S t.sqlite");
    assert!(fed.starts_with("111 rows, 1 databases begun fed to "), "{fed}");
    assert!(done(place, "sql feed S t.sqlite").starts_with("0 rows fed to "));
    let verified = done(place, "sql verify S t.sqlite");
    assert_eq!(verified, "no difference: 1 databases, 160 rows compared, 0 still to be fed\n");
    let status: serde_json::Value =
        serde_json::from_str(&done(place, "sql status --json t.sqlite")).unwrap();
    assert_eq!(status["databases"], 1);
    assert_eq!(status["newest_seconds"], 1_600_000_490);
    assert_eq!(status["rings"][0]["view"], "gyre_rows_10s_60");
    done(place, "update S/a.rrd 1600000500:1:2");
    let behind = done(place, "sql verify S t.sqlite");
    assert!(behind.ends_with(" 4 still to be fed\n"), "{behind}");
    done(place, "store create T");
    let other = refused(place, "sql feed T t.sqlite");
    assert!(other.contains("/S, not from ") && other.contains("/T; "), "{other}");
    fs::rename(place.join("S"), place.join("moved")).unwrap();
    done(place, "sql create --names a* --rows 10,60 --functions average,max moved t.sqlite");
    assert!(done(place, "sql feed moved t.sqlite").starts_with("4 rows fed to "));
    assert!(done(place, "sql drop t.sqlite").starts_with("removed 2 rings "));
    assert!(refused(place, "sql status t.sqlite").contains("there are no tables"));
}

#[test]
fn a_tree_of_files_is_fed_while_rrdtool_updates_it() {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = place.path();
    fs::create_dir(place.join("tree")).unwrap();
    done(place, "create tree/a.rrd -b 1600000000 -s 10 DS:x:GAUGE:20:U:U RRA:LAST:0.5:1:9");
    done(place, "sql create tree t.sqlite");
    for round in 1..6 {
        done(place, &format!("update tree/a.rrd {}:{round}", 1_600_000_000 + round * 10));
        assert!(done(place, "sql feed tree t.sqlite").starts_with("1 rows"));
    }
    // Another file takes its place, with the same newest rows.
    done(place, "dump tree/a.rrd a.xml");
    let xml = fs::read_to_string(place.join("a.xml")).unwrap();
    fs::write(place.join("a.xml"), xml.replacen("<v>1.0000000000e+00</v>", "<v>7</v>", 1)).unwrap();
    done(place, "restore -f a.xml tree/a.rrd");
    done(place, "sql feed tree t.sqlite");
    let verified = done(place, "sql verify tree t.sqlite");
    assert!(verified.starts_with("no difference: 1 databases, 9 rows"), "{verified}");
}

#[test]
fn bad_input_gets_one_line_that_names_it() {
    let place = place();
    let place = place.path();
    fs::write(place.join("text"), "no database\n").unwrap();
    fs::write(place.join("key.toml"), "[database]\nkind = \"mariadb\"\nhots = \"h\"\n").unwrap();
    let secret = "[database]\nkind = \"mariadb\"\nsocket = \"/nowhere\"\nname = \"x\"\nuser = \"u\"\n\
                  password_file = \"secret\"\n";
    fs::write(place.join("open.toml"), secret).unwrap();
    fs::write(place.join("secret"), "hunter2\n").unwrap();
    fs::set_permissions(place.join("secret"), fs::Permissions::from_mode(0o644)).unwrap();
    let case = |line: &str, expected: &str| {
        let told = refused(place, line);
        assert!(told.contains(expected), "{line}: {told}");
        assert!(!told.contains("hunter2") && told.lines().count() <= 2, "{told}");
    };
    case("sql feed S text", "text: expected an SQLite database, or a configuration");
    case("sql feed S none.toml", "none.toml: No such file or directory");
    case("sql feed S key.toml", "key.toml:3: ");
    case("sql feed S open.toml", "secret");
    case("sql create S", "expected STORE and FILE");
    case("sql create --rows 10,x S t.sqlite", "--rows: expected lengths of rows in seconds");
    case("sql create --functions HWPREDICT S t.sqlite", "--functions: expected functions of");
    case("sql create --names nothing* S t.sqlite", "no archive of any database is selected");
    case("sql create none t.sqlite", "none");
    case("rrdcached -g -l unix:s --store S --sql text", "text: expected an SQLite database");
    fs::set_permissions(place.join("secret"), fs::Permissions::from_mode(0o600)).unwrap();
    case("sql feed S open.toml", "cannot be reached");
}

/// A daemon over the store `S` that feeds `t.sqlite`.
struct Daemon(Child);

impl Daemon {
    fn start(place: &Path, options: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
        command.args(["rrdcached", "-g", "-p", "pid", "-l", "unix:s", "-b", "d"]);
        command.args(["--sql", "t.sqlite"]).args(options.split_whitespace()).current_dir(place);
        let daemon = Self(command.stdin(Stdio::null()).spawn().unwrap());
        let began = Instant::now();
        while UnixStream::connect(place.join("s")).is_err() {
            assert!(began.elapsed() < PATIENCE, "the daemon does not answer");
            thread::sleep(Duration::from_millis(10));
        }
        daemon
    }

    fn kill9(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It was killed already where a test is done with it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends lines, and waits for an answer to each.
fn say(place: &Path, lines: &[String]) {
    let mut socket = UnixStream::connect(place.join("s")).unwrap();
    let mut answers = BufReader::new(socket.try_clone().unwrap());
    for line in lines {
        writeln!(socket, "{line}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert!(answer.starts_with("0 "), "{line}: {answer}");
    }
}

/// Waits until the tables are what the store has.
fn catch_up(place: &Path, origin: &str) {
    let began = Instant::now();
    loop {
        let found = gyre(place, &format!("sql verify {origin} t.sqlite"));
        let told = String::from_utf8_lossy(&found.stdout).into_owned();
        if found.status.success() && told.ends_with(" 0 still to be fed\n") {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{told}{}", String::from_utf8_lossy(&found.stderr));
        thread::sleep(Duration::from_millis(200));
    }
}

fn survives_kill(options: &str, origin: &str, name: impl Fn(usize) -> String) {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = place.path();
    fs::create_dir_all(place.join("d")).unwrap();
    let mut daemon = Daemon::start(place, options);
    let create = |nth| {
        format!("CREATE {} -b 1600000000 -s 10 DS:x:GAUGE:20:U:U RRA:AVERAGE:0.5:1:30", name(nth))
    };
    say(place, &[create(0)]);
    done(place, &format!("sql create {origin} t.sqlite"));
    let mut seconds = 1_600_000_000;
    for round in 0..6 {
        say(place, &[create(1 + round)]);
        for _ in 0..20 {
            seconds += 10;
            let update = |nth| format!("UPDATE {} {seconds}:{}", name(nth), seconds % 97);
            say(place, &(0..=round).map(update).collect::<Vec<_>>());
            thread::sleep(Duration::from_millis(20));
        }
        daemon.kill9();
        daemon = Daemon::start(place, options);
    }
    let flush = (0..6).map(|nth| format!("FLUSH {}", name(nth)));
    say(place, &flush.collect::<Vec<_>>());
    catch_up(place, origin);
    daemon.kill9();
    done(place, &format!("sql verify {origin} t.sqlite"));
}

#[test]
fn a_daemon_over_a_ring_store_feeds_and_survives_its_kill() {
    survives_kill("--store S", "S", |nth| format!("n{nth}.rrd"));
}

#[test]
fn a_daemon_over_files_feeds_and_survives_its_kill() {
    survives_kill("-j journal", "d", |nth| format!("n{nth}.rrd"));
}
