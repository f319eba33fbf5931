//! The language of `Target[]`.
#![allow(clippy::disallowed_methods, reason = "test support starts programs")]

mod support;

use std::time::Duration;

use mrtg::{
    Agent, Configuration, Conversion, Direction, Host, InterfaceReference, Method, Number, Poll,
    SnmpPoll, SnmpVersion, Unsupported,
};
use support::{PREFACE, read};

fn with(target: &str) -> Configuration {
    read(format!("{PREFACE}EnableIPv6: yes\nTarget[a]: {target}\n"))
        .unwrap_or_else(|error| panic!("{error}"))
}

fn snmp(configuration: &Configuration) -> (&SnmpPoll, &Agent) {
    match &configuration.polls[0] {
        Poll::Snmp(poll) => (poll, configuration.agent(poll.agent)),
        Poll::Script(_) => panic!("a script"),
    }
}

fn oids(target: &str) -> [String; 2] {
    let configuration = with(target);
    let (poll, _) = snmp(&configuration);
    poll.objects.each_ref().map(|object| object.oid(Some(77)).unwrap().to_string())
}

fn reference(target: &str) -> InterfaceReference {
    snmp(&with(target)).0.objects[0].interface.clone().unwrap()
}

#[test]
fn an_agent_has_mrtgs_defaults() {
    let configuration = with("1:public@host.example");
    let (_, agent) = snmp(&configuration);
    assert_eq!(agent.community.reveal(), b"public");
    assert_eq!(agent.host, Host::Name("host.example".into()));
    assert_eq!((agent.port, agent.attempts, agent.backoff), (161, 5, 1.0));
    assert_eq!((agent.timeout, agent.version), (Duration::from_secs(2), SnmpVersion::V1));
    assert!(!agent.ipv4_only);
}

#[test]
fn an_agent_has_what_it_is_given() {
    let configuration = with("1:a\\ b\\@c:d@[2001:db8::1]:1161!10.0.0.1!2000:0.5:3:1.5:2");
    let (_, agent) = snmp(&configuration);
    assert_eq!(agent.community.reveal(), b"a b@c:d");
    assert_eq!(agent.host.to_string(), "[2001:db8::1]");
    assert_eq!((agent.port, agent.local_port), (1161, Some(2000)));
    assert_eq!(agent.local_address, Some([10, 0, 0, 1].into()));
    assert_eq!((agent.timeout, agent.attempts), (Duration::from_millis(500), 3));
    assert_eq!((agent.backoff, agent.version), (1.5, SnmpVersion::V2c));
}

#[test]
fn snmp_options_stand_behind_what_the_agent_says() {
    let text = format!(
        "{PREFACE}SnmpOptions: retries => 9, timeout => 8\n\
        SnmpOptions[b]: backoff => 7\nTarget[a]: 1:p@h::3\nTarget[b]: 1:p@h\n"
    );
    let configuration = read(text).unwrap();
    let [b, a] = &configuration.agents[..] else { panic!() };
    assert_eq!((a.timeout, a.attempts), (Duration::from_secs(3), 9));
    assert_eq!((b.timeout, b.attempts, b.backoff), (Duration::from_secs(2), 5, 7.0));
}

#[test]
fn an_interface_is_asked_for_octets() {
    let narrow = ["1.3.6.1.2.1.2.2.1.10.2", "1.3.6.1.2.1.2.2.1.16.2"];
    let wide = ["1.3.6.1.2.1.31.1.1.1.6.2", "1.3.6.1.2.1.31.1.1.1.10.2"];
    assert_eq!(oids("2:public@h"), narrow);
    assert_eq!(oids("2:public@h:::::2"), wide);
    assert_eq!(oids("2:public@h:::::2c"), wide);
    let [first, second] = wide;
    assert_eq!(oids("-2:public@h:::::2"), [second, first]);
    let no_hc = read(format!("{PREFACE}NoHC[a]: yes\nTarget[a]: 2:p@h:::::2\n")).unwrap();
    assert_eq!(snmp(&no_hc).0.objects[0].oid(None).unwrap().to_string(), narrow[0]);
}

