//! Series of rows in SQL databases: the same answers as Debian's rrdtool with libdbi gives.
#![allow(clippy::disallowed_methods)] // it starts programs

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use oracle::{MariaDb, Postgres, Reach};
use rrdtool::{Session, Wording};

const WHAT: &str = "series of rows in SQL databases against rrdtool";
/// All times of the rows are after this.
const EPOCH_SECONDS: i64 = 1_000_001_000;
const OPTIONS: &str = "/rrdminstepsize=100";

/// What a program printed, or its error.
type Outcome = Result<String, String>;

/// What rrdtool does.
fn theirs(program: &Path, words: &[&str]) -> Outcome {
    let output = Command::new(program)
        .args(words)
        .env("TZ", "UTC")
        .env("RRD_NO_LIBDBI_BUG_WARNING", "1")
        .output()
        .expect("rrdtool starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints ASCII");
    match output.status.success() {
        true => Ok(text(output.stdout)),
        false => {
            let told = text(output.stderr);
            Err(told.trim_end_matches('\n').trim_start_matches("ERROR: ").to_owned())
        }
    }
}

/// What gyre does.
fn ours(words: &[&str]) -> Outcome {
    rrdtool::fetch_sql_by(sqlseries::fetch);
    let mut session = Session::new();
    let done = rrdtool::perform(&mut session, words, false);
    let told = done.map_err(|failure| failure.in_words(Wording::Rrdtool));
    told.map(|()| String::from_utf8(session.out).expect("it prints ASCII"))
}

/// The words of a command of series from a path.
fn xport(path: &str, source: &str, from: i64, to: i64, step: i64) -> Vec<String> {
    let definition = format!("DEF:a={path}:{source}:AVERAGE");
    let (start, end) = (EPOCH_SECONDS + from, EPOCH_SECONDS + to);
    let (start, end, step) = (start.to_string(), end.to_string(), step.to_string());
    let words =
        ["xport", "--start", &start, "--end", &end, "--step", &step, &definition, "XPORT:a"];
    words.map(str::to_owned).to_vec()
}

fn fetch(path: &str, from: i64, to: i64, step: i64) -> Vec<String> {
    let (start, end) = (EPOCH_SECONDS + from, EPOCH_SECONDS + to);
    let words = ["fetch", path, "AVERAGE", "-s", &start.to_string(), "-e", &end.to_string()];
    let step = ["-r".to_owned(), step.to_string()];
    words.into_iter().map(str::to_owned).chain(step).collect()
}

fn both(program: &Path, words: &[String]) -> [Outcome; 2] {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    [ours(&words), theirs(program, &words)]
}

fn same(program: &Path, words: &[String]) {
    let [ours, theirs] = both(program, words);
    assert_eq!(ours, theirs, "{words:?}");
    assert!(ours.is_ok(), "{words:?}: {ours:?}");
}

/// Tables of all kinds of values.
fn tables(date: &str) -> String {
    let mut sql = format!(
        "CREATE TABLE samples (id INT, t INT, v DOUBLE PRECISION, dec_v DECIMAL(20,3), \
         txt VARCHAR(20), dt {date}, dbl_t DOUBLE PRECISION);\
         CREATE TABLE more (id INT, t INT, v DOUBLE PRECISION);"
    );
    let mut add = |id: i64, at: i64, value: &str| {
        let seconds = EPOCH_SECONDS + at;
        let text = if at % 3 == 0 { "abc" } else { value.trim_matches('\'') };
        let (minute, second) = ((200 + at) / 60, (200 + at) % 60);
        let date = format!("2001-09-09 02:{minute:02}:{second:02}");
        let _ = write!(
            sql,
            "INSERT INTO samples VALUES ({id}, {seconds}, {value}, {value}, '{text}', '{date}', \
             {seconds}.75);"
        );
        if at % 2 == 0 {
            let _ = write!(sql, "INSERT INTO more VALUES ({id}, {seconds}, {value});");
        }
    };
    // Gaps, single values, a counter that falls, unsorted times, large numbers, none.
    for (at, value) in [(10, "7"), (20, "9.5"), (31, "4"), (150, "5"), (152, "8"), (210, "3")] {
        add(1, at, value);
    }
    for (at, value) in [(400, "1"), (410, "2"), (421, "3"), (430, "6.25"), (999, "11")] {
        add(1, at, value);
    }
    for (at, value) in [(350, "100"), (310, "50"), (250, "10"), (120, "0"), (20, "40")] {
        add(2, at, value);
    }
    for at in 0..40 {
        let value = 100_000_000 + (at * 7919) % 61;
        add(3, at * 23 + 1, &value.to_string());
    }
    for (at, value) in [(5, "1"), (15, "NULL"), (150, "NULL"), (160, "2"), (170, "5")] {
        add(4, at, value);
    }
    sql
}

