//! The devices to poll, with the variables that targets need of them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use collector::{AnswersFrom, DevicePlan, Family, Sought, Transport, Walk};
use mrtg::{
    Agent, Configuration, Host, InterfaceReference, Method, Object, Poll, SnmpPoll, SnmpVersion,
};
use snmp::Version;

use super::super::secrets::Secrets;
use super::super::users::Users;
use super::super::variables::{Objects, root};
use super::operand::{Becomes, Operand, SpeedPlace, becomes};
use super::wanted::PollAt;

/// The most names in one request. The bytes of its answer are what bounds it, as a rule.
const BINDINGS_MAX: usize = 100;

/// mib-2, which has the tables of interfaces.
const INTERFACES: [u32; 6] = [1, 3, 6, 1, 2, 1];

/// ifSpeed and ifHighSpeed below it.
const IF_SPEED: &[u32] = &[2, 2, 1, 5];
const IF_HIGH_SPEED: &[u32] = &[31, 1, 1, 1, 15];

/// The most requests on their way to a device. Its agent takes one after the other from its queue.
const IN_FLIGHT_MAX: usize = 4;

/// The most bytes of an answer over TCP, which no path has to carry in one piece. Every agent can send
/// so many (RFC 3430, 2.1).
const TCP_RESPONSE_BYTES_MAX: usize = 8000;

/// The devices of a plan so far.
#[derive(Default)]
pub(super) struct Builder {
    /// The programs so far.
    programs: u32,
    single_request: bool,
    pub(super) devices: Vec<DevicePlan>,
    /// The device's position, by its interval and the agent's position in the configuration.
    of_agent: HashMap<(u16, u32), u32>,
    objects: Objects,
    /// The places of each device's variables. The names of an object are kept once, so they are
    /// told apart by where they lie.
    places: Vec<HashMap<(Option<collector::InterfaceReference>, *const collector::Object), u32>>,
    users: Users,
    secrets: Arc<Secrets>,
    /// The agents that cannot be asked because of their users or secrets, by their position.
    pub(super) of_no_user: HashMap<u32, Arc<str>>,
}

impl Builder {
    pub(super) fn new(single_request: bool, secrets: Arc<Secrets>) -> Self {
        let users = Users::with(secrets.clone());
        Self { single_request, users, secrets, ..Self::default() }
    }

    /// The operands that a poll gives at an interval.
    pub(super) fn operands(&mut self, configuration: &Configuration, at: PollAt) -> [Operand; 2] {
        let Poll::Snmp(poll) = configuration.poll(at.poll) else {
            let program = self.programs;
            self.programs += 1;
            return [Operand::Program { program }; 2];
        };
        let agent = configuration.agent(poll.agent);
        if is_v6_switched_off(agent) {
            return [Operand::Nothing; 2];
        }
        let [incoming, outgoing] = &poll.objects;
        [incoming, outgoing].map(|object| {
            let sought = match object.method {
                Method::Constant(number) => return Operand::Constant(number),
                Method::Get => {
                    let reading = self.reading(at.interval_seconds, poll, agent, object);
                    return reading.unwrap_or(Operand::Nothing);
                }
                Method::Walk(row) => Sought::Row(row),
                Method::GetNext => Sought::Next,
                Method::CountWalk => Sought::Count,
            };
            let Some((root, device)) =
                root(object).zip(self.device(at.interval_seconds, poll.agent.0, agent))
            else {
                return Operand::Nothing;
            };
            self.walked(device, Walk { root, sought }, becomes(poll, object))
        })
    }

