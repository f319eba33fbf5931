//! SNMPv3 messages of every kind: sealing and opening are inverse; damage is found.

use proptest::prelude::*;
use snmp::v3::{Header, LocalKeys, Scope, View, seal};
use snmp::{
    AuthProtocol, Authentication, Key, Oid, Operation, Pdu, Privacy, PrivacyProtocol, Secret,
    SecurityLevel, User, UserError, Value, VarBind,
};
use std::collections::BTreeMap;
use std::sync::Mutex;

const ENGINE: &[u8] = b"\x80\x00\x1f\x88\x04engine";

fn password(text: &str) -> Key {
    Key::Password(Secret::new(text))
}

/// Each user's master keys are made once: that takes milliseconds.
fn user(auth: Option<AuthProtocol>, privacy: Option<PrivacyProtocol>) -> User {
    static USERS: Mutex<BTreeMap<Protocols, User>> = Mutex::new(BTreeMap::new());
    let mut users = USERS.lock().unwrap();
    users.entry((auth, privacy)).or_insert_with(|| new_user(auth, privacy)).clone()
}

type Protocols = (Option<AuthProtocol>, Option<PrivacyProtocol>);

fn new_user(auth: Option<AuthProtocol>, privacy: Option<PrivacyProtocol>) -> User {
    let authentication =
        auth.map(|protocol| Authentication { protocol, key: password("authentication") });
    let privacy = privacy.map(|protocol| Privacy { protocol, key: password("privacysecret") });
    User::new(b"monitor", authentication, privacy).unwrap()
}

fn header(level: SecurityLevel, boots: u32, time: u32) -> Header<'static> {
    Header {
        message_id: 7,
        size_max: snmp::v3::SIZE_MAX,
        level,
        is_reportable: true,
        engine_id: ENGINE,
        boots,
        time,
        user: b"monitor",
    }
}

fn pdu(names: u32) -> Pdu {
    let binding = |arc| VarBind {
        oid: Oid::from_arcs(&[1, 3, arc]).unwrap(),
        value: Value::Counter64(u64::from(arc) << 33),
    };
    let bindings = (0..names).map(binding).collect();
    Pdu { request_id: 9, operation: Operation::Get, bindings }
}

fn opened(datagram: &[u8], keys: &LocalKeys) -> Option<Pdu> {
    let view = View::parse(datagram).ok()?;
    if view.header().level != SecurityLevel::Plain && !view.is_authentic(keys) {
        return None;
    }
    view.open(keys).ok()?.scoped().ok()?.to_pdu().ok()
}

#[test]
fn every_combination_of_protocols_opens_what_it_sealed_and_nothing_else() {
    let scope = Scope { engine_id: ENGINE, name: b"context" };
    let stranger = user(Some(AuthProtocol::Sha256), Some(PrivacyProtocol::Aes128));
    let stranger = stranger.localize(b"another engine");
    for auth in AuthProtocol::ALL {
        let privacies = PrivacyProtocol::ALL.into_iter().map(Some).chain([None]);
        for privacy in privacies {
            let user = user(Some(auth), privacy);
            let keys = user.localize(ENGINE);
            for names in [0, 1, 5, 50] {
                let sealed = seal(&header(user.level(), 3, 77), &scope, &pdu(names), &keys, 5);
                assert_eq!(opened(&sealed, &keys), Some(pdu(names)), "{auth} {privacy:?}");
                assert_eq!(opened(&sealed, &stranger), None, "{auth} {privacy:?}");
                let is_readable = sealed.windows(7).any(|window| window == b"context");
                assert_eq!(is_readable, privacy.is_none());
            }
        }
    }
}

#[test]
fn equal_messages_look_different_with_another_salt_time_or_boots() {
    let scope = Scope { engine_id: ENGINE, name: b"" };
    for privacy in PrivacyProtocol::ALL {
        let user = user(Some(AuthProtocol::Sha1), Some(privacy));
        let keys = user.localize(ENGINE);
        let tail = |boots, time, salt| {
            let sealed = seal(&header(user.level(), boots, time), &scope, &pdu(9), &keys, salt);
            sealed[sealed.len() - 64..].to_vec()
        };
        assert_eq!(tail(1, 1, 1), tail(1, 1, 1));
        assert_ne!(tail(1, 1, 1), tail(1, 1, 2));
        assert_ne!(tail(1, 1, 1), tail(2, 1, 1));
        if privacy != PrivacyProtocol::Des {
            assert_ne!(tail(1, 1, 1), tail(1, 2, 1));
        }
    }
}

