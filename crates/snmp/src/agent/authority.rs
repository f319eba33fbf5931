//! An agent's engine of SNMPv3: its id, its clock, its users, what it reports.
//!
//! It follows RFC 3414, section 3.2: engine, user, level, authentication, time, decryption, in this
//! order, each with a report and a counter of its own.

use super::MibView;
use crate::error::DecodeError;
use crate::message::{Community, Message, Version};
use crate::pdu::{Operation, Pdu, VarBind};
use crate::usm::{SecurityLevel, User};
use crate::v3::{Header, LocalKeys, Report, SIZE_MAX, Scope, View, seal};
use crate::value::Value;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A message may be this much older or newer than the engine's time.
const WINDOW_SECONDS: u32 = 150;

/// The engine of an agent. Its users' keys are made when they are first asked for.
#[derive(Debug)]
pub struct Authority {
    engine_id: Box<[u8]>,
    accounts: Box<[Account]>,
    /// The number that the next salt is made of.
    salt: AtomicU64,
    reported: Reported,
}

/// The clock of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineTime {
    /// How often it has started.
    pub boots: u32,
    /// Seconds since then.
    pub seconds: u32,
}

/// A user, and its keys for this engine.
#[derive(Debug)]
struct Account {
    user: User,
    keys: OnceLock<LocalKeys>,
}

/// How often each report was sent.
#[derive(Debug, Default)]
struct Reported([AtomicU32; 8]);

/// A message of a user, and who that is.
struct Received<'a> {
    header: Header<'a>,
    account: Option<&'a Account>,
}

/// What the agent says when it does not answer.
struct Complaint {
    report: Report,
    /// What the complaint is protected by: only one about the time is authenticated.
    level: SecurityLevel,
}

impl Authority {
    /// An engine with this id and these users. `salt` is where its salts begin: random, for they
    /// must not come twice while the engine does not start again.
    pub fn new(engine_id: &[u8], users: &[User], salt: u64) -> Authority {
        let account = |user: &User| Account { user: user.clone(), keys: OnceLock::new() };
        Authority {
            engine_id: engine_id.into(),
            accounts: users.iter().map(account).collect(),
            salt: AtomicU64::new(salt),
            reported: Reported::default(),
        }
    }

    /// The answer to a datagram, or the report that tells what is wrong with it; `None` if it
    /// deserves neither.
    pub fn respond(
        &self,
        datagram: &[u8],
        time: EngineTime,
        mib: &impl MibView,
        response_bytes_max: usize,
    ) -> Result<Option<Vec<u8>>, DecodeError> {
        let answer = |request: &Message, room_bytes| super::respond(request, mib, room_bytes);
        self.respond_by(datagram, time, response_bytes_max, answer)
    }

    /// The same with the response that `answer` gives to a request, whose version is told as v2c; it
    /// is told the most bytes.
    pub fn respond_by(
        &self,
        datagram: &[u8],
        time: EngineTime,
        response_bytes_max: usize,
        answer: impl FnOnce(&Message, usize) -> Option<Message>,
    ) -> Result<Option<Vec<u8>>, DecodeError> {
        let view = View::parse(datagram)?;
        let header = view.header();
        let account = self.accounts.iter().find(|each| each.user.name() == header.user);
        let received = Received { header, account };
        if let Err(complaint) = self.check(&received, &view, time) {
            return Ok(self.complain(&received, complaint, time));
        }
        let none = LocalKeys::default();
        let keys = account.map_or(&none, |account| account.keys(&self.engine_id));
        let text = view.open(keys)?;
        let Ok(scoped) = text.scoped() else {
            let plain = SecurityLevel::Plain;
            let complaint = Complaint { report: Report::DecryptionError, level: plain };
            return Ok(self.complain(&received, complaint, time));
        };
        let scope = scoped.scope();
        let (version, community) = (Version::V2c, Community::new([]));
        let request = Message { version, community, pdu: scoped.to_pdu()? };
        let taken = usize::try_from(header.size_max).unwrap_or(0);
        let room = response_bytes_max.min(taken).saturating_sub(head_bytes(&header, &scope));
        let response = answer(&request, room);
        Ok(response.map(|response| {
            self.seal(&Header { is_reportable: false, ..header }, &scope, &response.pdu, keys, time)
        }))
    }

    fn check(
        &self,
        received: &Received<'_>,
        view: &View<'_>,
        time: EngineTime,
    ) -> Result<(), Complaint> {
        let plainly = |report| Complaint { report, level: SecurityLevel::Plain };
        let header = &received.header;
        if header.engine_id != &*self.engine_id {
            return Err(plainly(Report::UnknownEngine));
        }
        let account = received.account.ok_or(plainly(Report::UnknownUser))?;
        // A user of this agent must use all of its secrets.
        if header.level != account.user.level() {
            return Err(plainly(Report::UnsupportedLevel));
        }
        if header.level == SecurityLevel::Plain {
            return Ok(());
        }
        if !view.is_authentic(account.keys(&self.engine_id)) {
            return Err(plainly(Report::WrongDigest));
        }
        if header.boots != time.boots || header.time.abs_diff(time.seconds) > WINDOW_SECONDS {
            let level = SecurityLevel::Authenticated;
            return Err(Complaint { report: Report::NotInTimeWindow, level });
        }
        Ok(())
    }

    fn complain(
        &self,
        received: &Received<'_>,
        complaint: Complaint,
        time: EngineTime,
    ) -> Option<Vec<u8>> {
        if !received.header.is_reportable {
            return None;
        }
        let Complaint { report, level } = complaint;
        let value = Value::Counter32(self.reported.count(report));
        let bindings = vec![VarBind { oid: report.counter()?, value }];
        let pdu = Pdu { request_id: 0, operation: Operation::Report, bindings };
        let header = Header { level, is_reportable: false, ..received.header };
        let scope = Scope { engine_id: &self.engine_id, name: &[] };
        let none = LocalKeys::default();
        let keys = match (level, received.account) {
            (SecurityLevel::Plain, _) | (_, None) => &none,
            (_, Some(account)) => account.keys(&self.engine_id),
        };
        Some(self.seal(&header, &scope, &pdu, keys, time))
    }

    fn seal(
        &self,
        header: &Header<'_>,
        scope: &Scope<'_>,
        pdu: &Pdu,
        keys: &LocalKeys,
        time: EngineTime,
    ) -> Vec<u8> {
        let header = Header {
            size_max: SIZE_MAX,
            engine_id: &self.engine_id,
            boots: time.boots,
            time: time.seconds,
            ..*header
        };
        seal(&header, scope, pdu, keys, self.salt.fetch_add(1, Ordering::Relaxed))
    }
}

impl Account {
    fn keys(&self, engine_id: &[u8]) -> &LocalKeys {
        self.keys.get_or_init(|| self.user.localize(engine_id))
    }
}

impl Reported {
    /// Counts a report. Returns how often it was sent, this time included.
    fn count(&self, report: Report) -> u32 {
        let counter = self.0.get(report as usize);
        counter.map_or(0, |counter| counter.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
    }
}

/// Bytes of a message without its PDU, at most: headers, MAC, salt, padding, and the names in it.
fn head_bytes(header: &Header<'_>, scope: &Scope<'_>) -> usize {
    let names = 2 * header.engine_id.len() + header.user.len() + scope.name.len();
    160 + names + scope.engine_id.len()
}
