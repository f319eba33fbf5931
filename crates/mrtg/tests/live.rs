//! Debian's cfgmaker, mrtg, snmpd and rrdtool compared with this crate: one configuration must give
//! equal databases.
#![allow(clippy::disallowed_methods, reason = "runs Debian's MRTG as an oracle")]

mod live_cases;
mod support;

use std::collections::HashMap;
use std::path::Path;

use mrtg::{Configuration, Direction, Flag, Number, Poll};
use rrd::{Definition, Parameters};
use support::{Disk, Scratch, have, run, snmpd};

/// The output of `rrdtool info` for a file, by the name of each line.
fn info(path: &Path) -> HashMap<String, String> {
    let output = run("rrdtool", &["info", path.to_str().unwrap()]);
    assert!(
        output.status.success(),
        "{}: {}",
        path.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let pairs = text.lines().filter_map(|line| line.split_once(" = "));
    pairs.map(|(name, value)| (name.to_owned(), value.trim_matches('"').to_owned())).collect()
}

fn assert_same(definition: &Definition, info: &HashMap<String, String>, about: &str) {
    let number = |name: String| info[&name].parse::<f64>().unwrap();
    // rrdtool prints eleven digits.
    let close = |left: f64, right: f64| (left - right).abs() <= 1e-10 * right.abs();
    let same = |left: f64, right: f64| close(left, right) || (left.is_nan() && right.is_nan());
    assert_eq!(info["step"], definition.step_seconds.to_string(), "{about}");
    for (nth, source) in definition.sources.iter().enumerate() {
        let of = |what: &str| format!("ds[{}].{what}", source.name);
        assert_eq!(info[&of("index")], nth.to_string(), "{about}");
        assert_eq!(info[&of("type")], source.kind.name(), "{about}");
        let heartbeat = source.heartbeat_seconds.to_string();
        assert_eq!(info[&of("minimal_heartbeat")], heartbeat, "{about}");
        assert!(same(number(of("min")), source.minimum), "{about} min");
        assert!(same(number(of("max")), source.maximum), "{about} max");
    }
    for (nth, archive) in definition.archives.iter().enumerate() {
        let of = |what: &str| format!("rra[{nth}].{what}");
        assert_eq!(info[&of("cf")], archive.cf.name(), "{about}");
        assert_eq!(info[&of("rows")], archive.rows.to_string(), "{about} {nth}");
        assert_eq!(info[&of("pdp_per_row")], archive.pdp_per_row.to_string(), "{about} {nth}");
        match archive.parameters {
            Parameters::None => assert_eq!(number(of("xff")), archive.xff, "{about}"),
            Parameters::Predict { alpha, beta, .. } => {
                assert_eq!([number(of("alpha")), number(of("beta"))], [alpha, beta], "{about}");
            }
            Parameters::Seasonal { gamma, .. } => assert_eq!(number(of("gamma")), gamma, "{about}"),
            Parameters::Failures { threshold, window, .. } => {
                let told =
                    [info[&of("failure_threshold")].clone(), info[&of("window_length")].clone()];
                assert_eq!(told, [threshold.to_string(), window.to_string()], "{about}");
            }
            Parameters::DevPredict { .. } => {}
        }
    }
    let count = |ending: &str| info.keys().filter(|name| name.ends_with(ending)).count();
    assert_eq!(count(".minimal_heartbeat"), definition.sources.len(), "{about}");
    assert_eq!(count(".pdp_per_row"), definition.archives.len(), "{about}");
}

/// Lets MRTG make its databases, and compares each with ours.
fn compare(path: &Path) -> (Configuration, String) {
    let configuration = Configuration::read(path, &Disk).unwrap_or_else(|error| panic!("{error}"));
    std::fs::create_dir_all(&configuration.globals.log_dir).unwrap();
    // MRTG's exit code is not zero if a single value could not be stored.
    let output = run("mrtg", &[path.to_str().unwrap(), "--debug=log"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!configuration.targets.is_empty());
    for target in &configuration.targets {
        let definition = target.settings.definition();
        let about = format!("{} at {:?}", target.name, configuration.globals.interval);
        assert!(target.rrd_path().exists(), "{about}: {told}");
        assert_same(&definition, &info(&target.rrd_path()), &about);
    }
    (configuration, told)
}

/// The last `time:in:out` that MRTG wrote for a target.
fn written(log: &str, path: &Path) -> [Option<String>; 2] {
    let start = format!("RRDs::updatev({}, '", path.display());
    let older = format!("RRDs::update({}, '", path.display());
    let of = |line: &&str| line.contains(&start) || line.contains(&older);
    let line = log.lines().rfind(of).unwrap_or_else(|| panic!("no update of {}", path.display()));
    let values = line.rsplit('\'').nth(1).unwrap();
    let mut values = values.split(':').skip(1);
    [(); 2].map(|()| values.next().filter(|value| *value != "U").map(str::to_owned))
}

#[test]
fn what_cfgmaker_writes_runs_unedited_with_equal_databases() {
    if !have(&["cfgmaker", "mrtg", "snmpd", "snmpget", "rrdtool"]) {
        return;
    }
    let scratch = Scratch::new("live");
    let Some((_guard, port)) = snmpd(&scratch) else {
        panic!("snmpd did not answer");
    };
    for (reference, version, interval) in [
        ("nr", "", "5"),
        ("name", "::::2", "0:10"),
        ("descr", "", "1"),
        ("eth", "::::2", "30"),
        ("ip", "", "10"),
    ] {
        let work = scratch.0.join(reference);
        let output = run(
            "cfgmaker",
            &[
                "--global",
                &format!("WorkDir: {}", work.display()),
                "--global",
                "LogFormat: rrdtool",
                "--global",
                &format!("Interval: {interval}"),
                "--global",
                "Options[_]: growright, bits",
                "--if-filter=1",
                "--zero-speed=100000000",
                &format!("--ifref={reference}"),
                &format!("public@127.0.0.1:{port}{version}"),
            ],
        );
        let path = scratch.write(&format!("{reference}.cfg"), &output.stdout);
        let (configuration, log) = compare(&path);
        let loopback = configuration.targets.iter().find(|each| each.name.ends_with("_lo"));
        if reference == "name" {
            let [incoming, _] = written(&log, &loopback.expect("lo").rrd_path());
            assert!(incoming.unwrap().parse::<u64>().unwrap() > 0);
        }
    }
}

/// A target without an agent: MRTG makes the same database for a script.
fn without_agent(work: &Path, globals: &str, targets: &[(String, String)]) -> String {
    let mut text = format!("WorkDir: {}\nLogFormat: rrdtool\n{globals}\n", work.display());
    for (name, lines) in targets {
        text += &format!("Title[{name}]: t\nTarget[{name}]: `printf '3\\n5\\n'`\n{lines}\n");
    }
    text
}

#[test]
fn every_interval_and_option_makes_the_same_database() {
    if !have(&["mrtg", "rrdtool"]) {
        return;
    }
    let scratch = Scratch::new("databases");
    let mut plain: Vec<(String, String)> = vec![
        ("plain".into(), "MaxBytes[plain]: 1250000".into()),
        ("Caps.and-dots".into(), "MaxBytes[Caps.and-dots]: 1\nDirectory[Caps.and-dots]: /sub//dir".into()),
        ("two".into(), "MaxBytes1[two]: 7\nMaxBytes2[two]: 123456789012345".into()),
        ("abs".into(), "MaxBytes[abs]: 10\nAbsMax[abs]: 4000000000".into()),
        ("rows".into(), "MaxBytes[rows]: 10\nRRDRowCount[rows]: 33\nRRDRowCount30m[rows]: 44\nRRDRowCount2h[rows]: 55\nRRDRowCount1d[rows]: 66".into()),
        ("forecasts".into(), "MaxBytes[forecasts]: 10\nRRDHWRRAs[forecasts]: RRA:HWPREDICT:1440:0.1:0.0035:288".into()),
        ("own_forecasts".into(), "MaxBytes[own_forecasts]: 10\nRRDRowCount[own_forecasts]: 900\nRRDHWRRAs[own_forecasts]: RRA:HWPREDICT:500:0.1:0.0035:20:10 RRA:SEASONAL:20:0.1:9 RRA:DEVSEASONAL:20:0.1:9 RRA:DEVPREDICT:500:11 RRA:FAILURES:500:3:5:11".into()),
        ("zero_rows".into(), "MaxBytes[zero_rows]: 10\nRRDRowCount[zero_rows]: 0".into()),
    ];
    for (word, _) in Flag::ALL {
        // A target with the name of an option makes MRTG die.
        let name = format!("with_{word}");
        plain.push((name.clone(), format!("MaxBytes[{name}]: 99\nOptions[{name}]: {word}")));
    }
    for words in ["gauge absolute derive", "absolute, derive", "perhour derive"] {
        let name = words.replace([' ', ','], "_");
        plain.push((name.clone(), format!("MaxBytes[{name}]: 99\nOptions[{name}]: {words}")));
    }
    let path = scratch.write("all.cfg", without_agent(&scratch.0.join("all"), "", &plain));
    compare(&path);
    let intervals = [
        "0:01", "0:07", "0:10", "0:13", "0:29", "0:30", "0:58", "1", "1:40", "2:30", "3", "4:59",
        "5", "7", "15", "29:59", "30", "30:01", "45", "59:59", "60", "2.5",
    ];
    for (nth, interval) in intervals.iter().enumerate() {
        let work = scratch.0.join(format!("interval{nth}"));
        let text = without_agent(&work, &format!("Interval: {interval}"), &plain[..1]);
        compare(&scratch.write(&format!("{nth}.cfg"), text));
    }
}

/// The arithmetic of a database, for all 3600 intervals, in MRTG's Perl.
const ALL_INTERVALS: &str = r#"
for my $s (1 .. 3600) {
    my $i = int($s / 60) + ($s % 60) / 60.0;
    print join(" ", $s, int($i * 60), int(4000 / $i), int(30 / $i), int(120 / $i), int(1440 / $i)), "\n";
}
"#;

#[test]
fn all_intervals_round_as_perl_rounds() {
    if !have(&["perl"]) {
        return;
    }
    let output = run("perl", &["-e", ALL_INTERVALS]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 3600);
    let scratch = Scratch::new("intervals");
    for line in text.lines() {
        let numbers: Vec<u64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
        let seconds = numbers[0];
        let globals = format!("Interval: {}:{:02}", seconds / 60, seconds % 60);
        let targets = [("a".to_owned(), "MaxBytes[a]: 1".to_owned())];
        let configuration = support::read(without_agent(&scratch.0, &globals, &targets)).unwrap();
        let definition = configuration.targets[0].settings.definition();
        let archives = &definition.archives[..definition.archives.len() / 2];
        let mut ours = vec![seconds, definition.step_seconds, archives[0].rows];
        if seconds >= 1800 {
            ours.push(numbers[3]);
        }
        ours.extend(archives[1..].iter().map(|archive| archive.pdp_per_row));
        assert_eq!(ours, numbers);
    }
}

#[test]
fn expressions_are_calculated_as_mrtg_calculates_them() {
    if !have(&["mrtg", "rrdtool"]) {
        return;
    }
    // The poll without an expression comes last: MRTG rounds its value in place, which would affect
    // later expressions with the same poll.
    let expressions = [
        "A + B",
        "A - B",
        "B - A * 2",
        "(A + B) * 3",
        "A / B",
        "A / 8 * 8",
        "2 * A + B / 4 - 1.5",
        "- A",
        "A * 0.1 + 0.2",
        "A * A * A",
        "100 * A / ( A + B )",
        "A / ( B - B )",
        "1e3 * A",
        "8 * 2.5",
        "0 * A",
        "A - A",
        "B / 3",
        "B * 18446744073709551615",
        "( ( A ) )",
        "A",
    ];
    compare_values(&expressions, "gauge");
    compare_values(&expressions, "growright");
}

fn compare_values(expressions: &[&str], option: &str) {
    let scratch = Scratch::new(option);
    let a = "`printf '3\\n18446744073709551615\\n'`";
    let b = "`printf '5\\n9007199254740993\\n'`";
    let work = scratch.0.display();
    let mut text = format!("WorkDir: {work}\nLogFormat: rrdtool\nMaxBytes[_]: 1\nTitle[_]: t\n");
    for (nth, expression) in expressions.iter().enumerate() {
        let target = expression.replace('A', a).replace('B', b);
        text += &format!("Options[x{nth}]: {option}\nTarget[x{nth}]: {target}\n");
    }
    let (configuration, log) = compare(&scratch.write("mrtg.cfg", text));
    for target in &configuration.targets {
        let theirs = written(&log, &target.rrd_path());
        for (direction, theirs) in Direction::BOTH.into_iter().zip(theirs) {
            let ours = target.reading(direction, |poll, direction| {
                let Poll::Script(script) = configuration.poll(poll) else { panic!() };
                let is_a = script.command.windows(2).any(|two| two == b"'3");
                Some(Number::from(match (is_a, direction) {
                    (true, Direction::In) => 3_u64,
                    (true, Direction::Out) => u64::MAX,
                    (false, Direction::In) => 5,
                    (false, Direction::Out) => 9_007_199_254_740_993,
                }))
            });
            let about = format!(
                "{} {direction:?} {theirs:?} {ours:?}",
                expressions[target.name[1..].parse::<usize>().unwrap()]
            );
            match (ours.map(|number| (number.as_integer(), number.to_f64())), theirs) {
                (Some((Some(ours), _)), Some(theirs))
                    if theirs.len() < 38 && !theirs.contains('.') =>
                {
                    assert_eq!(ours.to_string(), theirs, "{about}");
                }
                (Some((_, ours)), Some(theirs)) => {
                    let theirs: f64 = theirs.parse().unwrap();
                    assert!((ours - theirs).abs() <= 1e-12 * theirs.abs(), "{about}");
                }
                (None, None) => {}
                _ => panic!("{about}"),
            }
        }
    }
}
