//! `gyre config check` and `gyre config explain`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

/// The exit code, standard output and standard error of `gyre config` in a directory with this
/// configuration.
fn config(text: &str, words: &[&str]) -> (i32, String, String) {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("mrtg.cfg"), text).unwrap();
    fs::write(directory.path().join("more.cfg"), "Target[x]: 1:p@h\nNonsense: 1\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gyre"))
        .arg("config")
        .args(words)
        .current_dir(directory.path())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

const SITE: &str = "WorkDir: /w\nLogFormat: rrdtool\nForks: 2\nPageFoot[_]: me\nTitle[_]: Traffic\n\
    MaxBytes[_]: 1000\n\
    Target[Sum]: ( #eth0:kept-quiet@10.0.0.1:::::2 + ifInErrors.3&ifOutErrors.3:kept-quiet@h ) * 8\n\
    AbsMax[sum]: 5000\n\
    Options[sum]: gauge\n\
    Target[program]: `secret-command --password x` - CnTWaLKifIndex&WaLK2ifMtu:kept-quiet@h\n";

#[test]
fn a_good_configuration_is_counted_and_its_notes_are_told() {
    let expected = "mrtg.cfg:3: Forks has nothing to do: gyre asks all devices side by side\n\
        mrtg.cfg:4: PageFoot is for HTML pages: `gyre pages` uses it, nothing else of gyre does\n\
        mrtg.cfg: valid: 2 targets on 2 devices and 1 programs, every 5 min; 0 not measured\n";
    let (code, told, errors) = config(SITE, &["check", "mrtg.cfg"]);
    assert_eq!((code, told.as_str(), errors.as_str()), (0, expected, ""));
}

