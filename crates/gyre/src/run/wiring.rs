//! Derives from a configuration which variables of which devices are polled, and maps the readings
//! back to the targets.
//!
//! ```text
//! mrtg: target ─ expression ─ poll ─ agent, two objects
//!                     │                  │
//! here:            operands ────▶ (device, variable) ◀─── collector: plan, readings
//! ```

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use collector::{AnswersFrom, DevicePlan, Family, Plan, Variable};
use mrtg::{Agent, Configuration, Direction, Host, Method, Object, Poll, PollIndex, SnmpVersion};
use snmp::Version;

use super::secrets::Secrets;
use super::users::Users;
use super::variables::variable;

/// The most names in one GET: an answer with this many counters fits in an Ethernet frame.
const BINDINGS_MAX: usize = 24;

/// The plan of a configuration, and which readings are the operands of its targets.
#[derive(Debug)]
pub(super) struct Wiring {
    pub(super) plan: Arc<Plan>,
    /// For each poll of the configuration, its two operands.
    operands: Vec<[Operand; 2]>,
    /// The agents that cannot be asked because of their users or secrets, by their position.
    of_no_user: HashMap<u32, Arc<str>>,
    /// For each target its devices, or why it is not measured.
    pub(super) devices_of_target: Vec<Result<Vec<usize>, Arc<str>>>,
}

/// Where one value of a poll comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Constant(u8),
    Reading {
        device: usize,
        variable: usize,
        /// `ifOperHack`: 1 for up, else 0.
        one_if_up: bool,
    },
    /// No variable: the object cannot be polled.
    Nothing,
}

impl Wiring {
    pub(super) fn new(configuration: &Configuration, secrets: Arc<Secrets>) -> Self {
        let interval = configuration.globals.interval.step_seconds();
        let mut builder =
            Builder { users: Users::with(secrets.clone()), secrets, ..Builder::default() };
        let polls = configuration.polls.iter().zip(needed(configuration));
        let operands = polls.map(|(poll, is_needed)| match is_needed {
            true => builder.operands(configuration, poll),
            false => [Operand::Nothing; 2],
        });
        let operands = operands.collect();
        let mut wiring = Self {
            plan: Arc::new(Plan {
                interval: std::time::Duration::from_secs(interval),
                devices: builder.devices,
            }),
            operands,
            of_no_user: builder.of_no_user,
            devices_of_target: Vec::new(),
        };
        let targets = configuration.targets.iter();
        wiring.devices_of_target =
            targets.map(|target| wiring.devices_of(configuration, target)).collect();
        wiring
    }

    /// The source of a poll's value.
    pub(super) fn operand(&self, poll: PollIndex, direction: Direction) -> Operand {
        let [incoming, outgoing] = self.operands[poll.0 as usize];
        match direction {
            Direction::In => incoming,
            Direction::Out => outgoing,
        }
    }

    /// A line for each user or community that there cannot be, with the first target that it keeps from being
    /// measured.
    pub(super) fn remarks(&self, configuration: &Configuration) -> Vec<String> {
        let mut told = BTreeSet::new();
        let mut remarks = Vec::new();
        for (target, devices) in configuration.targets.iter().zip(&self.devices_of_target) {
            if let Err(why) = devices
                && self.of_no_user.values().any(|each| Arc::ptr_eq(each, why))
                && told.insert(why)
            {
                let place = &target.position;
                remarks.push(format!("{place}: target {} is not measured: {why}", target.name));
            }
        }
        remarks
    }

    fn devices_of(
        &self,
        configuration: &Configuration,
        target: &mrtg::Target,
    ) -> Result<Vec<usize>, Arc<str>> {
        if let Some(unsupported) = target.unsupported {
            return Err(unsupported.to_string().into());
        }
        let mut devices = Vec::new();
        for poll in target.expression.polls() {
            if let Poll::Snmp(poll) = configuration.poll(poll) {
                if is_v6_switched_off(configuration.agent(poll.agent)) {
                    return Err("its address is IPv6, and EnableIPv6 is not yes".into());
                }
                if let Some(why) = self.of_no_user.get(&poll.agent.0) {
                    return Err(why.clone());
                }
            }
            for direction in Direction::BOTH {
                match self.operand(poll, direction) {
                    Operand::Reading { device, .. } => devices.push(device),
                    Operand::Constant(_) => {}
                    Operand::Nothing => return Err("one of its objects cannot be asked for".into()),
                }
            }
        }
        devices.sort_unstable();
        devices.dedup();
        match devices.is_empty() {
            // Without a device there is no time at which the target would be written.
            true => Err("it asks no device anything".into()),
            false => Ok(devices),
        }
    }
}

/// For each poll, whether a target has it. Targets of other parts of the site are gone, but their
/// polls are still there.
fn needed(configuration: &Configuration) -> Vec<bool> {
    let mut needed = vec![false; configuration.polls.len()];
    for poll in configuration.targets.iter().flat_map(|target| target.expression.polls()) {
        needed[poll.0 as usize] = true;
    }
    needed
}

#[derive(Default)]
struct Builder {
    devices: Vec<DevicePlan>,
    /// The device's position, by the agent's position in the configuration.
    of_agent: HashMap<u32, usize>,
    variables: HashMap<(usize, Variable), usize>,
    users: Users,
    secrets: Arc<Secrets>,
    of_no_user: HashMap<u32, Arc<str>>,
}

