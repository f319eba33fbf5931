//! Derives from a configuration which variables of which devices are polled, and maps the readings
//! back to the targets.
//!
//! ```text
//! mrtg: target ─ expression ─ poll ─ agent, two objects
//!                     │                  │
//! here:            operands ────▶ (device, variable) ◀─── collector: plan, readings
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use collector::{AnswersFrom, DevicePlan, Family, Plan, Sought, Variable, Walk};
use mrtg::{
    Agent, Configuration, Conversion, Direction, Host, Method, Object, Poll, PollIndex, Position,
    SnmpPoll, SnmpVersion,
};
use snmp::Version;

use super::secrets::Secrets;
use super::users::Users;
use super::variables::{Objects, root};

/// The most names in one request. The bytes of its answer are what bounds it, as a rule.
const BINDINGS_MAX: usize = 100;

/// The most requests on their way to a device. Its agent takes one after the other from its queue.
const IN_FLIGHT_MAX: usize = 4;

/// The plan of a configuration, and which readings are the operands of its targets.
#[derive(Debug)]
pub(super) struct Wiring {
    pub(super) plan: Arc<Plan>,
    /// The programs, each command once.
    pub(super) programs: Vec<ProgramPlan>,
    /// For each poll of the configuration, its two operands.
    operands: Vec<[Operand; 2]>,
    /// The agents that cannot be asked because of their users or secrets, by their position.
    of_no_user: HashMap<u32, Arc<str>>,
    /// For each target its sources, or why it is not measured. A source is a device, by its
    /// position, or a program, whose position follows those of the devices.
    pub(super) sources_of_target: Vec<Result<Vec<usize>, Arc<str>>>,
}

/// A program that is a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProgramPlan {
    /// The command for the shell. It may hold passwords.
    pub(super) command: Arc<OsStr>,
    /// The first target that has it.
    pub(super) target: Arc<str>,
    /// The place of that target.
    pub(super) position: Position,
}

/// Where one value of a poll comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Constant(u8),
    Reading {
        device: usize,
        variable: usize,
        becomes: Becomes,
    },
    Walked {
        device: usize,
        walk: usize,
        becomes: Becomes,
    },
    Program {
        program: usize,
    },
    /// No variable: the object cannot be polled.
    Nothing,
}

/// How a value becomes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Becomes {
    /// As it is.
    Itself,
    /// `ifOperHack`: 1 for up, else 0.
    OneIfUp,
    /// `|name`.
    Converted(Conversion),
}

impl Wiring {
    pub(super) fn new(configuration: &Configuration, secrets: Arc<Secrets>) -> Self {
        let interval = configuration.globals.interval.step_seconds();
        let single_request = configuration.globals.single_request;
        let users = Users::with(secrets.clone());
        let mut builder = Builder { single_request, users, secrets, ..Builder::default() };
        let wanted = wanted(configuration);
        let polls = configuration.polls.iter().zip(0..).map(|(poll, nth)| {
            match wanted.contains(&PollIndex(nth)) {
                true => builder.operands(configuration, poll),
                false => [Operand::Nothing; 2],
            }
        });
        let operands = polls.collect();
        let mut wiring = Self {
            plan: Arc::new(Plan {
                interval: std::time::Duration::from_secs(interval),
                devices: builder.devices.into_iter().map(finished).collect(),
            }),
            programs: programs(configuration),
            operands,
            of_no_user: builder.of_no_user,
            sources_of_target: Vec::new(),
        };
        let targets = configuration.targets.iter();
        wiring.sources_of_target =
            targets.map(|target| wiring.sources_of(configuration, target)).collect();
        wiring
    }

    /// The position of a program among the sources.
    pub(super) fn source_of_program(&self, program: usize) -> usize {
        self.plan.devices.len() + program
    }

    /// How many sources there are.
    pub(super) fn sources(&self) -> usize {
        self.source_of_program(self.programs.len())
    }

    /// The name of a source, for people.
    pub(super) fn name_of(&self, source: usize) -> Arc<str> {
        match self.plan.devices.get(source) {
            Some(device) => device.name.clone(),
            None => self.programs[source - self.plan.devices.len()].name(),
        }
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
        for (target, sources) in configuration.targets.iter().zip(&self.sources_of_target) {
            if let Err(why) = sources
                && self.of_no_user.values().any(|each| Arc::ptr_eq(each, why))
                && told.insert(why)
            {
                let place = &target.position;
                remarks.push(format!("{place}: target {} is not measured: {why}", target.name));
            }
        }
        remarks
    }

    fn sources_of(
        &self,
        configuration: &Configuration,
        target: &mrtg::Target,
    ) -> Result<Vec<usize>, Arc<str>> {
        if let Some(unsupported) = target.unsupported {
            return Err(unsupported.to_string().into());
        }
        let mut sources = Vec::new();
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
                    Operand::Reading { device, .. } | Operand::Walked { device, .. } => {
                        sources.push(device);
                    }
                    Operand::Program { program } => sources.push(self.source_of_program(program)),
                    Operand::Constant(_) => {}
                    Operand::Nothing => return Err("one of its objects cannot be asked for".into()),
                }
            }
        }
        sources.sort_unstable();
        sources.dedup();
        match sources.is_empty() {
            // Without a source there is no time at which the target would be written.
            true => Err("it asks no device anything".into()),
            false => Ok(sources),
        }
    }
}

impl ProgramPlan {
    /// Its name on pages and in messages, which does not show the command.
    pub(super) fn name(&self) -> Arc<str> {
        format!("the program of {}", self.target).into()
    }
}

