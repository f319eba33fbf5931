//! The options that `gyre network` and `gyre demo` have in common: those of a simulated network.

use std::time::Duration;

use options::{Misuse, OwnRow, Value, checked};

/// What they set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NetworkOptions {
    /// `None`: the usual number.
    pub(crate) devices: Option<u32>,
    pub(crate) ports: u32,
    /// `None`: the usual one.
    pub(crate) udp_port: Option<u16>,
    pub(crate) community: String,
    /// `None`: until a signal ends it.
    pub(crate) duration: Option<Duration>,
}

impl Default for NetworkOptions {
    fn default() -> Self {
        let usual = simnet::Config::default();
        Self {
            devices: None,
            ports: usual.ports,
            udp_port: None,
            community: usual.community,
            duration: None,
        }
    }
}

impl NetworkOptions {
    /// The number of devices.
    pub(crate) fn devices(&self) -> u32 {
        self.devices.unwrap_or_else(|| simnet::Config::default().devices)
    }
}

/// The arguments of a verb that simulates a network.
pub(crate) trait Simulates {
    const DEVICES_MAX: u32;
    const PORTS_MAX: u32;
    /// What `--udp-port` says of other ports than the usual one.
    const UDP_PORT_HELP: &'static str;

    fn network(&mut self) -> &mut NetworkOptions;
}

/// How many rows there are.
pub(crate) const ROWS: usize = 5;

/// The rows of a verb.
pub(crate) const fn rows<T: Simulates>() -> [OwnRow<T>; ROWS] {
    [
        checked("--devices", "N", "the number of devices (100)", |it: &mut T, value| {
            it.network().devices = Some(value.number_u32(1..=T::DEVICES_MAX)?);
            Ok(())
        }),
        checked("--ports", "N", "the number of interfaces of each device (48)", |it, value| {
            it.network().ports = value.number_u32(1..=T::PORTS_MAX)?;
            Ok(())
        }),
        checked("--udp-port", "PORT", T::UDP_PORT_HELP, |it, value| {
            it.network().udp_port = Some(value.parsed("a port")?);
            Ok(())
        }),
        checked("--community", "NAME", "the community that may read (public)", |it, value| {
            it.network().community = community(&value)?;
            Ok(())
        }),
        checked("--for", "SECONDS", "end after this time", |it, value| {
            let seconds = value.number(1..=u64::from(u32::MAX))?;
            it.network().duration = Some(Duration::from_secs(seconds));
            Ok(())
        }),
    ]
}

/// A community. It is copied into configuration files unchanged. The error does not repeat it: it
/// is a secret.
fn community(value: &Value) -> Result<String, Misuse> {
    let is_plain =
        |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let community = value.text().ok().filter(is_plain);
    let misuse = || Misuse::lacks("--community", "letters and digits");
    community.map(str::to_owned).ok_or_else(misuse)
}
