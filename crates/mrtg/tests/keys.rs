//! The keys: accepted values, their meaning, and error messages.
#![allow(clippy::disallowed_methods, reason = "test support starts programs")]

mod support;
mod watched;

use std::path::Path;
use std::time::Duration;

use mrtg::{Configuration, Flag, LogFormat, Note};
use support::{Memory, PREFACE, read, refusal};

fn with(lines: &str) -> Configuration {
    read(format!("{PREFACE}{lines}")).unwrap()
}

fn one(lines: &str) -> mrtg::Target {
    with(&format!("Target[a]: 1:public@h\n{lines}")).targets.remove(0)
}

#[test]
fn every_used_key_arrives() {
    let target = one("Title[A]: Zürich <uplink>\n\
        MaxBytes1[a]: 5\nMaxBytes2[a]: 7\nAbsMax[a]: 12\n\
        PageTop[a]: <h1>one</h1>\n  two\\nthree\n\
        Options[a]: growright, Bits\nSetEnv[a]: A=\"x\" B=\"y z\"\n\
        YLegend[a]: volts\nShortLegend[a]: V\nLegend1[a]: l1\nLegend2[a]: l2\nLegend3[a]: l3\n\
        Legend4[a]: l4\nLegend5[a]: l5\nLegendI[a]: in:\nLegendO[a]:\nDirectory[a]: //x//y\n\
        Unscaled[a]: dw\nWithPeak[a]: ymw\nkilo[a]: 1024\nkMG[a]: Ki, Mi\nFactor[a]: 1.5\n\
        XSize[a]: 500\nYSize[a]: 200\nRRDRowCount[a]: 4000\nRRDRowCount30m[a]: 0\n\
        RRDRowCount2h[a]: 10\nRRDRowCount1d[a]: 20\nsupress[a]: y\n");
    assert_eq!((&*target.name, &*target.title()), ("a", "Zürich <uplink>"));
    assert_eq!((target.settings.max_bytes, target.settings.abs_max), ([5.0, 7.0], Some(12.0)));
    assert_eq!(target.page_top().as_deref(), Some("<h1>one</h1> two\nthree"));
    assert!(
        target.settings.options.has(Flag::Bits) && target.settings.options.has(Flag::Growright)
    );
    assert_eq!(target.environment()[1], ("B".into(), "y z".into()));
    let legends = &target.settings.legends;
    let words = [&legends.y_axis, &legends.unit, &legends.incoming, &legends.outgoing];
    assert_eq!(words.map(|word| &**word), ["volts", "V", "l1", "l2"]);
    let words = [&legends.incoming_peak, &legends.outgoing_peak, &legends.ratio];
    assert_eq!(words.map(|word| &**word), ["l3", "l4", "l5"]);
    assert_eq!((&*legends.incoming_label, &*legends.outgoing_label), ("in:", ""));
    assert_eq!(target.rrd_path(), Path::new("/w//x/y/a.rrd"));
    assert!(
        target.settings.unscaled.week
            && target.settings.with_peak.year
            && target.settings.suppress.year
    );
    assert_eq!(
        (target.settings.kilo, &target.settings.kmg[..]),
        (1024.0, &["Ki".to_owned(), "Mi".to_owned()][..])
    );
    assert_eq!(
        (target.settings.factor, target.settings.width_pixels, target.settings.height_pixels),
        (1.5, 500, 200)
    );
    let rows = target.settings.rows;
    assert_eq!((rows.step, rows.half_hour), (Some(4000), None));
    assert_eq!((rows.two_hours, rows.day), (Some(10), Some(20)));
}

#[test]
fn global_keys_arrive() {
    let configuration = read(
        "HtmlDir: /h\nImageDir: /i/\nLogDir: /l//m\nInterval: 1:30\nRefresh: 600\n\
         RunAsDaemon: Yes\nEnableIPv6: YES\nLogFormat: rrdtool\nSnmpOptions: retries => 3\n",
    )
    .unwrap();
    let globals = configuration.globals;
    assert_eq!(globals.log_dir, Path::new("/l/m/"));
    assert_eq!(globals.html_dir, Path::new("/h/"));
    assert_eq!(globals.interval.step_seconds(), 90);
    assert_eq!(globals.refresh, Duration::from_secs(600));
    assert!(globals.run_as_daemon && globals.enable_ipv6 && !globals.no_detach);
    assert_eq!(globals.log_format, LogFormat::Rrdtool);
    assert_eq!(globals.snmp_options.unwrap().retries, Some(3));
}