#[test]
fn what_is_not_measured_and_what_is_wrong_are_told_with_their_lines() {
    let site = format!("{SITE}Target[b]: 1:p@[::1]\nTarget[c]: 1:p@h|perl\n");
    let (code, told, _) = config(&site, &["check", "mrtg.cfg"]);
    assert_eq!(code, 1);
    for line in [
        "mrtg.cfg:11: target b is not measured: its address is IPv6, and EnableIPv6 is not yes",
        "mrtg.cfg:12: target c is not measured: it converts values with a function (`|name`)",
        "mrtg.cfg: valid: 4 targets on 2 devices and 1 programs, every 5 min; 2 not measured",
    ] {
        assert!(told.lines().any(|found| found.starts_with(line)), "{line}\n{told}");
    }
    let wrong = format!("{SITE}Include: more.cfg\n");
    let (code, told, errors) = config(&wrong, &["check", "mrtg.cfg"]);
    assert_eq!((code, told.as_str()), (1, ""));
    assert_eq!(errors, "gyre config check: more.cfg:2: unknown key `Nonsense`\n");
    let (code, told, _) = config(&wrong, &["check", "--json", "mrtg.cfg"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(code, 1);
    assert_eq!(told["valid"], false);
    assert_eq!(told["error"], "more.cfg:2: unknown key `Nonsense`");
}

#[test]
fn a_target_is_explained_without_its_secrets() {
    let (code, told, errors) = config(SITE, &["explain", "mrtg.cfg", "SUM"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let expected = "sum (mrtg.cfg:7): Traffic
  value         (a + b) * 8
    a           10.0.0.1: SNMPv2c, 5 attempts, the first waits 2 s, each further 1 times
      in        get 1.3.6.1.2.1.31.1.1.1.6.INDEX (ifHCInOctets of the interface named eth0), or 1.3.6.1.2.1.2.2.1.10.INDEX
      out       get 1.3.6.1.2.1.31.1.1.1.10.INDEX (ifHCOutOctets of the interface named eth0), or 1.3.6.1.2.1.2.2.1.16.INDEX
    b           h: SNMPv1, 5 attempts, the first waits 2 s, each further 1 times
      in        get 1.3.6.1.2.1.2.2.1.14.3 (ifInErrors.3)
      out       get 1.3.6.1.2.1.2.2.1.20.3 (ifOutErrors.3)
  interval      5 min
  maxima        1000 in, 1000 out; rates above 5000 are unknown
  database      /w/sum.rrd
                --step 300
                DS:ds0:GAUGE:600:0:5000
                DS:ds1:GAUGE:600:0:5000
                RRA:AVERAGE:0.5:1:800
                RRA:AVERAGE:0.5:6:800
                RRA:AVERAGE:0.5:24:800
                RRA:AVERAGE:0.5:288:800
                RRA:MAX:0.5:1:800
                RRA:MAX:0.5:6:800
                RRA:MAX:0.5:24:800
                RRA:MAX:0.5:288:800
  gauge         values are stored as they are: a GAUGE database, decimals kept
";
    assert_eq!(told, expected);
    let (_, program, _) = config(SITE, &["explain", "--json", "mrtg.cfg", "program"]);
    let program: serde_json::Value = serde_json::from_str(&program).unwrap();
    assert_eq!(program["value"], "a - b");
    assert_eq!(program["polls"][0]["kind"], "program");
    assert_eq!(program["polls"][1]["out"]["words"], "ifMtu, row 2");
    assert_eq!(program["not_measured"], serde_json::Value::Null);
    for told in [told, program.to_string()] {
        assert!(!told.contains("kept-quiet") && !told.contains("secret-command"), "{told}");
    }
}

#[test]
fn an_agent_over_tcp_is_explained_as_one() {
    let site = format!("{SITE}Target[t]: 1:p@h::3:2\ngyre*Transport[t]: tcp\n");
    let (_, told, errors) = config(&site, &["explain", "mrtg.cfg", "t"]);
    let expected = "tcp:h: SNMPv1 over TCP, one attempt, which waits 6 s";
    assert!(told.contains(expected), "{told}{errors}");
}

#[test]
fn misuse_and_unknown_targets_are_told() {
    let (code, _, errors) = config(SITE, &["explain", "mrtg.cfg", "x"]);
    assert_eq!(code, 1);
    let expected = "gyre config explain: mrtg.cfg: there is no target x; it has sum, program\n";
    assert_eq!(errors, expected);
    for words in [&["check"][..], &["check", "a", "b"], &["explain", "mrtg.cfg"], &["nonsense"]] {
        let (code, told, errors) = config(SITE, words);
        assert_eq!((code, told.as_str()), (2, ""), "{words:?}: {errors}");
        assert!(errors.contains("expected"), "{errors}");
    }
}

#[test]
fn secrets_are_looked_for_where_a_run_would() {
    let site = "WorkDir: /w\nLogFormat: rrdtool\nTitle[_]: t\nMaxBytes[_]: 1\n\
        Target[a]: 1:$core@10.0.0.1\nTarget[b]: 1:$gone@10.0.0.2\nTarget[c]: 1:$$gone@10.0.0.3\n";
    let secrets = tempfile::tempdir().unwrap();
    let file = secrets.path().join("core");
    fs::write(&file, "kept-quiet\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let place = format!("--secrets={}", secrets.path().display());
    let (code, told, errors) = config(site, &["check", &place, "mrtg.cfg"]);
    assert_eq!((code, errors.as_str()), (1, ""));
    let why = "mrtg.cfg:6: target b is not measured: its community: there is no secret gone in ";
    assert!(told.starts_with(why), "{told}");
    assert!(told.ends_with("3 targets on 2 devices and 0 programs, every 5 min; 1 not measured\n"));
    let (code, told, _) = config(site, &["explain", &place, "mrtg.cfg", "b"]);
    assert!(code == 0 && told.contains("not measured  its community: there is no secret gone"));
    // Without secrets, they are communities as they are.
    assert_eq!(config(site, &["check", "mrtg.cfg"]).0, 0);
    let (code, _, errors) = config(site, &["check", "--secrets=/nowhere", "mrtg.cfg"]);
    assert_eq!(code, 1);
    assert!(errors.starts_with("gyre config check: /nowhere: cannot be read: "), "{errors}");
}

#[test]
fn the_boards_of_a_directory_are_checked() {
    let board = "title = \"A\"\n[[row]]\n[[row.panel]]\nfind = \"a\"\n";
    let directory = tempfile::tempdir().unwrap();
    let told = |boards: &str, more: &[&str]| {
        let mut gyre = Command::new(env!("CARGO_BIN_EXE_gyre"));
        let gyre = gyre.args(["config", "check", "--boards", boards]).args(more);
        let output = gyre.current_dir(directory.path()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let check = |more: &[&str]| told(".", more);
    assert_eq!(told("gone", &[]).0, Some(1));
    std::fs::write(directory.path().join("a.toml"), board).unwrap();
    assert_eq!(check(&[]), (Some(0), ".: 1 board valid, 0 wrong\n".to_owned()));
    std::fs::write(directory.path().join("b.toml"), board.replace("find", "fnid")).unwrap();
    let (code, said) = check(&[]);
    assert_eq!(code, Some(1));
    assert!(said.starts_with("./b.toml: line 4: unknown field `fnid`, expected one of"), "{said}");
    assert!(said.ends_with(".: 1 board valid, 1 wrong\n"), "{said}");
    let said: serde_json::Value = serde_json::from_str(&check(&["--json"]).1).unwrap();
    assert_eq!((&said["valid"], &said["wrong"][0]["line"]), (&false.into(), &4.into()));
    assert_eq!(check(&["--series", "x"]).0, Some(2));
}

const RULES: &str = "[[series]]\ndatabase = \"{device}/if-{port}.rrd\"\n\
    metric = \"net-{ds}\"\npath = \"net.{device}.{port}\"\nlabels = { job = \"mrtg\" }\n";

#[test]
fn rules_that_name_series_are_checked_and_a_database_explained() {
    let name = ["check", "--series", "mrtg.cfg", "--name", "r1.example/if-3.rrd"];
    let expected = "database  r1.example/if-3.rrd\nrule      1\nmetric    net_{ds}\n\
        label     device=\"r1.example\"\nlabel     port=\"3\"\nlabel     job=\"mrtg\"\n\
        label     database=\"r1.example/if-3\"\npath      net.r1_example.3.{ds}\n\
        mrtg.cfg: valid: 1 rules\n";
    let (code, told, errors) = config(RULES, &name);
    assert_eq!((code, told.as_str(), errors.as_str()), (0, expected, ""));
    let (_, told, _) = config(RULES, &[&name[..], &["--json"]].concat());
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["rules"], &told["database"]["rule"]), (&1.into(), &1.into()));
    assert_eq!(told["database"]["labels"]["port"], "3");
    let (_, told, _) = config(RULES, &["check", "--series", "mrtg.cfg", "--name", "a/b/c"]);
    assert!(told.contains("rule      none matches\nmetric    {ds}\n"), "{told}");
    assert!(told.contains("path      a.b.c.{ds}\n"), "{told}");
}

#[test]
fn wrong_rules_and_misuse_are_told() {
    let wrong = "[[series]]\ndatabase = \"x\"\npaht = \"y\"\n";
    let (code, told, errors) = config(wrong, &["check", "--series", "mrtg.cfg"]);
    assert_eq!((code, told.as_str()), (1, ""));
    assert!(errors.starts_with("gyre config check: mrtg.cfg: "), "{errors}");
    assert!(errors.contains("line 3") && errors.contains("paht"), "{errors}");
    let (code, told, _) = config(wrong, &["check", "--json", "--series", "mrtg.cfg"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((code, &told["valid"]), (1, &false.into()));
    for misused in
        [&["check", "--series", "mrtg.cfg", "other"][..], &["check", "--name", "x", "mrtg.cfg"]]
    {
        assert_eq!(config(RULES, misused).0, 2, "{misused:?}");
    }
}

#[test]
fn what_becomes_of_a_series_of_agents_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("intake.toml");
    let text = "http = true\ngraphite = \"127.0.0.1:2003\"\n[[layout]]\nseries = \"debug.**\"\n\
                drop = true\n[[layout]]\nlabels = { job = \"n*\" }\nstep = 10\n\
                archives = [\"RRA:LAST:0.5:1:10\"]\n";
    std::fs::write(&file, text).unwrap();
    let check = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gyre"));
        command.args(["config", "check", "--intake"]).arg(&file).args(words);
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes).replace(&file.display().to_string(), "FILE")
        };
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let valid = "FILE: valid: 2 rules; graphite at 127.0.0.1:2003, HTTP beside web pages\n";
    assert_eq!(check(&[]), (Some(0), valid.to_owned()));
    let (code, told) = check(&["--name", r#"up{job="node"}"#]);
    let wanted = "series    up{job=\"node\"}\nrule      2\ndatabase  up/job=node.rrd\n\
                  create    --step 10 DS:value:GAUGE:100:U:U RRA:LAST:0.5:1:10\n";
    assert_eq!((code, told), (Some(0), format!("{wanted}{valid}")));
    let (_, told) = check(&["--name", "debug.x"]);
    assert!(told.contains("rule      1\ndatabase  none: the rule drops it\n"), "{told}");
    let (_, told) = check(&["--name", "h/cpu-0/cpu-idle"]);
    assert!(told.contains("none matches\ndatabase  h/cpu-0/cpu-idle.rrd\n"), "{told}");
    let (_, told) = check(&["--name", "a..b", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["sockets"]["graphite"], "127.0.0.1:2003");
    assert!(told["series"]["error"].as_str().unwrap().contains("between the dots"), "{told}");
    let (code, told) = check(&["--name", "x{"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("--name: expected a.b.c"), "{told}");
    std::fs::write(&file, "http = true\n[[layout]]\nstep = \"x\"\n").unwrap();
    let (code, told) = check(&[]);
    assert_eq!(code, Some(1));
    assert!(told.contains("FILE: [[layout]] 1: "), "{told}");
}