/// The parts of names behind the options, and whether all databases understand them.
const BODIES: [&str; 12] = [
    "samples/t/v/id=1",
    "samples/t/v/id=2",
    "samples/t/v/id=3",
    "samples/t/v/id=4",
    "samples/t/v/derive/id=1",
    "samples/t/v/derive/id=2",
    "samples/t/v/derive/id=4",
    "samples/t/v/id=1/v>3/t%3c1000001999",
    "samples/t/v*1.5%2b1/id=1",
    "samples+more/t/v/id=1",
    "sampl%65s/%74/dec_v/id=1",
    "samples/dbl_t/v/id=1",
];

fn answers_are_the_same(program: &Path, base: &str) {
    for body in BODIES {
        let path = format!("{base}{OPTIONS}//{body}");
        same(program, &fetch(&path, -50, 1000, 100));
        for source in ["min", "avg", "max", "count", "sigma"] {
            same(program, &xport(&path, source, -50, 1000, 100));
        }
        same(program, &xport(&path, "avg", -30, 1045, 100));
        same(program, &xport(&path, "max", 0, 1001, 130));
        same(program, &fetch(&path, 0, 1001, 7));
    }
    for option in ["rrdfillmissing=100", "rrdfillmissing=250", "rrdfillmissing=99999"] {
        let path = format!("{base}{OPTIONS}/{option}//samples/t/v/id=1");
        same(program, &fetch(&path, -50, 1000, 100));
        same(program, &xport(&path, "avg", -30, 1045, 100));
        same(program, &xport(&path, "sigma", -30, 1000, 100));
    }
    for option in ["rrdderivemaxstep=20", "rrdderivemaxstep=90/other=1", "rrdderivemaxstep=0"] {
        let path = format!("{base}{OPTIONS}/{option}//samples/t/v/derive/id=1");
        same(program, &fetch(&path, -50, 1000, 100));
    }
    for options in ["", "/rrdminstepsize=0", "/rrdminstepsize=x", "/rrdminstepsize=77.9"] {
        same(program, &fetch(&format!("{base}{options}//samples/t/v/id=1"), -50, 1400, 1));
    }
    let everything = format!("{base}{OPTIONS}//samples/t/v/");
    same(program, &fetch(&everything, -50, 1000, 100));
    dates_are_the_same(program, base);
    errors_are_the_same(program, base);
    a_graph_reads_each_column(base);
}

/// rrdtool writes dates in the local zone and reads them as UTC: there the two are the same.
fn dates_are_the_same(program: &Path, base: &str) {
    let now = jiff::Timestamp::UNIX_EPOCH;
    if jiff::tz::TimeZone::system().to_offset(now) != jiff::tz::Offset::UTC {
        return;
    }
    same(program, &fetch(&format!("{base}{OPTIONS}//samples/*dt/v/id=1"), -50, 1000, 100));
    same(program, &fetch(&format!("{base}{OPTIONS}//samples/*dt/v/derive/id=2"), -50, 1000, 100));
}