#[test]
fn what_cannot_be_a_message_is_refused_with_its_place() {
    let scope = Scope { engine_id: ENGINE, name: b"" };
    let sealed =
        seal(&header(SecurityLevel::Plain, 1, 1), &scope, &pdu(1), &LocalKeys::default(), 0);
    let error = |at: usize, octet: u8| {
        let mut changed = sealed.clone();
        changed[at] = octet;
        View::parse(&changed).unwrap_err().to_string()
    };
    assert_eq!(error(4, 2), "at byte 2: expected version 3, found the number 2");
    let flags = sealed.windows(3).position(|window| window == [4, 1, 4]).unwrap() + 2;
    assert_eq!(
        error(flags, 2),
        format!("at byte {flags}: expected authentication of what is encrypted, found octet 0x02")
    );
    assert_eq!(
        error(flags + 3, 1),
        format!(
            "at byte {}: expected the user-based security model (3), found the number 1",
            flags + 1
        )
    );
    let refused = error(flags, 3);
    assert!(refused.contains("expected an encrypted PDU, found tag 0x30"), "{refused}");
    let user = user(Some(AuthProtocol::Md5), Some(PrivacyProtocol::Des));
    let keys = user.localize(ENGINE);
    let mut sealed = seal(&header(user.level(), 1, 1), &scope, &pdu(1), &keys, 0);
    sealed[flags] = 5;
    let refused = View::parse(&sealed).unwrap_err().to_string();
    assert!(refused.contains("expected a scoped PDU in the clear, found tag 0x04"), "{refused}");
    sealed[flags] = 7;
    let error = View::parse(&sealed).unwrap().open(&LocalKeys::default()).err().unwrap();
    assert!(error.to_string().contains("expected a PDU that is not encrypted"), "{error}");
}

#[test]
fn a_user_that_cannot_be_is_refused_without_its_secret() {
    let make = |auth: &str, privacy: Option<Key>| {
        let authentication =
            Some(Authentication { protocol: AuthProtocol::Sha256, key: password(auth) });
        let privacy = privacy.map(|key| Privacy { protocol: PrivacyProtocol::Aes256, key });
        User::new(b"monitor", authentication, privacy)
    };
    let empty = make("", None).unwrap_err();
    assert_eq!(empty.to_string(), "the authentication password of user monitor is empty");
    let key = Key::Localized(Secret::new(*b"sixteen bytes !!"));
    assert_eq!(
        make("longenough", Some(key)).unwrap_err().to_string(),
        "the privacy key of user monitor has 16 bytes; AES-256 needs 32"
    );
    assert_eq!(User::new(b"", None, None).unwrap_err(), UserError::Name { bytes: 0 });
    let privacy = Privacy { protocol: PrivacyProtocol::Des, key: password("privacysecret") };
    let error = User::new(b"monitor", None, Some(privacy.clone())).unwrap_err();
    assert!(error.to_string().contains("none for authentication"), "{error}");
    let user = make("longenough", Some(password("privacysecret"))).unwrap();
    let shown = format!("{user:?} {:?} {privacy:?}", user.localize(ENGINE));
    assert_eq!(
        shown,
        "User(monitor, authPriv) LocalKeys(..) \
         Privacy { protocol: Des, key: Password(Secret(..)) }"
    );
}

proptest! {
    #[test]
    fn sealing_then_opening_is_identity(
        protocols in (0..7usize, 0..7usize),
        boots in 0..=i32::MAX as u32,
        time in 0..=i32::MAX as u32,
        salt in any::<u64>(),
        names in 0..40u32,
        context in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let (auth, privacy) = protocols;
        let auth = AuthProtocol::ALL.get(auth).copied();
        let privacy = PrivacyProtocol::ALL.get(privacy).copied().filter(|_| auth.is_some());
        let user = user(auth, privacy);
        let keys = user.localize(ENGINE);
        let header = header(user.level(), boots, time);
        let scope = Scope { engine_id: ENGINE, name: &context };
        let sealed = seal(&header, &scope, &pdu(names), &keys, salt);
        let view = View::parse(&sealed).unwrap();
        prop_assert_eq!(view.header(), header);
        prop_assert_eq!(view.is_authentic(&keys), auth.is_some());
        let text = view.open(&keys).unwrap();
        let scoped = text.scoped().unwrap();
        prop_assert_eq!(scoped.scope(), scope);
        prop_assert_eq!(scoped.to_pdu().unwrap(), pdu(names));
    }

    #[test]
    fn hostile_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        let keys = user(Some(AuthProtocol::Md5), Some(PrivacyProtocol::Des)).localize(ENGINE);
        let framed = [&[0x30, bytes.len() as u8, 2, 1, 3][..], &bytes].concat();
        for datagram in [&bytes, &framed] {
            match View::parse(datagram) {
                Ok(view) => prop_assert!(!view.is_authentic(&keys)),
                Err(error) => prop_assert!(error.offset_bytes <= datagram.len()),
            }
        }
    }
}
