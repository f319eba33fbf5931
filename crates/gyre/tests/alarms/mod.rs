//! Thresholds: mrtg and gyre watch the same values, and must call the same programs with the same
//! words in the same cycles, send the same mails, and leave the same marks.

mod site;
mod agent;
mod sink;
mod copies;
mod hooks;
mod receivers;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Gyre, Programs};
use agent::Agent;
use sink::Mails;
use site::Site;

/// Seconds of a step of mrtg and gyre.
const STEP_SECONDS: u64 = 60;

/// What a round may take at most until both have polled.
const ROUND_SECONDS: u64 = 20;

/// What all targets have; those of one side of the comparison differ in DIR and SENDER alone.
const SITE: &str = r#"
GLOBALS
WorkDir: DIR/work
LogFormat: rrdtool
Interval: 1
Title[_]: A line
MaxBytes[_]: 1000
AbsMax[_]: 100000
Options[_]: gauge
ThreshProgI[_]: DIR/in
ThreshProgO[_]: DIR/out
ThreshProgOKI[_]: DIR/okin
ThreshProgOKO[_]: DIR/okout
HWThreshProgI[_]: DIR/odd

Target[Plain]: AGENT
ThreshMaxI[plain]: 500
ThreshMinO[plain]: 100
ThreshDesc[plain]: The uplink, "quoted" & $HOME
TO_PLAIN
PageTop[plain]: <h1>Plain</h1>
 <table><tr><td>System:</td> <td>here & there</td></tr>
 <tr><td>Max:</td><td>1000</td></tr></table>

Target[share]: AGENT
ThreshMaxI[share]: 50%
ThreshMinI[share]: 33.3%
ThreshMaxO[share]: 10%

Target[silent]: AGENT
ThreshProgO[silent]: DIR/out
ThreshMaxO[silent]: 60
ThreshDesc[silent]: 0

Target[limitless]: AGENT
Target[odd]: AGENT
ThreshMinI[odd]: 505Mb
ThreshMaxI[odd]:
HWThreshDesc[odd]: not watched

Target[forecast]: AGENT
RRDHWRRAs[forecast]: FORECASTS
HWThreshMaxI[forecast]: 0
HWThreshDesc[forecast]: It is odd
TO_FORECAST
SetEnv[forecast]: PLACE="Room 7"
"#;

/// Who gets mail: the words of [`SITE`] for a mail server, and what stands for them.
const MAIL: [(&str, &str); 3] = [
    ("GLOBALS", "GLOBALS\nThreshMailServer: 127.77.0.1\nThreshMailSender: SENDER"),
    ("TO_PLAIN", "ThreshMailAddress[plain]: ops@example.org, boss@example.org"),
    ("TO_FORECAST", "HWThreshMailAddress[forecast]: night@example.org"),
];

/// The ways in which what is broken is remembered.
const MEMORIES: [&str; 3] = ["ThreshDir: DIR/marks", "", "ThreshHyst: 0.15\nHWThreshHyst: 500"];

