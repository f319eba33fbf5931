//! What the status tells of alerts, and of those to whom they are posted.

/// Alerts, and who takes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alerting {
    /// Limits that are broken at present.
    pub standing: u64,
    /// How often a broken limit became no alert, because too many stood.
    pub without_room: u64,
    /// To whom they are posted.
    pub receivers: Vec<AlertReceiver>,
}

/// An Alertmanager or a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertReceiver {
    /// `alertmanager` or `webhook`.
    pub kind: &'static str,
    /// The beginning of its URL, up to the port.
    pub address: String,
    /// Whether it took the last post.
    pub is_up: bool,
    /// Alerts that it took, again or for the first time.
    pub sent: u64,
    /// Posts that failed and are tried again.
    pub posts_failed: u64,
    /// Alerts that it refused.
    pub refused: u64,
    /// Alerts that ended and of whose end it could not be told in time.
    pub ends_untold: u64,
}