fn errors_are_the_same(program: &Path, base: &str) {
    let windows = |path: &str, source| xport(path, source, 0, 1000, 100);
    for path in [
        "sql//".to_owned(),
        "sql//mysql".to_owned(),
        "sql//oracle/dbname=a//t/u/v/w".to_owned(),
        format!("{base}//samples/t/v"),
        format!("{base}//samples"),
        format!("{base}//"),
        format!("{base}//samples/t/v/id=%zz"),
    ] {
        let [ours, theirs] = both(program, &windows(&path, "avg"));
        assert_eq!(ours, theirs, "{path}");
        assert!(ours.is_err(), "{path}");
    }
    let path = format!("{base}{OPTIONS}//samples/t/v/id=1");
    let [ours, theirs] = both(program, &windows(&path, "median"));
    let expected = format!("No DS called 'median' in '{path}'");
    assert_eq!(theirs, Err(expected));
    let shown = graph::without_password(&path);
    assert_eq!(ours, Err(format!("No DS called 'median' in '{shown}'")));
    // The words of the database itself differ: its number stands before them in rrdtool.
    for body in ["nowhere/t/v/id=1", "samples/t/other/id=1", "samples/t/v/id=1 AND"] {
        let path = format!("{base}{OPTIONS}//{body}");
        let told = both(program, &windows(&path, "avg")).map(|told| told.expect_err(&path));
        let [ours, theirs] = told.each_ref().map(|told| {
            let (query, _) = told.split_once(" - errormessage: ").expect(told);
            query.split_once("libdbi: problems with query: ").expect(told).1
        });
        assert_eq!(ours, theirs, "{path}");
    }
    let writes = format!("{base}{OPTIONS}//samples/t/v/id=1;DELETE FROM samples WHERE 1=1");
    assert!(ours_of(&windows(&writes, "avg")).is_err(), "one statement is sent");
    same(program, &windows(&path, "count"));
}