/// The targets that can be measured, as far as their language goes.
fn supported(configuration: &Configuration) -> impl Iterator<Item = &mrtg::Target> {
    configuration.targets.iter().filter(|target| target.unsupported.is_none())
}

/// The polls of those targets. Others are not made: nobody waits for their values, as for those of
/// other parts of the site.
fn wanted(configuration: &Configuration) -> HashSet<PollIndex> {
    supported(configuration).flat_map(|target| target.expression.polls()).collect()
}

/// The programs of those targets, in the order of the polls that they are.
fn programs(configuration: &Configuration) -> Vec<ProgramPlan> {
    let mut of_poll = BTreeMap::new();
    for target in supported(configuration) {
        for index in target.expression.polls() {
            if let Poll::Script(script) = configuration.poll(index) {
                of_poll.entry(index).or_insert_with(|| ProgramPlan {
                    command: OsStr::from_bytes(&script.command).into(),
                    target: target.name.clone(),
                    position: target.position.clone(),
                });
            }
        }
    }
    of_poll.into_values().collect()
}

#[derive(Default)]
struct Builder {
    /// The programs so far.
    programs: usize,
    single_request: bool,
    devices: Vec<DevicePlan>,
    /// The device's position, by the agent's position in the configuration.
    of_agent: HashMap<u32, usize>,
    objects: Objects,
    variables: HashMap<(usize, Variable), usize>,
    users: Users,
    secrets: Arc<Secrets>,
    of_no_user: HashMap<u32, Arc<str>>,
}

impl Builder {
    fn operands(&mut self, configuration: &Configuration, poll: &Poll) -> [Operand; 2] {
        let Poll::Snmp(poll) = poll else {
            let program = self.programs;
            self.programs += 1;
            return [Operand::Program { program }; 2];
        };
        let agent = configuration.agent(poll.agent);
        if is_v6_switched_off(agent) {
            return [Operand::Nothing; 2];
        }
        let [incoming, outgoing] = &poll.objects;
        [incoming, outgoing].map(|object| match object.method {
            Method::Constant(number) => Operand::Constant(number),
            Method::Get => self.reading(poll, agent, object).unwrap_or(Operand::Nothing),
            Method::Walk(row) => self.walked(poll, agent, object, Sought::Row(row)),
            Method::GetNext => self.walked(poll, agent, object, Sought::Next),
            Method::CountWalk => self.walked(poll, agent, object, Sought::Count),
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
        let mut plan = device_plan(agent, config);
        if self.single_request {
            plan.snmp.bindings_max = 1;
        }
        self.devices.push(plan);
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

    fn reading(&mut self, poll: &SnmpPoll, agent: &Agent, object: &Object) -> Option<Operand> {
        let variable = self.objects.variable(object)?;
        let device = self.device(poll.agent.0, agent)?;
        let variables = &mut self.devices[device].variables;
        let place = self.variables.entry((device, variable.clone())).or_insert_with(|| {
            variables.push(variable);
            variables.len() - 1
        });
        Some(Operand::Reading { device, variable: *place, becomes: becomes(poll, object) })
    }

    fn walked(
        &mut self,
        poll: &SnmpPoll,
        agent: &Agent,
        object: &Object,
        sought: Sought,
    ) -> Operand {
        let Some((root, device)) = root(object).zip(self.device(poll.agent.0, agent)) else {
            return Operand::Nothing;
        };
        let walk = Walk { root, sought };
        let walks = &mut self.devices[device].walks;
        let place = walks.iter().position(|known| *known == walk).unwrap_or_else(|| {
            walks.push(walk);
            walks.len() - 1
        });
        Operand::Walked { device, walk: place, becomes: becomes(poll, object) }
    }
}

fn becomes(poll: &SnmpPoll, object: &Object) -> Becomes {
    match poll.conversion {
        Some(conversion) => Becomes::Converted(conversion),
        None if object.one_if_up => Becomes::OneIfUp,
        None => Becomes::Itself,
    }
}

/// The plan of a device, which has all its variables.
fn finished(mut plan: DevicePlan) -> Arc<DevicePlan> {
    plan.variables.shrink_to_fit();
    plan.into()
}

fn device_plan(agent: &Agent, mut snmp: snmp::Config) -> DevicePlan {
    snmp.timeout = agent.timeout;
    snmp.retries = agent.attempts.saturating_sub(1);
    snmp.backoff = agent.backoff;
    snmp.bindings_max = BINDINGS_MAX;
    snmp.in_flight_max = IN_FLIGHT_MAX;
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
        walks: Vec::new(),
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
             Target[d]: `date` + 1:public@10.0.0.1:::::2\n\
             Target[e]: 0 - `date`\n",
        );
        assert_eq!(wiring.plan.devices.len(), 2);
        // In and out of port 1, in and out of eth0.
        assert_eq!(wiring.plan.devices[0].variables.len(), 4);
        assert_eq!(wiring.sources_of_target[0], Ok(vec![0]));
        assert_eq!(wiring.sources_of_target[2], Ok(vec![0, 1]));
        let [program] = &wiring.programs[..] else { panic!("one program") };
        assert_eq!((&*program.target, program.position.line), ("d", 7));
        assert_eq!(wiring.sources_of_target[3], Ok(vec![0, 2]));
        assert_eq!(wiring.sources_of_target[4], Ok(vec![2]));
        assert_eq!(&*wiring.name_of(2), "the program of d");
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
}