#[test]
fn interfaces_are_referred_to_in_six_ways() {
    use InterfaceReference::*;
    assert_eq!(reference("2:p@h"), Index(2));
    assert_eq!(reference("#eth0:p@h"), Name(b"eth0".to_vec()));
    assert_eq!(reference("#Gi0/1\\:2:p@h"), Name(b"Gi0/1:2".to_vec()));
    assert_eq!(reference("\\My\\ If\\&\\@1\\ :p@h"), Description(b"My If&@1".to_vec()));
    assert_eq!(reference("\\C\\:\\:p@h"), Description(b"C:\\".to_vec()));
    assert_eq!(reference("/10.0.0.1:p@h"), Address([10, 0, 0, 1].into()));
    assert_eq!(reference("!0-1b-21-AA-bb-cc:p@h"), Physical(vec![0, 0x1b, 0x21, 0xaa, 0xbb, 0xcc]));
    assert_eq!(reference("%23:p@h"), Type(23));
}

#[test]
fn objects_are_oids_names_and_references() {
    assert_eq!(
        oids("1.3.6.1.4.1.9.2&.1.3.6.1.4.1.9.3:p@h"),
        ["1.3.6.1.4.1.9.2", "1.3.6.1.4.1.9.3"]
    );
    assert_eq!(oids("ifInErrors.4&ifOutErrors.4:p@h")[0], "1.3.6.1.2.1.2.2.1.14.4");
    assert_eq!(
        oids("ifInErrors#eth0&ifOutErrors\\x:p@h"),
        ["1.3.6.1.2.1.2.2.1.14.77", "1.3.6.1.2.1.2.2.1.20.77"]
    );
    assert_eq!(oids("ifInErrors/1.2.3.4&ifOutErrors!a-b:p@h")[1], "1.3.6.1.2.1.2.2.1.20.77");
    assert_eq!(oids("sysUpTime&sysUpTime.0:p@h"), ["1.3.6.1.2.1.1.3.0", "1.3.6.1.2.1.1.3.0"]);
    assert_eq!(oids(".1.3.6.IndexPOS.2#a&.1.3.6.IndexPOS.2.5:p@h"), ["1.3.6.77.2", "1.3.6.5.2"]);
}

#[test]
fn what_is_not_done_yet_is_recognised() {
    let cases = [
        ("WaLK1ifInOctets#eth0&ifInOctets.1:p@h", Unsupported::Walk),
        ("laLoadInt.1&laLoadInt.2:p@h", Unsupported::Name),
        ("1:p@h|octets2bits", Unsupported::Conversion),
        ("1:p@h:::::3", Unsupported::NoUser),
    ];
    for (target, reason) in cases {
        let configuration = with(target);
        assert_eq!(configuration.targets[0].unsupported, Some(reason), "{target}");
        let note = configuration.notes[0].to_string();
        assert_eq!(note, format!("mrtg.cfg:6: target a is not measured: {reason}"));
    }
    assert_eq!(with("1:p@h + 2").targets[0].unsupported, None);
}

#[test]
fn pseudo_values_and_states_need_no_counter() {
    let configuration = with("PseudoZero&PseudoOne:p@h");
    let methods = snmp(&configuration).0.objects.each_ref().map(|object| object.method);
    assert_eq!(methods, [Method::Constant(0), Method::Constant(1)]);
    let configuration = with("ifOperHack.1&ifAdminHack.1:p@h");
    assert!(snmp(&configuration).0.objects[1].one_if_up);
}

