//! The options that say to whom alerts are posted.

use std::path::PathBuf;

use options::{Misuse, Value};

use super::super::alarms::{ReceiverKind, ReceiverPlace};

/// The places so far, and what holds for those that follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Receivers {
    pub(super) places: Vec<ReceiverPlace>,
    authorization: Option<PathBuf>,
    authorities: Option<PathBuf>,
    /// The last of these options that no place follows.
    unused: Option<&'static str>,
}

impl Receivers {
    pub(super) fn add(&mut self, kind: ReceiverKind, value: &Value) -> Result<(), Misuse> {
        let place = ReceiverPlace::new(kind, value.text()?);
        let place = place.map_err(|misuse| value.unusable(misuse))?;
        let (authorization, authorities) = (self.authorization.clone(), self.authorities.clone());
        self.places.push(place.with(authorization, authorities));
        self.unused = None;
        Ok(())
    }

    pub(super) fn authorize_by(&mut self, value: Value) {
        self.authorization = Some(value.path());
        self.unused = Some("--alert-auth");
    }

    pub(super) fn trust(&mut self, value: Value) {
        self.authorities = Some(value.path());
        self.unused = Some("--alert-ca");
    }

    /// Whether each option holds for a place.
    pub(super) fn check(&self) -> Result<(), Misuse> {
        let Some(option) = self.unused else { return Ok(()) };
        let words = format!(
            "{option} holds for each --alertmanager and --webhook that follows, and none follows"
        );
        Err(Misuse::unfit(words))
    }
}

/// Where others reach the web pages: links begin with it, so it has no slash at its end.
pub(super) fn web_url(value: &Value) -> Result<String, Misuse> {
    let place = ReceiverPlace::new(ReceiverKind::Webhook, value.text()?);
    place
        .map_err(|_| value.wrong("http://HOST or https://HOST, perhaps with a port and a path"))?;
    Ok(value.text()?.trim_end_matches('/').to_owned())
}
