use super::*;
use collector::Sought;
use collector::Transport;
use snmp::Oid;
use std::path::Path;

struct Text(&'static str);

impl mrtg::Source for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.into())
    }

    fn glob(&self, _: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
        Ok(Vec::new())
    }
}

fn wiring(targets: &'static str) -> Wiring {
    let read = Configuration::read(Path::new("mrtg.cfg"), &Text(targets)).unwrap();
    Wiring::new(&read, Arc::default())
}

#[test]
fn equal_polls_are_one_and_devices_are_shared() {
    let wiring = wiring(
        "WorkDir: /w\nTitle[_]: t\nMaxBytes[_]: 1\n\
         Target[a]: 1:public@10.0.0.1:::::2\n\
         Target[b]: 1:public@10.0.0.1:::::2\n\
         Target[c]: #eth0:public@10.0.0.1:::::2 + 1:public@10.0.0.2\n\
         Target[d]: `date` + 1:public@10.0.0.1:::::2\n\
         Target[e]: 0 - `date`\n",
    );
    assert_eq!(wiring.plan.devices.len(), 2);
    // In and out of port 1, in and out of eth0.
    assert_eq!(wiring.plan.devices[0].variables.len(), 4);
    assert_eq!(wiring.sources_of_target[0].as_deref(), Ok(&[0][..]));
    assert_eq!(wiring.sources_of_target[2].as_deref(), Ok(&[0, 1][..]));
    let [program] = &wiring.programs[..] else { panic!("one program") };
    assert_eq!((&*program.target, program.position.line), ("d", 7));
    assert_eq!(wiring.sources_of_target[3].as_deref(), Ok(&[0, 2][..]));
    assert_eq!(wiring.sources_of_target[4].as_deref(), Ok(&[2][..]));
    assert_eq!(&*wiring.name_of(2), "the program of d");
}

#[test]
fn each_interval_has_devices_programs_and_operands_of_its_own() {
    let read = "WorkDir: /w\nTitle[_]: t\nMaxBytes[_]: 1\nInterval: 5\n\
         Target[a]: 1:public@10.0.0.1:::::2\n\
         Target[b]: 1:public@10.0.0.1:::::2\ngyre*Interval[b]: 10s\n\
         Target[c]: `date` + 2:public@10.0.0.2:::::2\n\
         Target[d]: `date`\ngyre*Interval[d]: 1h\n\
         Target[e]: 1:public@10.0.0.1:::::2\ngyre*Interval[e]: 5m\n";
    let read = Configuration::read(Path::new("mrtg.cfg"), &Text(read)).unwrap();
    let wiring = Wiring::new(&read, Arc::default());
    let seconds = |interval: &Duration| interval.as_secs();
    let intervals: Vec<_> = wiring.plan.intervals.iter().map(seconds).collect();
    assert_eq!(intervals, [10, 300, 3600]);
    let devices =
        wiring.plan.devices.iter().map(|device| (&*device.name, seconds(&device.interval)));
    let expected = [("10.0.0.1", 10), ("10.0.0.1", 300), ("10.0.0.2", 300)];
    assert_eq!(devices.collect::<Vec<_>>(), expected);
    let programs: Vec<_> = wiring.programs.iter().map(|plan| seconds(&plan.interval)).collect();
    assert_eq!(programs, [300, 3600]);
    let sources: Vec<_> =
        wiring.sources_of_target.iter().map(|all| all.as_deref().unwrap().to_vec()).collect();
    assert_eq!(sources, [vec![1], vec![0], vec![2, 3], vec![4], vec![1]]);
}