/// Waits until enough of a step is left, and makes a database whose last update is where the step
/// before began: so the whole step has the value of the next poll, whenever mrtg and gyre poll.
/// Its forecasting archives know what is usual.
fn write_past(programs: &Programs, past: &Path) {
    let seconds = || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.unwrap().as_secs()
    };
    while seconds() % STEP_SECONDS > STEP_SECONDS - ROUND_SECONDS {
        std::thread::sleep(Duration::from_millis(100));
    }
    let began = seconds() / STEP_SECONDS * STEP_SECONDS - STEP_SECONDS;
    let _ = fs::remove_file(past);
    let rrdtool = |words: Vec<String>| {
        let output = Command::new(&programs.rrdtool).args(words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let path = past.display();
    let create =
        format!("create {path} -b {} -s {STEP_SECONDS} {DEFINITION} {FORECASTS}", began - 12_000);
    rrdtool(create.split_whitespace().map(str::to_owned).collect());
    let mut update = vec!["update".to_owned(), path.to_string()];
    let minutes = (0..200).rev();
    update
        .extend(minutes.map(|nth| format!("{}:{}:200", began - nth * STEP_SECONDS, 300 + nth % 3)));
    rrdtool(update);
}

/// What MRTG makes of [`SITE`].
const DEFINITION: &str = "DS:ds0:GAUGE:600:0:100000 DS:ds1:GAUGE:600:0:100000 \
    RRA:AVERAGE:0.5:1:4000 RRA:AVERAGE:0.5:30:800 RRA:AVERAGE:0.5:120:800 \
    RRA:AVERAGE:0.5:1440:800 RRA:MAX:0.5:1:4000 RRA:MAX:0.5:30:800 RRA:MAX:0.5:120:800 \
    RRA:MAX:0.5:1440:800";

/// Forecasts with a season of 20 steps; a single odd step is a failure.
const FORECASTS: &str = "RRA:HWPREDICT:500:0.1:0.0035:20:10 RRA:SEASONAL:20:0.1:9 \
    RRA:DEVSEASONAL:20:0.1:9 RRA:DEVPREDICT:500:11 RRA:FAILURES:500:1:1:11";

/// The values of each round. None is a limit itself: rrdtool's mean of equal values is not always
/// their value to the last bit.
const ROUNDS: [[Option<&str>; 2]; 7] = [
    [Some("gauge\n300"), Some("gauge\n200")],
    [Some("gauge\n600"), Some("gauge\n50")],
    [Some("gauge\n600"), Some("gauge\n50")],
    [None, None],
    [Some("gauge\n499"), Some("gauge\n101")],
    [Some("string\n333.4321"), Some("gauge\n102")],
    [Some("gauge\n50000"), Some("gauge\n99")],
];

#[test]
fn programs_mails_and_marks_are_those_of_mrtg() {
    let Some(programs) = Programs::find() else { return };
    let agent = Agent::start(&programs, "compared");
    // MRTG knows no other port than 25, which only root may have.
    let server = TcpListener::bind("127.77.0.1:25").ok();
    let mails = server.map(|listener| Mails::serve(listener, 0).1);
    let (mut sites, mut senders) = (Vec::new(), Vec::new());
    for (nth, memory) in MEMORIES.iter().enumerate() {
        for program in ["mrtg", "gyre"] {
            let sender = format!("{program}{nth}@example.org");
            let mut text = SITE.to_owned();
            for (word, by) in MAIL {
                let without = if word == "GLOBALS" { word } else { "" };
                text = text.replace(word, if mails.is_some() { by } else { without });
            }
            let words = [("GLOBALS", *memory), ("SENDER", &*sender), ("FORECASTS", FORECASTS)];
            sites.push(agent.site(&sender, &text, &words));
            senders.push(sender);
        }
    }
    let past = agent.directory.join("past.rrd");
    let (mut calls, mut mailed) = (Vec::new(), 0);
    for (round, values) in ROUNDS.iter().enumerate() {
        agent.answer(*values);
        write_past(&programs, &past);
        sites.iter().for_each(|site| site.remember(&past));
        let pairs = sites.chunks(2).flat_map(|pair| [pair[0].mrtg(&programs), pair[1].gyre()]);
        for mut process in pairs.collect::<Vec<_>>() {
            process.wait().unwrap();
        }
        let taken = mails.as_ref().map(Mails::take).unwrap_or_default();
        for (pair, senders) in sites.chunks(2).zip(senders.chunks(2)) {
            let [theirs, ours] = [0, 1].map(|nth| pair[nth].left(&taken, &senders[nth]));
            let said = pair.iter().map(Site::said).collect::<String>();
            assert_eq!(theirs, ours, "round {round} of {senders:?}:\n{said}");
            calls.extend(ours.calls);
            mailed += ours.mails.len();
        }
    }
    assert!(calls.len() > 40, "{} calls were compared", calls.len());
    assert!(mails.is_none() || mailed > 10, "{mailed} mails were compared");
    let odd = "odd|forecast|0|1|It is odd|none|It is odd|Room 7";
    assert!(calls.iter().any(|call| call == odd), "{calls:?}");
}