#[test]
fn an_absolute_directory_stays_below_the_work_directory() {
    assert_eq!(one("Directory[a]: /etc").rrd_path(), Path::new("/w//etc/a.rrd"));
}

#[test]
fn text_in_latin_1_a_byte_order_mark_and_dos_lines_are_read() {
    let text =
        b"\xef\xbb\xbfWorkDir: /w\r\nLogFormat: rrdtool\r\n\r\n# x\r\nTitle[a]: Z\xfcrich\r\n\
        MaxBytes[a]: 1\r\nTarget[a]: \\caf\xe9:public@h\r\n";
    let configuration = read(text).unwrap();
    assert_eq!(configuration.targets[0].title(), "Zürich");
    let mrtg::Poll::Snmp(poll) = &configuration.polls[0] else { panic!() };
    let reference = mrtg::InterfaceReference::Description(b"caf\xe9".to_vec());
    assert_eq!(poll.objects[0].interface, Some(reference));
}

#[test]
fn other_tools_keys_are_left_alone() {
    let target = one("routers.cgi*Icon[a]: x\n  more\n14all*Graph[a]: y\nrouters.cgi*Foo: z\n");
    assert_eq!(&*target.name, "a");
}

#[test]
fn keys_of_gyres_own_are_not_left_alone() {
    let unknown = "mrtg.cfg:5: unknown key `gyre*Aliass[]`, expected one of gyre's own: \
                   gyre*Alias[target], gyre*Transport[target], gyre*Interval[target], \
                   gyre*MaxBytes[target], gyre*Labels[target]";
    assert!(refusal(format!("{PREFACE}gyre*Aliass[a]: x\n")).starts_with(unknown));
    let message = refusal(format!("{PREFACE}GYRE*alias: x\n"));
    assert!(message.starts_with("mrtg.cfg:5: unknown key `GYRE*alias`, expected one of"));
    assert_eq!(one("gyre.x*Alias[a]: x\ngyre2*Alias[a]: x\n").name.as_ref(), "a");
}

#[test]
fn labels_are_those_of_the_target_and_of_what_holds_for_all() {
    let read = with(
        "gyre*Labels[^]: site=\"berlin\"\nTarget[a]: 1:p@h\ngyre*labels[a]: device=\"core 1\"\n\
         SetEnv[a]: MRTG_INT_IP=\"\" MRTG_INT_DESCR=\"eth0\"\nTarget[b]: 2:p@h\n\
         gyre*Labels[^]:\nTarget[c]: 3:p@h\n",
    );
    let labels = |nth: usize| {
        let labels = read.targets[nth].labels();
        labels.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
    };
    assert_eq!(labels(0), ["interface=eth0", "site=berlin", "device=core 1"]);
    assert_eq!(labels(1), ["site=berlin"]);
    assert_eq!(labels(2), [""; 0]);
    for wrong in ["site=berlin", "0=\"x\"", "__x=\"y\"", "target=\"t\"", "a-b=\"c\""] {
        let message = refusal(format!("{PREFACE}Target[a]: 1:p@h\ngyre*Labels[a]: {wrong}\n"));
        assert!(message.contains("gyre*Labels[a]") && message.contains("expected"), "{message}");
    }
}

