//! Sessions of SNMPv3 with Debian's snmpd: every protocol, wrong secrets, a restart.
#![allow(clippy::disallowed_methods)] // The oracle is a process behind a socket.

mod snmpd;

use snmp::v3::{Context, Report};
use snmp::*;
use snmpd::{Snmpd, ask};
use std::time::Duration;

const AUTHENTICATION: &str = "an authentication";
const PRIVACY: &str = "a privacy secret";

/// A user of the agent.
#[derive(Clone, Copy)]
struct Account {
    auth: Option<AuthProtocol>,
    privacy: Option<PrivacyProtocol>,
}

impl Account {
    /// A user for each combination of protocols.
    fn all() -> Vec<Account> {
        let mut all = vec![Account { auth: None, privacy: None }];
        for auth in AuthProtocol::ALL {
            let privacies = PrivacyProtocol::ALL.into_iter().map(Some).chain([None]);
            all.extend(privacies.map(|privacy| Account { auth: Some(auth), privacy }));
        }
        all
    }

    fn name(self) -> String {
        let auth = self.auth.map_or("plain".to_owned(), |auth| auth.to_string());
        let privacy = self.privacy.map_or("none".to_owned(), |privacy| privacy.to_string());
        format!("{auth}_{privacy}")
    }

    /// The lines of snmpd.conf that make the user.
    fn lines(self) -> String {
        let name = self.name();
        let auth = self.auth.map(|auth| format!(" {auth} \"{AUTHENTICATION}\""));
        let privacy = self.privacy.map(|privacy| format!(" {privacy} \"{PRIVACY}\""));
        let level = match (self.auth, self.privacy) {
            (None, _) => "noauth",
            (_, None) => "auth",
            (_, Some(_)) => "priv",
        };
        let secrets = auth.unwrap_or_default() + &privacy.unwrap_or_default();
        format!("createUser {name}{secrets}\nrouser {name} {level}\n")
    }

    fn user(self) -> User {
        self.user_with(AUTHENTICATION, PRIVACY)
    }

    fn user_with(self, authentication: &str, privacy: &str) -> User {
        let key = |password: &str| Key::Password(Secret::new(password));
        User::new(
            self.name().as_bytes(),
            self.auth.map(|protocol| Authentication { protocol, key: key(authentication) }),
            self.privacy.map(|protocol| Privacy { protocol, key: key(privacy) }),
        )
        .unwrap()
    }
}

fn session(user: User) -> Session {
    patient(user, 500, 1)
}

fn patient(user: User, timeout_ms: u64, retries: u32) -> Session {
    let config = Config {
        timeout: Duration::from_millis(timeout_ms),
        retries,
        in_flight_max: 4,
        ..Config::with_user(user, Context::default())
    };
    Session::new(config, RequestIdKey::new(42).ids(7))
}

fn names() -> Request {
    Request::Get(vec![mib::SYS_NAME, mib::SYS_UP_TIME])
}

fn start(name: &str, accounts: &[Account]) -> Option<Snmpd> {
    let lines: String = accounts.iter().map(|account| account.lines()).collect();
    let snmpd = Snmpd::start(name, &lines)?;
    wait_for(&snmpd);
    Some(snmpd)
}

/// The first answer shows that snmpd has started.
fn wait_for(snmpd: &Snmpd) {
    let config = Config {
        timeout: Duration::from_millis(50),
        retries: 200,
        ..Config::new(Version::V2c, Community::new("public"))
    };
    let mut session = Session::new(config, RequestIdKey::new(1).ids(0));
    ask(&mut session, snmpd.address, names()).unwrap();
}

#[test]
fn every_combination_of_protocols_gets_and_walks() {
    let accounts = Account::all();
    let Some(snmpd) = start("v3", &accounts) else {
        return;
    };
    for account in accounts {
        let mut session = session(account.user());
        let got = ask(&mut session, snmpd.address, names());
        let got = got.unwrap_or_else(|error| panic!("{}: {error}", account.name()));
        assert_eq!(got.bindings[0].value, Value::OctetString(b"live.example.net".to_vec()));
        assert_eq!(got.transmissions, 2, "one finds the engine, one asks");
        let walked = ask(&mut session, snmpd.address, Request::Walk(mib::SYSTEM)).unwrap();
        assert!(walked.bindings.len() > 6, "{} rows", walked.bindings.len());
        let tally = session.tally();
        assert_eq!((tally.malformed, tally.foreign, tally.forged, tally.retried), (0, 0, 0, 0));
    }
}

#[test]
fn what_the_agent_does_not_allow_is_an_error_that_names_the_user_and_no_secret() {
    let account =
        Account { auth: Some(AuthProtocol::Sha256), privacy: Some(PrivacyProtocol::Aes128) };
    let without = Account { auth: Some(AuthProtocol::Md5), privacy: None };
    let Some(snmpd) = start("v3-wrong", &[account, without]) else {
        return;
    };
    let denied = |user: User| {
        let error = ask(&mut session(user), snmpd.address, names()).unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("wrong") && !shown.contains("secret"), "{shown}");
        error
    };
    let report = |user: User| match denied(user) {
        RequestError::Denied { report, .. } => report,
        other => panic!("{other}"),
    };
    assert_eq!(report(account.user_with("wrong password", PRIVACY)), Report::WrongDigest);
    let unknown = Account { privacy: Some(PrivacyProtocol::Des), ..account };
    assert_eq!(report(unknown.user()), Report::UnknownUser);
    let key = Key::Password(Secret::new(PRIVACY));
    let privacy = Privacy { protocol: PrivacyProtocol::Des, key: key.clone() };
    let authentication = Authentication {
        protocol: AuthProtocol::Md5,
        key: Key::Password(Secret::new(AUTHENTICATION)),
    };
    let name = without.name();
    let too_high = User::new(name.as_bytes(), Some(authentication), Some(privacy)).unwrap();
    assert_eq!(report(too_high), Report::UnsupportedLevel);
    // snmpd drops what it cannot decrypt.
    let error = denied(account.user_with(AUTHENTICATION, "wrong password"));
    let user = account.name().into();
    assert_eq!(error, RequestError::Ignored { user, transmissions: 3 });
    // And the error of a walk comes at once, without a second try by GETNEXT.
    let mut session = session(account.user_with("wrong password", PRIVACY));
    let walk = ask(&mut session, snmpd.address, Request::Walk(mib::SYSTEM)).unwrap_err();
    assert!(matches!(walk, RequestError::Denied { report: Report::WrongDigest, .. }), "{walk}");
    assert_eq!(session.tally().sent, 2);
}

#[test]
fn a_restarted_agent_is_asked_again_with_its_new_clock() {
    let account =
        Account { auth: Some(AuthProtocol::Sha1), privacy: Some(PrivacyProtocol::Aes256) };
    let Some(mut snmpd) = start("v3-restart", &[account]) else {
        return;
    };
    let mut session = session(account.user());
    ask(&mut session, snmpd.address, names()).unwrap();
    assert_eq!(session.tally().sent, 2);
    ask(&mut session, snmpd.address, names()).unwrap();
    assert_eq!(session.tally().sent, 3, "the engine is known");
    snmpd.restart();
    wait_for(&snmpd);
    let answer = ask(&mut session, snmpd.address, names()).unwrap();
    assert_eq!(answer.transmissions, 2, "one learns the time, one asks");
    ask(&mut session, snmpd.address, names()).unwrap();
    let tally = session.tally();
    assert_eq!((tally.sent, tally.retried, tally.forged, tally.foreign), (6, 0, 0, 0));
}