impl Builder {
    fn operands(&mut self, configuration: &Configuration, poll: &Poll) -> [Operand; 2] {
        let Poll::Snmp(poll) = poll else {
            return [Operand::Nothing; 2];
        };
        let agent = configuration.agent(poll.agent);
        if is_v6_switched_off(agent) || poll.conversion.is_some() {
            return [Operand::Nothing; 2];
        }
        let [incoming, outgoing] = &poll.objects;
        [incoming, outgoing].map(|object| match object.method {
            Method::Constant(number) => Operand::Constant(number),
            Method::Get => self.reading(poll.agent.0, agent, object).unwrap_or(Operand::Nothing),
            Method::Walk(_) | Method::GetNext | Method::CountWalk => Operand::Nothing,
        })
    }

    /// The position of an agent's device; `None` if it has no user or community to be asked with.
    fn device(&mut self, index: u32, agent: &Agent) -> Option<usize> {
        if let Some(known) = self.of_agent.get(&index) {
            return Some(*known);
        }
        let config = match agent.version {
            SnmpVersion::V1 => self.with_community(Version::V1, agent),
            SnmpVersion::V2c => self.with_community(Version::V2c, agent),
            SnmpVersion::V3 => {
                let user = self.users.user(agent.credentials.as_ref()?);
                user.map(|(user, context)| snmp::Config::with_user(user, context))
            }
        };
        let config = match config {
            Ok(config) => config,
            Err(why) => {
                self.of_no_user.insert(index, why);
                return None;
            }
        };
        let position = self.devices.len();
        self.devices.push(device_plan(agent, config));
        self.of_agent.insert(index, position);
        Some(position)
    }

    fn with_community(&self, version: Version, agent: &Agent) -> Result<snmp::Config, Arc<str>> {
        let written = agent.community.reveal();
        let community = match self.secrets.meant_by(written) {
            Ok(None) => snmp::Community::new(written),
            Ok(Some(secret)) => secret.with(|bytes| snmp::Community::new(bytes)),
            Err(why) => return Err(format!("its community: {why}").into()),
        };
        Ok(snmp::Config::new(version, community))
    }

    fn reading(&mut self, index: u32, agent: &Agent, object: &Object) -> Option<Operand> {
        let variable = variable(object)?;
        let device = self.device(index, agent)?;
        let variables = &mut self.devices[device].variables;
        let place = self.variables.entry((device, variable.clone())).or_insert_with(|| {
            variables.push(variable);
            variables.len() - 1
        });
        Some(Operand::Reading { device, variable: *place, one_if_up: object.one_if_up })
    }
}

fn device_plan(agent: &Agent, mut snmp: snmp::Config) -> DevicePlan {
    snmp.timeout = agent.timeout;
    snmp.retries = agent.attempts.saturating_sub(1);
    snmp.backoff = agent.backoff;
    snmp.bindings_max = BINDINGS_MAX;
    if let Some(repetitions) = agent.max_repetitions {
        snmp.repetitions_max = repetitions;
    }
    DevicePlan {
        name: device_name(agent),
        host: host(agent),
        family: if agent.ipv4_only { Family::V4 } else { Family::Any },
        port: agent.port,
        snmp,
        // MRTG does the same by default.
        answers_from: AnswersFrom::Anywhere,
        variables: Vec::new(),
    }
}

/// The name of an agent in reports and on pages. It never has the community.
fn device_name(agent: &Agent) -> Arc<str> {
    match agent.port {
        161 => agent.host.to_string().into(),
        port => format!("{}:{port}", agent.host).into(),
    }
}

fn host(agent: &Agent) -> Arc<str> {
    match &agent.host {
        Host::Name(name) => name.as_str().into(),
        Host::V4(address) => address.to_string().into(),
        Host::V6(address) => address.to_string().into(),
    }
}

fn is_v6_switched_off(agent: &Agent) -> bool {
    agent.ipv4_only && matches!(agent.host, Host::V6(_))
}

#[cfg(test)]
mod tests {
    use super::*;
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
             Target[d]: `date`\n",
        );
        assert_eq!(wiring.plan.devices.len(), 2);
        // In and out of port 1, in and out of eth0.
        assert_eq!(wiring.plan.devices[0].variables.len(), 4);
        assert_eq!(wiring.devices_of_target[0], Ok(vec![0]));
        assert_eq!(wiring.devices_of_target[2], Ok(vec![0, 1]));
        assert!(wiring.devices_of_target[3].is_err());
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
            ["mrtg.cfg:8: target c is not measured: SNMPv3 user odd: authprotocol rot13 is none \
              of md5, sha, sha224, sha256, sha384, sha512"]
        );
        assert!(wiring.devices_of_target[3].is_err());
        assert!(!format!("{:?} {read:?}", wiring.plan).contains("geheim"));
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
        assert_eq!(whole.name.prefix, wide);
        assert_eq!(whole.narrow.as_ref().unwrap().prefix, narrow);
        assert_eq!(column.name.with_index(3).unwrap(), wide);
        assert_eq!(column.narrow.as_ref().unwrap().with_index(3).unwrap(), narrow);
    }
}