    /// The position of an agent's device; `None` if it has no user or community to be asked with.
    fn device(&mut self, interval_seconds: u16, index: u32, agent: &Agent) -> Option<u32> {
        if let Some(known) = self.of_agent.get(&(interval_seconds, index)) {
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
        let position = u32::try_from(self.devices.len()).ok()?;
        let interval = Duration::from_secs(interval_seconds.into());
        let mut plan = device_plan(agent, interval, config);
        if self.single_request {
            plan.snmp.bindings_max = 1;
        }
        self.devices.push(plan);
        self.places.push(HashMap::new());
        self.of_agent.insert((interval_seconds, index), position);
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

    fn reading(
        &mut self,
        interval_seconds: u16,
        poll: &SnmpPoll,
        agent: &Agent,
        object: &Object,
    ) -> Option<Operand> {
        let variable = self.objects.variable(object)?;
        let device = self.device(interval_seconds, poll.agent.0, agent)?;
        let variables = &mut self.devices[device as usize].variables;
        let key = (variable.interface.clone(), Arc::as_ptr(&variable.object));
        let place = self.places[device as usize].entry(key).or_insert_with(|| {
            variables.push(variable);
            variables.len() as u32 - 1
        });
        Some(Operand::Reading { device, variable: *place, becomes: becomes(poll, object) })
    }

    /// The variables that tell the speed of an interface, of one of a target's objects.
    pub(super) fn speed(
        &mut self,
        configuration: &Configuration,
        at: PollAt,
        interface: &InterfaceReference,
    ) -> Option<SpeedPlace> {
        let Poll::Snmp(poll) = configuration.poll(at.poll) else { return None };
        let agent = configuration.agent(poll.agent);
        let mut place = |column: &[u32]| {
            let prefix = mrtg::ObjectId([&INTERFACES[..], column].concat());
            let interface = Some(interface.clone());
            let object = Object { prefix, interface, ..Object::default() };
            match self.reading(at.interval_seconds, poll, agent, &object)? {
                Operand::Reading { device, variable, .. } => Some((device, variable)),
                _ => None,
            }
        };
        let (device, bits) = place(IF_SPEED)?;
        // SNMPv1 has it, too, but the devices that speak it alone do not.
        let high = match agent.version {
            SnmpVersion::V1 => None,
            SnmpVersion::V2c | SnmpVersion::V3 => place(IF_HIGH_SPEED).map(|(_, high)| high),
        };
        Some(SpeedPlace { device, bits, megabits: high })
    }

    fn walked(&mut self, device: u32, walk: Walk, becomes: Becomes) -> Operand {
        let walks = &mut self.devices[device as usize].walks;
        let place = walks.iter().position(|known| *known == walk).unwrap_or_else(|| {
            walks.push(walk);
            walks.len() - 1
        });
        Operand::Walked { device, walk: place as u32, becomes }
    }
}

/// The plan of a device, which has all its variables.
pub(super) fn finished(mut plan: DevicePlan) -> Arc<DevicePlan> {
    plan.variables.shrink_to_fit();
    plan.into()
}

fn device_plan(agent: &Agent, interval: Duration, mut snmp: snmp::Config) -> DevicePlan {
    snmp.timeout = agent.timeout;
    snmp.retries = agent.attempts.saturating_sub(1);
    snmp.backoff = agent.backoff;
    snmp.bindings_max = BINDINGS_MAX;
    snmp.in_flight_max = IN_FLIGHT_MAX;
    snmp.repetitions_max = agent.max_repetitions;
    let transport = transport(agent);
    if transport == Transport::Tcp {
        // A connection loses nothing, so a request is sent once and may take as long.
        snmp.retries = 0;
        snmp.timeout = agent.timeout.saturating_mul(agent.attempts);
        snmp.response_bytes_max = TCP_RESPONSE_BYTES_MAX;
    }
    DevicePlan {
        name: device_name(agent),
        interval,
        host: host(agent),
        family: if agent.ipv4_only { Family::V4 } else { Family::Any },
        transport,
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
    let transport = match transport(agent) {
        Transport::Udp => "",
        Transport::Tcp => "tcp:",
    };
    match agent.port {
        161 => format!("{transport}{}", agent.host).into(),
        port => format!("{transport}{}:{port}", agent.host).into(),
    }
}

fn transport(agent: &Agent) -> Transport {
    match agent.transport {
        mrtg::Transport::Udp => Transport::Udp,
        mrtg::Transport::Tcp => Transport::Tcp,
    }
}

fn host(agent: &Agent) -> Arc<str> {
    match &agent.host {
        Host::Name(name) => name.as_str().into(),
        Host::V4(address) => address.to_string().into(),
        Host::V6(address) => address.to_string().into(),
    }
}

pub(super) fn is_v6_switched_off(agent: &Agent) -> bool {
    agent.ipv4_only && matches!(agent.host, Host::V6(_))
}
