//! What the file of `--intake` says: where agents send to, how much is made, and the rules.
//!
//! ```toml
//! graphite = "127.0.0.1:2003"    # lines, over TCP and UDP
//! pickle = "127.0.0.1:2004"      # Graphite's pickles, over TCP
//! influx = "127.0.0.1:8089"      # Influx' lines, over UDP
//! collectd = "127.0.0.1:25826"   # collectd's packets
//! collectd_security = "sign"     # or "encrypt"; "none" if left out
//! collectd_users = "users"       # lines `NAME: PASSWORD`
//! collectd_types = ["types.db"]  # the names of values, if not those of collectd's package
//! statsd = "127.0.0.1:8125"
//! statsd_interval_seconds = 10
//! http = true                    # /write, /api/v2/write and /api/v1/write at the web pages
//! databases_max = 1_000_000      # made since the start
//! new_a_minute_max = 200_000
//!
//! [[layout]]                     # see the rules
//! ```

use std::net::SocketAddr;
use std::path::PathBuf;

use senders::collectd::Level;
use serde::Deserialize;

use crate::engine::Limits;
use crate::protocol::Protocol;
use crate::rules::Rules;
use crate::written::Written;
use crate::wrong_rule::WrongRule;

/// What the file says.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where each protocol's senders send to; one of HTTP has no address of its own.
    pub sockets: Vec<(Protocol, SocketAddr)>,
    /// Whether senders may use HTTP.
    pub http: bool,
    /// How often StatsD's values are summed up.
    pub statsd_interval_seconds: u64,
    /// What packets of collectd have to be.
    pub collectd_security: Level,
    /// The file of collectd's users and their passwords.
    pub collectd_users: Option<PathBuf>,
    /// Files of the names of collectd's values; `None` for those of its package.
    pub collectd_types: Option<Vec<PathBuf>>,
    /// How much is made.
    pub limits: Limits,
    /// Which series are kept, and how.
    pub rules: Rules,
}

/// collectd's words for what packets have to be.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Security {
    #[default]
    None,
    Sign,
    Encrypt,
}

impl From<Security> for Level {
    fn from(security: Security) -> Self {
        match security {
            Security::None => Self::None,
            Security::Sign => Self::Sign,
            Security::Encrypt => Self::Encrypt,
        }
    }
}

/// The file's form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    graphite: Option<SocketAddr>,
    pickle: Option<SocketAddr>,
    influx: Option<SocketAddr>,
    collectd: Option<SocketAddr>,
    #[serde(default)]
    collectd_security: Security,
    collectd_users: Option<PathBuf>,
    collectd_types: Option<Vec<PathBuf>>,
    statsd: Option<SocketAddr>,
    statsd_interval_seconds: Option<u64>,
    #[serde(default)]
    http: bool,
    databases_max: Option<u64>,
    new_a_minute_max: Option<u64>,
    #[serde(default)]
    layout: Vec<Written>,
}

/// How often StatsD's values are summed up where nobody says: StatsD's own interval.
const STATSD_INTERVAL_SECONDS: u64 = 10;

impl Settings {
    /// The settings of a text.
    ///
    /// # Errors
    ///
    /// [`WrongRule`], which for TOML's own errors names the line.
    pub fn of_text(text: &str) -> Result<Self, WrongRule> {
        let file: File =
            toml::from_str(text).map_err(|error| WrongRule::Form(error.to_string()))?;
        let usual = Limits::default();
        let settings = Self {
            sockets: file.sockets(),
            http: file.http,
            statsd_interval_seconds: file
                .statsd_interval_seconds
                .unwrap_or(STATSD_INTERVAL_SECONDS),
            collectd_security: file.collectd_security.into(),
            limits: Limits {
                databases_max: file.databases_max.unwrap_or(usual.databases_max),
                new_a_minute_max: file.new_a_minute_max.unwrap_or(usual.new_a_minute_max),
            },
            rules: Rules::new(&file.layout)?,
            collectd_users: file.collectd_users,
            collectd_types: file.collectd_types,
        };
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), WrongRule> {
        if self.collectd_security != Level::None && self.collectd_users.is_none() {
            return Err(WrongRule::Users);
        }
        if self.statsd_interval_seconds == 0 {
            return Err(WrongRule::Interval);
        }
        if self.sockets.is_empty() && !self.http {
            return Err(WrongRule::Nobody);
        }
        Ok(())
    }

    /// Whether a protocol has a socket.
    #[must_use]
    pub fn hears(&self, protocol: Protocol) -> bool {
        self.sockets.iter().any(|(other, _)| *other == protocol)
    }

    /// Whether packets to this socket say who sends them.
    #[must_use]
    pub fn knows_senders(&self, protocol: Protocol) -> bool {
        protocol == Protocol::Collectd && self.collectd_security != Level::None
    }
}

impl File {
    fn sockets(&self) -> Vec<(Protocol, SocketAddr)> {
        let all = [
            (Protocol::Graphite, self.graphite),
            (Protocol::Pickle, self.pickle),
            (Protocol::Influx, self.influx),
            (Protocol::Collectd, self.collectd),
            (Protocol::Statsd, self.statsd),
        ];
        all.into_iter().filter_map(|(protocol, address)| Some((protocol, address?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_where_agents_send_to() {
        let text = r#"
            graphite = "127.0.0.1:2003"
            statsd = "[::1]:8125"
            http = true
            databases_max = 5
            [[layout]]
            step = 10
        "#;
        let settings = Settings::of_text(text).unwrap();
        let shown: Vec<String> =
            settings.sockets.iter().map(|(it, address)| format!("{it} {address}")).collect();
        assert_eq!(shown, ["graphite 127.0.0.1:2003", "statsd [::1]:8125"]);
        let Limits { databases_max, new_a_minute_max } = settings.limits;
        assert_eq!((databases_max, new_a_minute_max), (5, 200_000));
        assert!(settings.http && settings.rules.count() == 1);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let told = |text: &str| Settings::of_text(text).unwrap_err().to_string();
        for (text, why) in [
            ("\ngraphite = \"localhost\"", "line 2"),
            ("http = true\nhtpp = false", "unknown field `htpp`"),
            ("", "expected `http = true` or the address of a protocol"),
            ("collectd = \"127.0.0.1:1\"\ncollectd_security = \"sign\"", "collectd_users"),
            ("http = true\nstatsd_interval_seconds = 0", "at least a second"),
            ("http = true\n[[layout]]\nstep = \"x\"", "[[layout]] 1"),
        ] {
            assert!(told(text).contains(why), "{text}: {}", told(text));
        }
    }
}
