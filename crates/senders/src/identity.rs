//! What a series is called, whatever the protocol.

/// The name of a series and its labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Identity {
    /// Graphite's path or the name before its tags; Prometheus' metric; `measurement_field` of
    /// Influx; `host/plugin-instance/type-instance` of collectd.
    pub name: String,
    /// Names and values of its labels, sorted by name, each name once, no value empty.
    pub labels: Vec<(String, String)>,
}
