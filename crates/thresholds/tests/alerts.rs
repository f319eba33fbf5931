//! Limits of a real configuration become alerts, and alerts what receivers are told.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use mrtg::{Configuration, Source};
use serde_json::{Value, json};
use thresholds::alerts::webhook::Group;
use thresholds::alerts::{About, Alert, Course, Outbox, RETAINED, Seen, Standing, alertmanager};
use thresholds::{Values, Watch, verdicts};

const SITE: &str = "WorkDir: /nowhere
LogFormat: rrdtool
Title[_]: A line
MaxBytes[_]: 1000
Target[uplink]: 1:public@192.0.2.1
ThreshMaxI[uplink]: 50%
ThreshMinO[uplink]: 100
ThreshDesc[uplink]: Call the provider
HWThreshMaxO[uplink]: 0
Target[port]: 2:public@192.0.2.1
ThreshMaxI[port]: 500
";

struct Text(String);

impl Source for Text {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into())
    }

    fn glob(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }
}

fn read(text: &str) -> Configuration {
    Configuration::read(Path::new("mrtg.cfg"), &Text(text.to_owned())).unwrap()
}

/// A site at a time of its own.
struct Site {
    configuration: Configuration,
    standing: Standing,
    now: Timestamp,
}

impl Site {
    fn new(most: usize) -> Self {
        let now = "2026-01-02T03:04:05Z".parse().unwrap();
        Self { configuration: read(SITE), standing: Standing::new(most), now }
    }