#[test]
fn users_of_version_3_are_shared_and_one_that_cannot_be_is_told_once() {
    let text = "WorkDir: /w\nTitle[_]: t\nMaxBytes[_]: 1\n\
         Target[a]: 1:any@10.0.0.1:::::3\n\
         SnmpOptions[a]: username=>'mon',authpassword=>'geheim',privpassword=>'geheim'\n\
         Target[b]: 1:any@10.0.0.2:::::3\n\
         SnmpOptions[b]: username=>'mon',privpassword=>'geheim',authpassword=>'geheim'\n\
         Target[c]: 1:any@10.0.0.3:::::3\n\
         SnmpOptions[c]: username=>'odd',authpassword=>'geheim',authprotocol=>'rot13'\n\
         Target[d]: 2:any@10.0.0.3:::::3\n\
         SnmpOptions[d]: username=>'odd',authpassword=>'geheim',authprotocol=>'rot13'\n";
    let read = Configuration::read(Path::new("mrtg.cfg"), &Text(text)).unwrap();
    let wiring = Wiring::new(&read, Arc::default());
    let [one, two] = &wiring.plan.devices[..] else { panic!("two devices with users") };
    assert_eq!(one.snmp.security, two.snmp.security);
    assert!(!one.snmp.security.is_v1());
    let remarks = wiring.remarks(&read);
    assert_eq!(
        remarks,
        [
            "mrtg.cfg:8: target c and 1 other are not measured: SNMPv3 user odd: authprotocol rot13 is none \
          of md5, sha, sha224, sha256, sha384, sha512"
        ]
    );
    assert!(wiring.sources_of_target[3].is_err());
    assert!(!format!("{:?} {read:?}", wiring.plan).contains("geheim"));
}

#[test]
fn a_single_request_has_one_variable_and_walks_are_shared() {
    let wiring = wiring(
        "WorkDir: /w\nTitle[_]: t\nMaxBytes[_]: 1\nSingleRequest: yes\n\
         Target[a]: WaLK2ifInOctets&WaLKifInOctets:public@10.0.0.1\n\
         Target[b]: GeTNEXTifName&WaLK2ifInOctets:public@10.0.0.1\n",
    );
    let [device] = &wiring.plan.devices[..] else { panic!("one device") };
    assert_eq!(device.snmp.bindings_max, 1);
    let sought: Vec<_> = device.walks.iter().map(|walk| walk.sought).collect();
    assert_eq!(sought, [Sought::Row(2), Sought::Row(0), Sought::Next]);
}

#[test]
fn wide_counters_come_with_their_narrow_twins() {
    let wiring = wiring(
        "WorkDir: /w\nTitle[_]: t\nMaxBytes[_]: 1\n\
         Target[a]: 3:public@10.0.0.1:::::2\n\
         Target[b]: #eth0:public@10.0.0.1:::::2\n",
    );
    let [whole, _, column, _] = &wiring.plan.devices[0].variables[..] else {
        panic!("two polls of two values");
    };
    let wide: Oid = "1.3.6.1.2.1.31.1.1.1.6.3".parse().unwrap();
    let narrow: Oid = "1.3.6.1.2.1.2.2.1.10.3".parse().unwrap();
    for variable in [whole, column] {
        assert_eq!(variable.object.name.with_index(3).unwrap(), wide);
        assert_eq!(variable.object.narrow.as_ref().unwrap().with_index(3).unwrap(), narrow);
    }
    assert!(Arc::ptr_eq(&whole.object, &column.object));
}

#[test]
fn one_host_over_both_transports_is_two_devices() {
    let wiring = wiring(
        "WorkDir: /w\nTitle[_]: t\nMaxBytes[_]: 1\n\
         Target[a]: 1:public@10.0.0.1:1161:3:4\n\
         Target[b]: 1:public@10.0.0.1:1161:3:4\ngyre*Transport[b]: tcp\n",
    );
    let [udp, tcp] = &wiring.plan.devices[..] else { panic!("two devices") };
    assert_eq!((&*udp.name, &*tcp.name), ("10.0.0.1:1161", "tcp:10.0.0.1:1161"));
    assert_eq!((udp.transport, tcp.transport), (Transport::Udp, Transport::Tcp));
    // As long in all, but once.
    assert_eq!((udp.snmp.retries, udp.snmp.timeout.as_secs()), (3, 3));
    assert_eq!((tcp.snmp.retries, tcp.snmp.timeout.as_secs()), (0, 12));
}
