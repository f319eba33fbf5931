//! Where alerts are posted, as the command line says it.

use std::fmt;
use std::path::PathBuf;

use ureq::http::Uri;

/// What takes alerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReceiverKind {
    /// An Alertmanager, by its API.
    Alertmanager,
    /// What would get the messages of an Alertmanager.
    Webhook,
}

impl ReceiverKind {
    /// Its name in metrics.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Alertmanager => "alertmanager",
            Self::Webhook => "webhook",
        }
    }
}

/// Where alerts are posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReceiverPlace {
    pub(super) kind: ReceiverKind,
    /// Where they are posted to. What stands behind the host may be a secret.
    pub(super) url: String,
    /// Its beginning, up to the host and port.
    pub(super) origin: String,
    /// The file that says how to log in.
    pub(super) authorization: Option<PathBuf>,
    /// The file of authorities that it is trusted by, in place of those of the machine.
    pub(super) authorities: Option<PathBuf>,
}

/// Why a text says no place. It does not show the text, in which may be a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PlaceMisuse {
    #[error("expected http://HOST or https://HOST, perhaps with a port and a path")]
    Form,
    #[error(
        "expected no user in it, who would be seen in lists of processes; --alert-auth names a \
             file for that"
    )]
    User,
    #[error("expected the address of an Alertmanager, before /api, without `?`")]
    Query,
}

impl ReceiverPlace {
    /// The place that a URL names.
    pub(crate) fn new(kind: ReceiverKind, text: &str) -> Result<Self, PlaceMisuse> {
        let url: Uri = text.parse().map_err(|_| PlaceMisuse::Form)?;
        let (Some(scheme @ ("http" | "https")), Some(authority)) =
            (url.scheme_str(), url.authority().filter(|it| !it.host().is_empty()))
        else {
            return Err(PlaceMisuse::Form);
        };
        if authority.as_str().contains('@') {
            return Err(PlaceMisuse::User);
        }
        let origin = format!("{scheme}://{authority}");
        let url = match kind {
            ReceiverKind::Webhook => text.to_owned(),
            ReceiverKind::Alertmanager if url.query().is_some() => return Err(PlaceMisuse::Query),
            ReceiverKind::Alertmanager => {
                let path = url.path().trim_end_matches('/');
                format!("{origin}{path}{}", thresholds::alerts::alertmanager::PATH)
            }
        };
        Ok(Self { kind, url, origin, authorization: None, authorities: None })
    }

    /// The same, reached as these files say.
    pub(crate) fn with(self, authorization: Option<PathBuf>, authorities: Option<PathBuf>) -> Self {
        Self { authorization, authorities, ..self }
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.origin.starts_with("https:")
    }
}

impl fmt::Display for ReceiverPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ReceiverKind::Alertmanager => "Alertmanager",
            ReceiverKind::Webhook => "the webhook",
        };
        write!(f, "{kind} at {}", self.origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alertmanager_may_be_below_a_path_and_no_url_names_a_user() {
        let url = |kind, text| ReceiverPlace::new(kind, text).map(|place| place.url);
        let own = |text| url(ReceiverKind::Alertmanager, text);
        assert_eq!(own("http://a:9093").unwrap(), "http://a:9093/api/v2/alerts");
        assert_eq!(own("https://[::1]/am/").unwrap(), "https://[::1]/am/api/v2/alerts");
        assert_eq!(own("http://a/?b=c").unwrap_err(), PlaceMisuse::Query);
        assert_eq!(own("http://u:p@a/").unwrap_err(), PlaceMisuse::User);
        for text in ["", "a:9093", "ftp://a", "http://", "http:///x", "http://a b", "/a"] {
            assert_eq!(own(text).unwrap_err(), PlaceMisuse::Form, "{text}");
        }
        let hook = ReceiverPlace::new(ReceiverKind::Webhook, "https://h:1/secret?x=y").unwrap();
        assert_eq!(hook.url, "https://h:1/secret?x=y");
        assert_eq!(hook.to_string(), "the webhook at https://h:1");
    }
}