    /// A minute later, a sample of a target: the rates, and whether the outgoing one failed its
    /// forecast. Returns whether an alert began or ended.
    fn sample(&mut self, name: &str, rates: [Option<f64>; 2], failure: Option<f64>) -> bool {
        self.now += SignedDuration::from_mins(1);
        let targets = &self.configuration.targets;
        let target = targets.iter().find(|target| &*target.name == name).unwrap();
        let watch = Watch {
            target,
            max_bytes: [1000.0; 2],
            globals: &self.configuration.globals.thresholds,
            file_name: "mrtg.cfg",
        };
        let values = Values { rates, failures: [Some(0.0), failure] };
        let seen = Seen {
            verdicts: &verdicts(watch, &values),
            at: self.now,
            until: self.now + SignedDuration::from_mins(4),
        };
        let about = || About {
            labels: [("device", "r1"), ("empty", ""), ("target", "another")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
            page: Some(format!("http://h/t/{name}")),
        };
        self.standing.take(&target.name.clone(), seen, about)
    }

    fn alerts(&self) -> Vec<Arc<Alert>> {
        self.standing.alerts()
    }

    /// Each alert's limit, and whether it stands.
    fn shown(&self) -> Vec<(String, bool)> {
        let shown = |alert: &Arc<Alert>| (alert.labels["limit"].clone(), alert.stands());
        self.alerts().iter().map(shown).collect()
    }
}

fn pair(limit: &str, stands: bool) -> (String, bool) {
    (limit.to_owned(), stands)
}

#[test]
fn an_alert_says_which_limit_is_broken_by_what() {
    let mut site = Site::new(9);
    assert!(site.sample("uplink", [Some(600.4), Some(99.0)], Some(1.0)));
    let alerts: Value =
        serde_json::from_slice(&alertmanager::body(&site.alerts()).unwrap()).unwrap();
    let limit = |name: &str, direction: &str, limit: &str| {
        json!({"alertname": name, "device": "r1", "direction": direction, "limit": limit,
            "severity": "warning", "target": "uplink"})
    };
    let times = |labels: Value, annotations: Value| {
        json!({"labels": labels, "annotations": annotations, "startsAt": "2026-01-02T03:05:05Z",
            "endsAt": "2026-01-02T03:09:05Z", "generatorURL": "http://h/t/uplink"})
    };
    let expected = json!([
        times(
            limit("ThresholdBroken", "out", "ThreshMinO"),
            json!({"title": "A line", "description": "Call the provider", "value": "99",
                "limit": "100", "summary": "uplink: out is 99, below the limit 100"}),
        ),
        times(
            limit("ThresholdBroken", "in", "ThreshMaxI"),
            json!({"title": "A line", "description": "Call the provider", "value": "60.0% (600.4)",
                "limit": "50% (500.0)",
                "summary": "uplink: in is 60.0% (600.4), above the limit 50% (500.0)"}),
        ),
        times(
            limit("ForecastFailed", "out", "HWThreshMaxO"),
            json!({"title": "A line", "value": "1", "limit": "0",
                "summary": "uplink: out is not as forecast"}),
        ),
    ]);
    assert_eq!(alerts, expected);
}

#[test]
fn unknown_values_change_nothing_and_samples_that_stay_away_end_alerts() {
    let mut site = Site::new(9);
    site.sample("uplink", [Some(600.0), Some(200.0)], None);
    assert_eq!(site.shown(), [pair("ThreshMaxI", true)]);
    let began = site.alerts()[0].starts;
    for _ in 0..9 {
        assert!(!site.sample("uplink", [None; 2], None));
        assert!(!site.standing.expire(site.now));
    }
    assert_eq!((site.alerts()[0].starts, site.standing.count_standing()), (began, 1));
    let until = site.now + SignedDuration::from_mins(4);
    assert!(!site.standing.expire(until - SignedDuration::from_secs(1)));
    assert!(site.standing.expire(until));
    assert_eq!(site.alerts()[0].course, Course::Ended { at: until });
    assert!(!site.standing.expire(until + RETAINED - SignedDuration::from_secs(1)));
    assert_eq!(site.shown(), [pair("ThreshMaxI", false)]);
    site.standing.expire(until + RETAINED);
    assert_eq!(site.shown(), []);
}

#[test]
fn a_limit_that_a_reload_drops_is_no_longer_broken() {
    let mut site = Site::new(9);
    site.sample("uplink", [Some(600.0), Some(50.0)], Some(1.0));
    site.configuration = read(&SITE.replace("ThreshMinO[uplink]: 100\n", ""));
    assert!(site.sample("uplink", [Some(600.0), Some(50.0)], Some(1.0)));
    let expected =
        [pair("ThreshMinO", false), pair("ThreshMaxI", true), pair("HWThreshMaxO", true)];
    assert_eq!(site.shown(), expected);
    assert!(!site.sample("uplink", [Some(600.0), Some(50.0)], Some(1.0)));
}

#[test]
fn alerts_have_a_bound_and_those_that_ended_make_room() {
    let mut site = Site::new(1);
    assert!(site.sample("uplink", [Some(600.0), Some(200.0)], None));
    assert!(!site.sample("port", [Some(600.0), None], None));
    assert_eq!((site.shown(), site.standing.lost()), (vec![pair("ThreshMaxI", true)], 1));
    assert!(site.sample("uplink", [Some(1.0), Some(200.0)], None));
    assert!(site.sample("port", [Some(600.0), None], None));
    assert_eq!(&*site.alerts()[0].id.target, "port");
    assert_eq!((site.alerts().len(), site.standing.lost()), (1, 1));
}

#[test]
fn a_receiver_is_told_of_each_change_and_again_in_time() {
    let mut site = Site::new(9);
    let mut outbox = Outbox::new(Duration::from_secs(60));
    #[allow(clippy::disallowed_methods, reason = "any time will do")]
    let began = Instant::now();
    let later = |seconds| began + Duration::from_secs(seconds);
    site.sample("port", [Some(600.0), None], None);
    let due = outbox.due(&site.alerts(), later(0));
    assert_eq!(due.len(), 1);
    outbox.taken(&due, later(0));
    assert_eq!(outbox.due(&site.alerts(), later(59)), []);
    let again = outbox.due(&site.alerts(), later(60));
    assert_eq!(again.len(), 1);
    // No answer comes, so it is due at once, also after it ended.
    outbox.trying(&again);
    assert_eq!(outbox.due(&site.alerts(), later(60)).len(), 1);
    site.sample("port", [Some(1.0), None], None);
    let ended = outbox.due(&site.alerts(), later(61));
    assert!(!ended[0].stands());
    outbox.taken(&ended, later(61));
    assert_eq!(outbox.due(&site.alerts(), later(999)), []);
    // The same limit once more is another alert; if it ends untold, there is nothing to tell.
    site.sample("port", [Some(600.0), None], None);
    assert_eq!(outbox.due(&site.alerts(), later(62)).len(), 1);
    site.sample("port", [Some(1.0), None], None);
    assert_eq!(outbox.due(&site.alerts(), later(63)), []);
}

#[test]
fn ends_that_a_receiver_missed_are_counted_when_they_are_forgotten() {
    let mut site = Site::new(9);
    let mut outbox = Outbox::new(Duration::from_secs(60));
    site.sample("port", [Some(600.0), None], None);
    site.sample("uplink", [Some(600.0), Some(50.0)], Some(1.0));
    outbox.trying(&site.alerts());
    assert_eq!(outbox.forget_all_but(&site.alerts()), 0);
    site.sample("uplink", [Some(1.0), Some(500.0)], Some(0.0));
    site.standing.expire(site.now + RETAINED);
    assert_eq!(site.shown(), [pair("ThreshMaxI", false)]);
    assert_eq!(outbox.forget_all_but(&site.alerts()), 3);
    assert_eq!(outbox.forget_all_but(&[]), 1);
}

#[test]
fn a_message_has_all_alerts_of_its_group_that_stand() {
    let mut site = Site::new(9);
    site.sample("port", [Some(600.0), None], None);
    site.sample("uplink", [Some(600.0), Some(200.0)], Some(1.0));
    site.sample("uplink", [Some(1.0), Some(200.0)], Some(1.0));
    let alerts = site.alerts();
    let ended: Vec<_> = alerts.iter().filter(|alert| !alert.stands()).cloned().collect();
    let groups = Group::all(&ended, &alerts);
    let [group] = &groups[..] else { panic!("{groups:?}") };
    let message: Value = serde_json::from_slice(&group.body("http://h").unwrap()).unwrap();
    assert_eq!(message["groupKey"], r#"{}:{alertname="ThresholdBroken", device="r1"}"#);
    assert_eq!((&message["status"], &message["version"]), (&json!("firing"), &json!("4")));
    let told = message["alerts"].as_array().unwrap();
    let told: Vec<(&Value, &Value)> =
        told.iter().map(|alert| (&alert["labels"]["target"], &alert["status"])).collect();
    let expected = [(&json!("port"), &json!("firing")), (&json!("uplink"), &json!("resolved"))];
    assert_eq!(told, expected);
    let common = json!({"alertname": "ThresholdBroken", "device": "r1", "direction": "in",
        "limit": "ThreshMaxI", "severity": "warning"});
    assert_eq!(message["commonLabels"], common);
    assert_eq!(message["commonAnnotations"], json!({"title": "A line"}));
    let ends: Vec<&str> = ["port", "uplink"]
        .iter()
        .zip(message["alerts"].as_array().unwrap())
        .map(|(_, alert)| alert["endsAt"].as_str().unwrap())
        .collect();
    assert_eq!(ends, ["0001-01-01T00:00:00Z", "2026-01-02T03:07:05Z"]);
    // A half with ended alerts alone is still of a group that fires.
    for half in group.halves().unwrap() {
        let message: Value = serde_json::from_slice(&half.body("http://h").unwrap()).unwrap();
        assert_eq!(message["status"], "firing", "{message}");
    }
}

#[test]
fn the_end_of_an_alert_is_told_though_the_limit_broke_and_held_again_meanwhile() {
    let mut site = Site::new(9);
    let mut outbox = Outbox::new(Duration::from_secs(60));
    #[allow(clippy::disallowed_methods, reason = "any time will do")]
    let now = Instant::now();
    site.sample("port", [Some(600.0), None], None);
    outbox.taken(&outbox.due(&site.alerts(), now), now);
    // The receiver hears of none of these.
    for rate in [1.0, 600.0, 1.0] {
        site.sample("port", [Some(rate), None], None);
    }
    let due = outbox.due(&site.alerts(), now);
    assert!(matches!(&due[..], [alert] if !alert.stands()), "{due:?}");
    assert!(!outbox.is_settled(&due[0]));
    outbox.taken(&due, now);
    assert!(outbox.is_settled(&due[0]) && outbox.due(&site.alerts(), now).is_empty());
}

#[test]
fn a_large_group_is_told_whole_in_several_messages() {
    let mut site = Site::new(9);
    site.sample("port", [Some(600.0), None], None);
    let many: Vec<Arc<Alert>> = site.alerts().iter().cycle().take(1201).cloned().collect();
    let groups = Group::all(&many[..1], &many);
    assert_eq!(groups.iter().map(|group| group.alerts.len()).collect::<Vec<_>>(), [500, 500, 201]);
    for group in &groups {
        let message: Value = serde_json::from_slice(&group.body("http://h").unwrap()).unwrap();
        assert_eq!(message["alerts"].as_array().unwrap().len(), group.alerts.len());
        assert_eq!(message["truncatedAlerts"], 0);
    }
}
