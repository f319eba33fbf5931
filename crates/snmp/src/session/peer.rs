//! The engine of a device with SNMPv3: its id, our keys for it, its clock.

use super::engine_clock::EngineClock;
use crate::error::DecodeError;
use crate::pdu::{Operation, Pdu};
use crate::request_id::RequestIds;
use crate::usm::{SecurityLevel, User};
use crate::v3::{Context, Header, LocalKeys, SIZE_MAX, Scope, Text, View, seal};
use std::time::Duration;

/// The most bytes of an engine's id. The standard's least is 5, but real agents have shorter ones.
const ENGINE_ID_BYTES_MAX: usize = 32;

/// The engine of a device, once it is known, and who asks it.
#[derive(Debug)]
pub(super) struct Peer {
    user: User,
    context: Context,
    engine: Option<Engine>,
    /// The engine that an authentic message proved, if a report that anyone can have sent names
    /// another one since.
    proved: Option<Engine>,
    /// The number that the next salt is made of; `None` before the first message.
    salt: Option<u64>,
    /// Whether it ever answered the user.
    has_answered: bool,
}

#[derive(Debug)]
struct Engine {
    id: Box<[u8]>,
    keys: LocalKeys,
    clock: EngineClock,
}

/// A message that is what it says it is.
pub(super) struct Opened<'a> {
    pub(super) text: Text<'a>,
    pub(super) is_authentic: bool,
}

/// Why a message is not taken.
pub(super) enum Dismissal {
    /// It is of another engine or for another user.
    Foreign,
    /// It is not authentic.
    Forged,
    Malformed(DecodeError),
}

impl Peer {
    pub(super) fn new(user: User, context: Context) -> Peer {
        Peer { user, context, engine: None, proved: None, salt: None, has_answered: false }
    }

    pub(super) fn user(&self) -> &User {
        &self.user
    }

    pub(super) fn knows_engine(&self) -> bool {
        self.engine.is_some()
    }

    /// How often the engine has started, if it proved that.
    pub(super) fn engine_boots(&self) -> Option<u32> {
        let clock = self.engine.as_ref()?.clock;
        clock.is_authentic().then(|| clock.boots())
    }

    /// Whether the device answers, but not this user.
    pub(super) fn ignores_user(&self) -> bool {
        self.engine.is_some() && !self.has_answered
    }

    /// The question which engine this is: it needs no secret.
    pub(super) fn discovery(&self, message_id: i32) -> Vec<u8> {
        let header = Header {
            message_id,
            size_max: SIZE_MAX,
            level: SecurityLevel::Plain,
            is_reportable: true,
            engine_id: &[],
            boots: 0,
            time: 0,
            user: &[],
        };
        let scope = Scope { engine_id: &[], name: &self.context.name };
        let pdu = Pdu { request_id: message_id, operation: Operation::Get, bindings: Vec::new() };
        seal(&header, &scope, &pdu, &LocalKeys::default(), 0)
    }

    /// The datagram of a request; its request id is the message id, too. `None` before the engine
    /// is known.
    pub(super) fn seal(&mut self, now: Duration, pdu: &Pdu, ids: &RequestIds) -> Option<Vec<u8>> {
        let engine = self.engine.as_ref()?;
        let header = Header {
            message_id: pdu.request_id,
            size_max: SIZE_MAX,
            level: self.user.level(),
            is_reportable: true,
            engine_id: &engine.id,
            boots: engine.clock.boots(),
            time: engine.clock.time(now),
            user: self.user.name(),
        };
        let salt = self.salt.unwrap_or_else(|| ids.salt(now));
        self.salt = Some(salt.wrapping_add(1));
        Some(seal(&header, &self.context.scope(&engine.id), pdu, &engine.keys, salt))
    }

    /// Takes the engine from a report. Returns whether there is one in it. Anyone can have sent it: a
    /// clock that the engine proved stays, so that no old message becomes new again.
    pub(super) fn learn(&mut self, now: Duration, header: &Header<'_>) -> bool {
        let Header { engine_id: id, boots, time, .. } = *header;
        if id.is_empty() || id.len() > ENGINE_ID_BYTES_MAX {
            return false;
        }
        let clock = EngineClock::told(boots, time, now);
        if let Some(engine) = self.engine.as_mut().filter(|engine| *engine.id == *id) {
            if !engine.clock.is_authentic() {
                engine.clock = clock;
            }
            return true;
        }
        let known = self.proved.take_if(|engine| *engine.id == *id);
        let engine =
            known.unwrap_or_else(|| Engine { id: id.into(), keys: self.user.localize(id), clock });
        if let Some(left) = self.engine.replace(engine).filter(|it| it.clock.is_authentic()) {
            self.proved = Some(left);
        }
        true
    }

    /// Takes the clock from an authentic report. It may go back: some devices forget how often they
    /// have started. Its message id shows that it is no replay from within the last 2,048 requests.
    pub(super) fn set_clock(&mut self, now: Duration, header: &Header<'_>) {
        if let Some(engine) = &mut self.engine {
            engine.clock = EngineClock::proved(header.boots, header.time, now);
        }
    }

    /// Checks and decrypts a message. Anyone can have made one of the level
    /// [`SecurityLevel::Plain`].
    pub(super) fn open<'a>(&self, view: &View<'a>) -> Result<Opened<'a>, Dismissal> {
        let header = view.header();
        if header.level == SecurityLevel::Plain {
            let text = view.open(&LocalKeys::default()).map_err(Dismissal::Malformed)?;
            return Ok(Opened { text, is_authentic: false });
        }
        let engine = self.engine.as_ref().ok_or(Dismissal::Foreign)?;
        if header.engine_id != &*engine.id || header.user != self.user.name() {
            return Err(Dismissal::Foreign);
        }
        if !view.is_authentic(&engine.keys) {
            return Err(Dismissal::Forged);
        }
        let text = view.open(&engine.keys).map_err(Dismissal::Malformed)?;
        Ok(Opened { text, is_authentic: true })
    }

    /// Whether an opened response answers this session: it is as protected as the request, in time,
    /// and of the same context.
    pub(super) fn admit(
        &mut self,
        now: Duration,
        header: &Header<'_>,
        scope: &Scope<'_>,
    ) -> Result<(), Dismissal> {
        if header.level < self.user.level() || !self.is_in_time(now, header) {
            return Err(Dismissal::Forged);
        }
        let engine = self.engine.as_ref().ok_or(Dismissal::Foreign)?;
        if header.engine_id != &*engine.id || *scope != self.context.scope(&engine.id) {
            return Err(Dismissal::Foreign);
        }
        self.has_answered = true;
        Ok(())
    }

    /// Whether an opened message is no replay. Without authentication there is no time either.
    pub(super) fn is_in_time(&mut self, now: Duration, header: &Header<'_>) -> bool {
        match &mut self.engine {
            _ if header.level == SecurityLevel::Plain => true,
            Some(engine) => engine.clock.admit(header.boots, header.time, now),
            None => false,
        }
    }
}