#[test]
fn an_alias_takes_the_place_of_the_interface() {
    let read = with(
        "Target[a]: -3:p@h:::::2\nGyre*ALIAS[a]: to Z\u{fc}rich: 1&2 \n\
         gyre*Alias[^]: port\nTarget[b]: #x:p@h * 8\ngyre*Alias[b]: 7\ngyre*Alias[^]:\n\
         gyre*Alias[_]: up\nTarget[c]: ifInErrors%6&sysUpTime:p@h + 2 * ifInErrors%6&PseudoZero:p@h\n",
    );
    let of = |nth: usize| {
        let polls = read.targets[nth].expression.polls();
        let objects = polls.flat_map(|poll| match read.poll(poll) {
            mrtg::Poll::Snmp(poll) => poll.objects.clone(),
            other => panic!("{other:?}"),
        });
        objects.map(|object| object.interface).collect::<Vec<_>>()
    };
    let alias = |text: &str| Some(mrtg::InterfaceReference::Alias(text.into()));
    assert_eq!(of(0), [alias("to Zürich: 1&2"), alias("to Zürich: 1&2")]);
    assert_eq!(of(1), [alias("port 7"), alias("port 7")]);
    assert_eq!(of(2), [alias("up"), None, alias("up"), None]);
}

#[test]
fn an_agent_is_asked_over_tcp_where_that_is_said() {
    let read = with(
        "gyre*Transport[_]: tcp\nTarget[a]: 1:p@h\nTarget[b]: 1:p@h\ngyre*transport[b]: UDP\n\
         Target[c]: 2:p@h\nGYRE*Transport[_]:\nTarget[d]: 2:p@h\n",
    );
    let of = |nth: usize| match read.targets[nth].expression.polls().next().map(|it| read.poll(it))
    {
        Some(mrtg::Poll::Snmp(poll)) => poll.agent,
        other => panic!("{other:?}"),
    };
    let transport = |nth| read.agent(of(nth)).transport;
    use mrtg::Transport::{Tcp, Udp};
    assert_eq!([0, 1, 2, 3].map(transport), [Tcp, Udp, Tcp, Udp]);
    // Two agents, not four.
    assert!(of(0) == of(2) && of(1) == of(3) && of(0) != of(1));
    let message = refusal(format!("{PREFACE}Target[a]: 1:p@h\ngyre*Transport[a]: sctp\n"));
    let expected = "mrtg.cfg:6: gyre*Transport[a]: expected udp or tcp";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_target_has_its_own_interval() {
    let read = with(
        "Interval: 2\ngyre*Interval[a]: 10s\nTarget[a]: 1:p@h\nTarget[b]: 1:p@h\n\
         gyre*Interval[_]: 1h\nTarget[c]: 1:p@h\nGYRE*interval[d]: 7m\nTarget[d]: 1:p@h\n",
    );
    let steps = read.targets.iter().map(|target| target.settings.definition().step_seconds);
    assert_eq!(steps.collect::<Vec<_>>(), [10, 120, 3600, 420]);
    let of = |nth: usize| &read.targets[nth].settings;
    // As of `Interval: 0:10`.
    let by_global = with("Interval: 0:10\nTarget[a]: 1:p@h\n");
    assert_eq!(of(0).definition(), by_global.targets[0].settings.definition());
    assert_eq!(of(0).legends, by_global.targets[0].settings.legends);
    for wrong in ["", "0s", "3601s", "2h", "1.5m", "5", "5 m", "s", "-1s", "99999999999s", "5M"] {
        let lines = format!("{PREFACE}Target[a]: 1:p@h\ngyre*Interval[a]: {wrong}\n");
        assert_eq!(
            refusal(lines),
            format!(
                "mrtg.cfg:6: gyre*Interval[a]: expected a whole number with s, m or h, from 1s to \
                 1h, found `{wrong}`"
            )
        );
    }
}

#[test]
fn maxima_follow_the_speed_where_that_is_asked() {
    let read = with(
        "Target[a]: 1:p@h\ngyre*MaxBytes[_]: speed\nTarget[b]: #x:p@h\nMaxBytes2[b]: 5\n\
         Target[c]: 3:p@h * 2\ngyre*MaxBytes[c]: Speed\n",
    );
    let follows = read.targets.iter().map(|target| target.settings.follows_speed);
    assert_eq!(follows.collect::<Vec<_>>(), [[false; 2], [true, false], [true; 2]]);
    assert_eq!(read.targets[1].settings.max_bytes, [1000.0, 5.0], "until the speed is known");
    let refused = |lines: &str| refusal(format!("{PREFACE}{lines}"));
    assert_eq!(
        refused("Target[a]: 1:p@h\ngyre*MaxBytes[a]: 5"),
        "mrtg.cfg:6: gyre*MaxBytes[a]: expected speed, found `5`"
    );
    assert_eq!(
        refused("Target[a]: 1:p@h + 2:p@h\ngyre*MaxBytes[a]: speed"),
        "mrtg.cfg:6: gyre*MaxBytes[a]: expected a Target that measures one interface, found several"
    );
}

#[test]
fn an_alias_is_of_one_interface() {
    let cases = [
        ("Target[a]: 1:p@h\ngyre*Alias[a]:", "gyre*Alias[a]: expected the ifAlias of an interface"),
        (
            "Target[a]: sysUpTime&PseudoZero:p@h\ngyre*Alias[a]: x",
            "gyre*Alias[a]: expected a Target that measures one interface, found none",
        ),
        (
            "Target[a]: 1:p@h + 2:p@h\ngyre*Alias[a]: x",
            "gyre*Alias[a]: expected a Target that measures one interface, found several",
        ),
        (
            "Target[a]: 1:p@h + 1:p@i\ngyre*Alias[a]: x",
            "gyre*Alias[a]: expected a Target that measures one interface, found several",
        ),
    ];
    for (lines, expected) in cases {
        let message = refusal(format!("{PREFACE}{lines}\n"));
        assert!(message.starts_with(&format!("mrtg.cfg:6: {expected}")), "{message}");
    }
}

#[test]
fn known_keys_without_use_are_noted_once() {
    let notes = with(
        "Forks: 4\nBackground[_]: #ffffff\nBackground[a]: #000000\n\
        Colors[a]: A#000000,B#000000,C#000000,D#000000\nTarget[a]: 1:p@h\n",
    )
    .notes;
    let shown: Vec<_> = notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "mrtg.cfg:5: Forks has nothing to do: gyre asks all devices side by side",
            "mrtg.cfg:6: Background is for HTML pages: `gyre pages` uses it, nothing else of gyre does",
            "mrtg.cfg:8: Colours is for HTML pages: `gyre pages` uses it, nothing else of gyre does",
        ]
    );
}