#[test]
fn identical_polls_are_one() {
    let text = format!(
        "{PREFACE}Target[a]: 1:p@h + 2:p@h\nTarget[b]: 2:p@h * 8 + 1:p@h\n\
        Target[c]: 1:p@h:161\nTarget[d]: 1:p@h:162\n"
    );
    let configuration = read(text).unwrap();
    assert_eq!((configuration.polls.len(), configuration.agents.len()), (3, 2));
    let single = |nth: usize| configuration.targets[nth].expression.single_poll().is_some();
    assert_eq!([0, 1, 2, 3].map(single), [false, false, true, true]);
}

#[test]
fn an_ipv6_address_needs_ipv6() {
    let configuration = read(format!("{PREFACE}Target[a]: 1:p@[::1]\n")).unwrap();
    assert!(matches!(configuration.notes[..], [mrtg::Note::Ipv6Off { .. }]));
    assert!(with("1:p@[::1]").notes.is_empty());
}

fn value(target: &str, incoming: Option<u64>) -> Option<String> {
    let configuration = with(target);
    let reading =
        configuration.targets[0].reading(Direction::In, |_, _| incoming.map(Number::from));
    reading.map(|number| number.to_string())
}

#[test]
fn arithmetic_follows_the_usual_precedence() {
    let of = |target: &str| value(target, Some(10)).unwrap();
    assert_eq!(of("1:p@h + 2 * 3"), "16");
    assert_eq!(of("(1:p@h + 2) * 3"), "36");
    assert_eq!(of("100 / 1:p@h / 5"), "2");
    assert_eq!(of("100 - 1:p@h - 5"), "85");
    assert_eq!(of("- (1:p@h - 30) * 2"), "40");
    assert_eq!(of("2*1:p@h+1"), "21");
    assert_eq!(of("1:p@h * 1.25"), "12");
    assert_eq!(of("1:p@h * 8.8e1"), "880");
}

#[test]
fn unknown_operands_make_the_result_unknown() {
    assert_eq!(value("1:p@h + 1", None), None);
    assert_eq!(value("1:p@h / (1:p@h - 1:p@h)", Some(5)), None);
}

#[test]
fn a_gauge_keeps_its_decimals() {
    let text = format!("{PREFACE}Options[a]: gauge\nTarget[a]: 1:p@h / 4\n");
    let configuration = read(text).unwrap();
    let reading =
        configuration.targets[0].reading(Direction::Out, |_, _| Some(Number::from(5_u64)));
    assert_eq!(reading.unwrap().to_f64(), 1.25);
}

#[test]
fn deep_and_long_expressions_are_no_danger() {
    let deep = format!("{}1{}", "(".repeat(50_000), ")".repeat(50_000));
    assert_eq!(value(&deep, None), Some("1".into()));
    let long = "1+".repeat(100_000) + "1";
    assert_eq!(value(&long, None), Some("100001".into()));
    let minus = "-".repeat(100_001) + " 1";
    assert_eq!(value(&minus, None), Some("-1".into()));
}

#[test]
fn conversions_of_gyre_are_read_unless_perl_says_what_names_mean() {
    let text = "Target[a]: 1:public@h|first_number + 1:public@h\n";
    let read = read(format!("{PREFACE}{text}")).unwrap();
    assert_eq!(read.targets[0].unsupported, None);
    let conversions = read.polls.iter().map(|poll| match poll {
        Poll::Snmp(poll) => poll.conversion,
        Poll::Script(_) => panic!("a device"),
    });
    assert_eq!(conversions.collect::<Vec<_>>(), [Some(Conversion::FirstNumber), None]);
    let with_code = format!("{PREFACE}ConversionCode: conv.pl\n{text}");
    let read = support::read(with_code).unwrap();
    assert_eq!(read.targets[0].unsupported, Some(Unsupported::Conversion));
    let notes: Vec<_> = read.notes.iter().map(ToString::to_string).collect();
    assert!(
        notes[0].starts_with("mrtg.cfg:5: ConversionCode has nothing to do: it is"),
        "{notes:?}"
    );
    assert!(notes[1].starts_with("mrtg.cfg:6: target a is not measured: it converts"), "{notes:?}");
}