fn ours_of(words: &[String]) -> Outcome {
    ours(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn a_graph_reads_each_column(base: &str) {
    let path = format!("{base}{OPTIONS}//samples/t/v/id=1");
    let (start, end) = (EPOCH_SECONDS.to_string(), (EPOCH_SECONDS + 1000).to_string());
    let words = ["graph", "/dev/null", "-a", "SVG", "-S", "100", "-s", &start, "-e", &end];
    let words = words.into_iter().map(str::to_owned).chain([
        format!("DEF:low={path}:min:AVERAGE"),
        format!("DEF:high={path}:max:AVERAGE"),
        "LINE1:low#ff0000".to_owned(),
        "PRINT:low:MIN:%lf".to_owned(),
        "PRINT:high:MAX:%lf".to_owned(),
    ]);
    let words: Vec<String> = words.collect();
    let drawn = ours_of(&words).expect("it is drawn");
    assert!(drawn.ends_with("\n1.000000\n11.000000\n"), "{drawn}");
}

#[test]
fn sqlite_answers_as_with_rrdtool() {
    let Some(program) = oracle::program("rrdtool", WHAT) else { return };
    let Some(_) = oracle::file("/usr/lib/x86_64-linux-gnu/dbd/libdbdsqlite3.so", WHAT) else {
        return;
    };
    let Some(sqlite) = oracle::program("sqlite3", WHAT) else { return };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("rows.sqlite");
    let filled = Command::new(sqlite).arg(&file).arg(tables("DATETIME")).status();
    assert!(filled.expect("it runs").success());
    let place = directory.path().display().to_string().replace('/', "%2f");
    let base = format!("sql//sqlite3/sqlite3_dbdir={place}/dbname=rows.sqlite");
    answers_are_the_same(&program, &base);
    let missing = format!("sql//sqlite3/sqlite3_dbdir={place}/dbname=none//t/u/v/w");
    // rrdtool would make the file, and then miss the table in it.
    let told = ours_of(&xport(&missing, "avg", 0, 1000, 100)).expect_err("there is none");
    let expected = "libdbi: problems connecting to db with connect string ";
    assert!(told.starts_with(&format!("{expected}{missing} - error: ")), "{told}");
    assert!(!directory.path().join("none").exists());
}

#[test]
fn mariadb_answers_as_with_rrdtool() {
    let Some(program) = oracle::program("rrdtool", WHAT) else { return };
    let Some(_) = oracle::file("/usr/lib/x86_64-linux-gnu/dbd/libdbdmysql.so", WHAT) else {
        return;
    };
    let Some(server) = MariaDb::start_with(WHAT, Reach::Port, &[]) else { return };
    server.run(&tables("DATETIME"));
    let login = login();
    let port = server.port().expect("it was asked for");
    answers_are_the_same(&program, &format!("sql//mysql/host=127.0.0.1/port={port}/{login}"));
    let socket = server.socket().display().to_string().replace('/', "%2f");
    let base = format!("sql//mysql/mysql_unix_socket={socket}/{login}");
    same(&program, &fetch(&format!("{base}{OPTIONS}//samples/t/v/id=1"), -50, 1000, 100));
    a_wrong_password_is_not_shown(&program, &format!("sql//mysql/host=127.0.0.1/port={port}"));
    assert_eq!(server.run("SELECT count(*) FROM samples"), "61\n");
}

#[test]
fn postgres_answers_as_with_rrdtool() {
    let Some(program) = oracle::program("rrdtool", WHAT) else { return };
    let Some(_) = oracle::file("/usr/lib/x86_64-linux-gnu/dbd/libdbdpgsql.so", WHAT) else {
        return;
    };
    let Some(server) = Postgres::start_with(WHAT, Reach::Port, &[]) else { return };
    server.run(&format!("{}GRANT SELECT ON samples, more TO PUBLIC", tables("TIMESTAMP")));
    let login = login();
    let port = server.port().expect("it was asked for");
    answers_are_the_same(&program, &format!("sql//pgsql/host=127.0.0.1/port={port}/{login}"));
    let socket = server.socket().display().to_string().replace('/', "%2f");
    let base = format!("sql//pgsql/host={socket}/port={port}/{login}");
    same(&program, &fetch(&format!("{base}{OPTIONS}//samples/t/v/id=1"), -50, 1000, 100));
    a_wrong_password_is_not_shown(&program, &format!("sql//pgsql/host=127.0.0.1/port={port}"));
    // A function in the place of a column cannot write.
    server.run(
        "CREATE FUNCTION spoil() RETURNS float LANGUAGE SQL AS \
         'DELETE FROM samples RETURNING 1.0::float'; GRANT DELETE ON samples TO PUBLIC",
    );
    let spoil = format!("sql//pgsql/host=127.0.0.1/port={port}/{login}//samples/t/spoil()/id=1");
    let told = ours_of(&xport(&spoil, "avg", 0, 1000, 100)).expect_err("it is refused");
    assert!(told.contains("read-only"), "{told}");
    assert_eq!(server.run("SELECT count(*) FROM samples"), "61\n");
}

/// The options of the private servers' user.
fn login() -> String {
    let (user, password, name) =
        (oracle::DATABASE_USER, oracle::DATABASE_PASSWORD, oracle::DATABASE_NAME);
    let password = password.replace(' ', "%20").replace('\'', "%27");
    format!("dbname={name}/username={user}/password={password}")
}

fn a_wrong_password_is_not_shown(program: &Path, base: &str) {
    let (user, name) = (oracle::DATABASE_USER, oracle::DATABASE_NAME);
    let path = format!("{base}/dbname={name}/username={user}/password=wr0ng//samples/t/v/id=1");
    let [ours, theirs] = both(program, &xport(&path, "avg", 0, 1000, 100));
    let (ours, theirs) = (ours.expect_err("refused"), theirs.expect_err("refused"));
    assert!(!ours.contains("wr0ng"), "{ours}");
    let (before, _) = theirs.split_once(" - error: ").expect("its words");
    let hidden = before.replace("wr0ng", "***");
    assert!(ours.starts_with(&format!("{hidden} - error: ")), "{ours}\n{theirs}");
}