#[test]
fn keys_of_pages_and_daemons_and_words_of_options_are_noted_once() {
    let notes = read(
        "HtmlDir: /h\nImageDir: /i\nLogDir: /l\nLogFormat: rrdtool\nRefresh: 600\n\
         RunAsDaemon: yes\nNoDetach: yes\nEnableSnmpV3: yes\nTitle[_]: t\nMaxBytes[_]: 1\n\
         kMG[_]: k\nOptions[_]: growright, noinfo, bits\nTarget[a]: 1:p@h\n\
         Target[b]: 1:p@h\nOptions[b]: nobanner noinfo\n",
    );
    let shown: Vec<_> = notes.unwrap().notes.iter().map(ToString::to_string).collect();
    let of_static_pages = |line: u32, key: &str| {
        format!(
            "mrtg.cfg:{line}: {key} is for HTML pages: `gyre pages` uses it, nothing else of gyre does"
        )
    };
    let of_pages = |line: u32, key: &str| {
        format!(
            "mrtg.cfg:{line}: {key} is for the HTML pages that MRTG writes; it changes nothing here"
        )
    };
    let daemon = "has nothing to do: gyre run measures until it is told to end, and stays in the \
                  foreground";
    assert_eq!(
        shown,
        [
            of_static_pages(1, "HtmlDir"),
            of_static_pages(2, "ImageDir"),
            of_static_pages(5, "Refresh"),
            format!("mrtg.cfg:6: RunAsDaemon {daemon}"),
            format!("mrtg.cfg:7: NoDetach {daemon}"),
            "mrtg.cfg:8: EnableSnmpV3 has nothing to do: SNMPv3 is spoken where a Target has \
             version 3"
                .to_owned(),
            of_static_pages(11, "kMG"),
            of_pages(12, "Options: noinfo"),
            of_static_pages(15, "Options: nobanner"),
        ]
    );
}

#[test]
fn rateup_is_noted_and_kept_as_databases() {
    let notes = read("WorkDir: /w\n").unwrap().notes;
    assert!(matches!(notes[..], [Note::Rateup { .. }]), "{notes:?}");
}

