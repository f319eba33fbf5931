//! Mail and copies for Graphite while their servers come and go.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::sink::Mails;
use super::{Agent, Gyre, Programs};

const SITE: &str = r#"
WorkDir: DIR/work
LogFormat: rrdtool
Interval: 0:01
ThreshDir: DIR/marks
ThreshMailServer: MAILSERVER
ThreshMailSender: gyre@example.org
SendToGraphite: 127.0.0.1,GRAPHITE
Title[_]: A line
MaxBytes[_]: 1000
Options[_]: gauge
Target[switch_port,1]: AGENT
ThreshMaxI[switch_port,1]: 500
ThreshMailAddress[switch_port,1]: ops@example.org
LegendO[switch_port,1]: line_out 2
"#;

#[test]
fn servers_that_are_down_delay_nothing_and_get_the_rest_later() {
    let Some(programs) = Programs::find() else { return };
    let agent = Agent::start(&programs, "copies");
    agent.answer([Some("gauge\n600"), Some("gauge\n7")]);
    let mail = TcpListener::bind("127.0.0.1:0").unwrap();
    let mail_address = mail.local_addr().unwrap().to_string();
    // Nothing listens there before the first samples wait.
    let graphite = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let words = [("MAILSERVER", &*mail_address), ("GRAPHITE", &*graphite.port().to_string())];
    let site = agent.site("copies", SITE, &words);
    // The server puts the first mail off.
    let (_, mails) = Mails::serve(mail, 1);
    let mut gyre = Gyre::start(&site.configuration(), &[]);
    gyre.said.wait_for(&format!("Graphite at 127.0.0.1:{}: Connection refused", graphite.port()));
    gyre.said.wait_for("mail to ops@example.org waits: ");
    for _ in 0..2 {
        gyre.said.wait_for("1 targets polled, 0 missed");
    }
    let listener = TcpListener::bind(graphite).unwrap();
    let (stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let lines: Vec<String> =
        BufReader::new(&stream).lines().take(6).map(|line| line.unwrap()).collect();
    let named: Vec<&str> = lines.iter().map(|line| line.rsplit_once(' ').unwrap().0).collect();
    let [incoming, outgoing] = ["m2g.switch.port1.in 600", "m2g.switch.port1.line.out_2 7"];
    assert_eq!(named, [incoming, outgoing, incoming, outgoing, incoming, outgoing]);
    let seconds: Vec<u64> =
        lines.iter().map(|line| line.rsplit_once(' ').unwrap().1.parse().unwrap()).collect();
    // Two answers, a second apart but for a delay, may come within the same second.
    assert!(seconds.is_sorted(), "{seconds:?}");
    assert!(seconds[0] < seconds[5], "{seconds:?}");
    gyre.said.wait_for("takes samples again");

    // The receiver goes and comes back: nothing but what it had taken is missing.
    drop(stream);
    drop(listener);
    gyre.said.wait_for("Connection refused");
    let listener = TcpListener::bind(graphite).unwrap();
    let (stream, _) = listener.accept().unwrap();
    let mut again = BufReader::new(&stream).lines();
    assert!(again.next().unwrap().unwrap().starts_with(incoming));

    let [mail] = &mails.wait_for(1)[..] else { panic!("one mail") };
    assert_eq!((&*mail.from, &mail.to[..]), ("gyre@example.org", &["ops@example.org".into()][..]));
    assert!(mail.text.contains("\nSubject: [MRTG-TH] BROKEN switch_port,1 thresh max i ( 500 vs "));
    assert!(site.directory.join("marks/site.cfg.switch_port,1.threshmaxI").is_file());
    gyre.process.signal("-TERM");
    gyre.wait();
}

/// The first receiver is a mistake, which nobody listens at. The reload that corrects it loses
/// nothing of what waits.
#[test]
fn a_reload_corrects_the_receiver_of_what_waits() {
    let Some(programs) = Programs::find() else { return };
    let agent = Agent::start(&programs, "moves");
    agent.answer([Some("gauge\n600"), Some("gauge\n7")]);
    let wrong = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let right = TcpListener::bind("127.0.0.1:0").unwrap();
    let words = [("MAILSERVER", "127.0.0.1:9"), ("GRAPHITE", &*wrong)];
    let site = agent.site("moves", SITE, &words);
    let mut gyre = Gyre::start(&site.configuration(), &[]);
    gyre.said.wait_for(&format!("Graphite at 127.0.0.1:{wrong}: Connection refused"));
    // By now the next try is seconds away.
    for _ in 0..3 {
        gyre.said.wait_for("1 targets polled, 0 missed");
    }
    let text = fs::read_to_string(site.configuration()).unwrap();
    let port = right.local_addr().unwrap().port().to_string();
    fs::write(site.configuration(), text.replace(&wrong, &port)).unwrap();
    let reloaded = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    gyre.process.signal("-HUP");
    let (stream, _) = right.accept().unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let lines = BufReader::new(&stream).lines();
    let mut seconds = lines.map(|line| line.unwrap().rsplit_once(' ').unwrap().1.parse().unwrap());
    let first: u64 = seconds.next().unwrap();
    assert!(first + 2 <= reloaded, "{first} is not from before {reloaded}");
    assert!(seconds.any(|later| later > reloaded), "what comes later goes there, too");
    gyre.process.signal("-TERM");
    gyre.wait();
}

#[test]
fn what_is_named_and_not_there_is_one_clear_error() {
    let directory = std::env::temp_dir().join(format!("gyre-unusable-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let configuration = directory.join("mrtg.cfg");
    let refusal = |more: &str| {
        let text = format!(
            "WorkDir: {}\nLogFormat: rrdtool\nTitle[_]: t\nMaxBytes[_]: 1\n{more}",
            directory.display()
        );
        fs::write(&configuration, text).unwrap();
        let mut gyre = std::process::Command::new(env!("CARGO_BIN_EXE_gyre"));
        let output = gyre.arg("run").arg(&configuration).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        super::super::text(&output).replace(&configuration.display().to_string(), "mrtg.cfg")
    };
    assert_eq!(
        refusal("ThreshDir: /nowhere/at all\n"),
        "gyre run: mrtg.cfg:5: ThreshDir: expected a directory, found none at /nowhere/at all/\n"
    );
    assert_eq!(
        refusal("Target[a]: 1:p@h\nThreshMaxI[a]: 1\nThreshProgI[a]: /nowhere/alarm\n"),
        "gyre run: mrtg.cfg:5: target a: expected a program for its thresholds, found none at \
         /nowhere/alarm\n"
    );
    fs::remove_dir_all(&directory).unwrap();
}
