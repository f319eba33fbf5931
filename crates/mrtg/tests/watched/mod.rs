//! The keys of thresholds, forecasts and Graphite.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mrtg::{GraphiteReceiver, MailGlobals};
use rrd::{ConsolidationFunction as Cf, Parameters};

use super::support::{PREFACE, read, refusal};
use super::{one, with};

fn shown(lines: &str) -> Vec<String> {
    with(lines).notes.iter().map(ToString::to_string).collect()
}

#[test]
fn every_key_of_thresholds_arrives() {
    let read = with(
        "ThreshDir: /var//thresh\nThreshHyst: 0.05\nHWThreshHyst: 1\n\
        ThreshMailServer: mail.example.org, [::1]:2525\nThreshMailSender: mrtg@example.org\n\
        Target[a]: 1:public@h\n\
        ThreshMinI[a]: 10\nThreshMaxI[a]: 80%\nThreshMaxO[a]: 1e6\n\
        ThreshDesc[a]: the uplink\nThreshProgI[a]: /bin/in\nThreshProgOKO[a]: /bin/ok out\n\
        ThreshMailAddress[a]: a@b, c@d\n\
        HWThreshMaxO[a]: 0\nHWThreshProgO[a]: /bin/odd\nHWThreshMailAddress[a]:\n",
    );
    assert_eq!(read.notes, []);
    let globals = &read.globals.thresholds;
    assert_eq!(globals.directory.as_ref().unwrap().path, Path::new("/var/thresh/"));
    assert_eq!(globals.directory.as_ref().unwrap().position.to_string(), "mrtg.cfg:5");
    assert_eq!((globals.hysteresis, globals.failure_hysteresis), (Some(0.05), Some(1.0)));
    let servers = vec!["mail.example.org".to_owned(), "[::1]:2525".to_owned()];
    let sender = "mrtg@example.org".to_owned();
    assert_eq!(globals.mail, Some(MailGlobals { servers, sender }));
    let watched = read.targets[0].settings.thresholds.as_ref().unwrap();
    let words = |words: &[Option<String>; 2]| words.clone().map(Option::unwrap_or_default);
    assert_eq!(words(&watched.rates.min), ["10", ""]);
    assert_eq!(words(&watched.rates.max), ["80%", "1e6"]);
    assert_eq!(words(&watched.failures.max), ["", "0"]);
    assert_eq!(watched.rates.description.as_deref(), Some("the uplink"));
    assert_eq!(watched.rates.mail_to.as_deref(), Some("a@b, c@d"));
    assert_eq!(watched.failures.mail_to, None);
    let programs: Vec<&PathBuf> = watched.rates.all_programs().collect();
    assert_eq!(programs, [Path::new("/bin/in"), Path::new("/bin/ok out")]);
}

#[test]
fn targets_share_equal_thresholds_and_have_none_without_a_limit() {
    let read = with(
        "ThreshProgI[_]: /bin/in\nTarget[a]: 1:public@h\nThreshMaxI[_]: 5\n\
        Target[b]: 2:public@h\nTarget[c]: 3:public@h\nTarget[d]: 4:public@h\nThreshMaxI[d]: 6\n",
    );
    let of = |nth: usize| read.targets[nth].settings.thresholds.as_ref();
    assert!(of(0).is_none());
    assert!(Arc::ptr_eq(of(1).unwrap(), of(2).unwrap()));
    assert_eq!(of(3).unwrap().rates.max[0].as_deref(), Some("6"));
}

#[test]
fn odd_limits_are_noted_and_wrong_values_refused() {
    assert_eq!(
        shown("Target[a]: 1:p@h\nThreshMaxI[a]: 12Mb\nThreshMinI[a]:\nThreshMinO[a]: 7 %\n"),
        [
            "mrtg.cfg:7: ThreshMinI[a]: `` counts as 0, as for MRTG",
            "mrtg.cfg:6: ThreshMaxI[a]: `12Mb` counts as 12, as for MRTG",
        ]
    );
    assert_eq!(
        shown("Target[a]: 1:p@h\nHWThreshMailAddress[a]: a@b\n"),
        ["mrtg.cfg:6: HWThreshMailAddress[a]: no mail is sent, because there is no \
          ThreshMailServer"]
    );
    for (lines, told) in [
        ("ThreshHyst: 5%", "5: ThreshHyst: expected a number such as 0.1, found `5%`"),
        ("ThreshMailServer: m", "5: ThreshMailServer: expected ThreshMailSender too, found none"),
        ("ThreshMailSender: a@b", "5: ThreshMailSender: expected ThreshMailServer too, found none"),
        (
            "ThreshMailServer: m\nThreshMailSender: me",
            "6: ThreshMailSender: expected a mail address, found `me`",
        ),
        ("SendToGraphite: host", "5: SendToGraphite: expected host,port, found `host`"),
        ("SendToGraphite: host,0", "5: SendToGraphite: expected host,port, found `host,0`"),
        (
            "Target[a]: 1:p@h\nThreshMailAddress[a]: a@b",
            "6: ThreshMailAddress[a]: expected ThreshMailServer too, found none",
        ),
        (
            "ThreshMailServer: m\nThreshMailSender: a@b\nTarget[a]: 1:p@h\nThreshMaxI[a]: 1\n\
             ThreshMailAddress[a]: nobody",
            "9: ThreshMailAddress[a]: expected a mail address, found `nobody`",
        ),
    ] {
        assert_eq!(refusal(format!("{PREFACE}{lines}\n")), format!("mrtg.cfg:{told}"));
    }
}

#[test]
fn a_receiver_of_graphite_arrives() {
    let receiver = |line: &str| read(format!("{PREFACE}{line}\n")).unwrap().globals.graphite;
    let host = "graphite.example.org".to_owned();
    let expected = Some(GraphiteReceiver { host, port: 2003 });
    assert_eq!(receiver("SendToGraphite: graphite.example.org,2003"), expected);
    assert_eq!(receiver(""), None);
}

#[test]
fn forecasts_follow_the_archives_of_mrtg() {
    let target = one("RRDHWRRAs[a]: RRA:HWPREDICT:1440:0.1:0.0035:288 RRA:FAILURES:288:7:9:12\n");
    let definition = target.settings.definition();
    let (own, forecasts) = definition.archives.split_at(8);
    assert!(own.iter().all(|archive| !archive.cf.is_forecast()));
    let functions: Vec<Cf> = forecasts.iter().map(|archive| archive.cf).collect();
    // rrdtool makes the dependents of a forecast that names none, FAILURES among them.
    assert_eq!(functions[..2], [Cf::HwPredict, Cf::Seasonal]);
    let Parameters::Predict { seasonal, .. } = forecasts[0].parameters else {
        panic!("a forecast")
    };
    assert_eq!(seasonal, 9);
    let wrong =
        |value: &str| refusal(format!("{PREFACE}Target[a]: 1:p@h\nRRDHWRRAs[a]: {value}\n"));
    assert_eq!(
        wrong("RRA:AVERAGE:0.5:1:10"),
        "mrtg.cfg:6: RRDHWRRAs[a]: expected RRA:HWPREDICT:rows:alpha:beta:period or the like, \
         with blanks between, found `RRA:AVERAGE:0.5:1:10`"
    );
    assert_eq!(
        wrong("RRA:HWPREDICT:100:2:0.1:10"),
        "mrtg.cfg:6: RRDHWRRAs[a]: RRA:HWPREDICT:100:2:0.1:10: Invalid alpha: must be between 0 \
         and 1"
    );
    assert!(wrong("RRA:DEVPREDICT:100:77").contains("depends on an RRA that does not exist"));
}