#[test]
fn refusals_name_file_line_and_what_was_expected() {
    let cases = [
        (
            "WorkDir /w",
            "mrtg.cfg:1: expected `Key: value` or `Key[target]: value`, found a line that begins with `WorkDir`",
        ),
        (
            "\n Titel[a]: x",
            "mrtg.cfg:2: expected `Key: value` or `Key[target]: value`, found a line that begins with `Titel`",
        ),
        ("Titel[a]: x", "mrtg.cfg:1: unknown key `Titel[]`, did you mean `Title[target]`?"),
        ("Title: x", "mrtg.cfg:1: unknown key `Title`, did you mean `Title[target]`?"),
        ("Title[a]: x\nTITLE[A]: y", "mrtg.cfg:2: `Title[a]` is given twice, first at mrtg.cfg:1"),
        (
            "Refresh: 60\nWorkDir: /w",
            "mrtg.cfg:1: Refresh: expected 300 seconds or more, found `60`",
        ),
        (
            "Interval: 61\nWorkDir: /w",
            "mrtg.cfg:1: Interval: expected minutes or minutes:seconds, from 0:01 to 60, found `61`",
        ),
        (
            "Interval: 5",
            "mrtg.cfg: expected WorkDir, or LogDir with HtmlDir and ImageDir; found no LogDir",
        ),
        ("Include: x.cfg", "mrtg.cfg:1: Include: x.cfg cannot be read: entity not found"),
        (
            "\u{feff}",
            "mrtg.cfg: expected WorkDir, or LogDir with HtmlDir and ImageDir; found no LogDir",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(text), expected);
    }
}

#[test]
fn refusals_of_targets_name_the_target() {
    let cases = [
        (
            "Options[a]: grow\nTarget[a]: 1:p@h",
            "mrtg.cfg:5: Options[a]: expected words such as growright, bits, gauge, found `grow`",
        ),
        ("Options[a]: bits", "mrtg.cfg:5: target `a` has no Target"),
        (
            "Target[a]: 1:p@h\nAbsMax[a]: 10",
            "mrtg.cfg:6: AbsMax[a]: expected at least MaxBytes (1000), found 10",
        ),
        (
            "Target[a]: 1:p@h\nMaxBytes[a]: 0",
            "mrtg.cfg:6: MaxBytes[a]: expected a whole number above 0, found `0`",
        ),
        (
            "Target[a]: 1:p@h\nUnscaled[a]: q",
            "mrtg.cfg:6: Unscaled[a]: expected letters of d, w, m, y, or n for none, found `q`",
        ),
        (
            "Target[a]: 1:p@h\nNoHC[a]: maybe",
            "mrtg.cfg:6: NoHC[a]: expected yes or no, found `maybe`",
        ),
        (
            "Target[a]: 1:s3cret@",
            "mrtg.cfg:5: Target[a], character 10: expected the name or address of a host",
        ),
        (
            "Target[a]: 1:s3cret",
            "mrtg.cfg:5: Target[a], character 9: expected `@` and a host after the community",
        ),
        ("Target[a]: 1:s3cret@h * (2 + 3", "mrtg.cfg:5: Target[a], character 20: expected `)`"),
        (
            "Target[a]: 1:p@h -1:p@h",
            "mrtg.cfg:5: Target[a], character 7: expected a blank after `-`, if it is to subtract",
        ),
        (
            "Target[a]: 1:p@h:161:2:x",
            "mrtg.cfg:5: Target[a], character 13: expected +, -, *, / or the end",
        ),
        (
            "SnmpOptions[a]: s3cret\nTarget[a]: 1:p@h",
            "mrtg.cfg:5: SnmpOptions[a]: expected name => number, name => 'text', ..., found `something else`",
        ),
        ("Target[a]: 1:p@h +\n2:s3cret@h:::::2", "mrtg.cfg:6: unknown key `…`"),
        (
            "Target[a]: 1:p@h + 2:\ns3cret@h",
            "mrtg.cfg:6: expected `Key: value` or `Key[target]: value`, found a line that begins with `…`",
        ),
        (
            "Target[a] 1:s3cret@h",
            "mrtg.cfg:5: expected `Key: value` or `Key[target]: value`, found a line that begins with `Target`",
        ),
        (
            "Target[a\u{7}]: 1:p@h",
            "mrtg.cfg:5: expected a target name that can name a file, found a control character in `a\u{fffd}`",
        ),
    ];
    for (lines, expected) in cases {
        let message = refusal(format!("{PREFACE}{lines}"));
        assert_eq!(message, expected);
        assert!(!message.contains("s3cret"));
    }
}

#[test]
fn includes_are_found_beside_the_main_file_and_read_in_mrtgs_order() {
    let main = "WorkDir: /w\nLogFormat: rrdtool\nInclude: common.cfg\nInclude: conf.d/*.cfg\n";
    let target =
        |name: &str| format!("Title[{name}]: t\nMaxBytes[{name}]: 1\nTarget[{name}]: 1:p@h\n");
    let source = Memory::with(&[
        ("etc/main.cfg", main.as_bytes()),
        ("etc/common.cfg", target("common").as_bytes()),
        ("etc/conf.d/1.cfg", target("one").as_bytes()),
        ("etc/conf.d/2.cfg", target("two").as_bytes()),
    ]);
    let configuration = Configuration::read(Path::new("etc/main.cfg"), &source).unwrap();
    let names: Vec<_> = configuration.targets.iter().map(|target| &*target.name).collect();
    assert_eq!(names, ["common", "two", "one"]);
    assert_eq!(configuration.files.len(), 4);
    assert_eq!(configuration.targets[1].position.to_string(), "etc/conf.d/2.cfg:1");
}

#[test]
fn files_that_include_themselves_are_refused() {
    let message = refusal("Include: mrtg.cfg\n");
    assert_eq!(message, "mrtg.cfg:1: Include: more than 200 files are open within one another");
}

#[test]
fn nothing_shows_a_community() {
    let configuration = with("Target[a]: 1:s3cret@h\nTarget[b]: `run s3cret`\n");
    assert!(!format!("{configuration:?}").contains("s3cret"));
}

#[test]
fn a_mib_file_that_is_missing_or_broken_is_noted_and_what_is_before_the_fault_counts() {
    let text = format!(
        "{PREFACE}LoadMIBs: a.mib,gone.mib\nTarget[a]: load.1&load.2:public@h\n\
         Target[b]: other.1&load.2:public@h\n"
    );
    let mib = b"load OBJECT-TYPE ::= { enterprises 9 }\nother OBJECT-TYPE ::= { load";
    let source = Memory::with(&[("mrtg.cfg", text.as_bytes()), ("a.mib", mib)]);
    let read = Configuration::read(Path::new("mrtg.cfg"), &source).unwrap();
    let notes: Vec<_> = read.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "mrtg.cfg:5: LoadMIBs: a.mib:2: expected numbers and names up to `}`; what follows is \
             not read",
            "mrtg.cfg:5: LoadMIBs: gone.mib: cannot be read: entity not found",
            "mrtg.cfg:7: target b is not measured: it names an object that only a MIB file \
             explains, and none of LoadMIBs does",
        ]
    );
    assert_eq!(read.targets[0].unsupported, None);
}

#[test]
fn keys_for_programs_daemons_and_clocks_arrive() {
    let read =
        with("PathAdd: /opt//bin\nRRDCached: unix:/run/r.sock\nMaxAge: 7200\nSingleRequest: no\n");
    assert_eq!(read.notes, []);
    let globals = read.globals;
    assert_eq!(globals.path_add.as_deref(), Some(Path::new("/opt/bin/")));
    assert_eq!(globals.rrdcached.as_deref(), Some("unix:/run/r.sock"));
    assert_eq!(globals.max_age, Some(Duration::from_secs(7200)));
    // As with MRTG, its presence counts.
    assert!(globals.single_request);
    for wrong in ["0", "x", "7200s"] {
        let told = refusal(format!("{PREFACE}MaxAge: {wrong}\n"));
        assert!(told.starts_with("mrtg.cfg:5: MaxAge: expected a whole number"), "{told}");
    }
}
