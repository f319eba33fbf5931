//! What a series is called, whatever the protocol.

use std::borrow::Cow;

use crate::influx::{parted, unescaped};
use crate::sent::{Form, Series, VALUE};

/// The name of a series and its labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Identity {
    /// Graphite's path or the name before its tags; Prometheus' metric; `measurement_field` of
    /// Influx, `measurement` of its field `value`; `host/plugin-instance/type-instance` of collectd.
    pub name: String,
    /// Names and values of its labels, sorted by name, each name once, no value empty.
    pub labels: Vec<(String, String)>,
}

/// The label that holds a metric's name in Prometheus' data model.
const METRIC_NAME: &str = "__name__";

impl Identity {
    /// An identity from labels in any order. Of two with the same name the last one counts; those
    /// with an empty value are left out.
    #[must_use]
    pub fn new<'a>(
        name: impl Into<String>,
        labels: impl IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>,
    ) -> Self {
        let mut all: Vec<(String, String)> = Vec::new();
        for (name, value) in labels {
            match all.binary_search_by(|(other, _)| other.as_str().cmp(&name)) {
                Ok(at) => all[at].1 = value.into_owned(),
                Err(at) => all.insert(at, (name.into_owned(), value.into_owned())),
            }
        }
        all.retain(|(_, value)| !value.is_empty());
        Self { name: name.into(), labels: all }
    }
}

impl Series<'_> {
    /// What the series is called.
    #[must_use]
    pub fn identity(&self) -> Identity {
        match *self {
            Self::Graphite(text) => graphite(text),
            Self::Influx { key, field } => influx(key, field),
            Self::Labels(labels) => {
                let is_name = |(name, _): &&(&str, &str)| *name == METRIC_NAME;
                let name = labels.iter().rfind(is_name).map_or("", |(_, value)| value);
                let others = labels.iter().filter(|label| !is_name(label));
                Identity::new(name, others.map(|(name, value)| ((*name).into(), (*value).into())))
            }
            Self::Collectd { host, plugin, kind } => {
                let parts = [(host, ""), plugin, kind].map(|(text, instance)| part(text, instance));
                Identity { name: parts.join("/"), labels: Vec::new() }
            }
        }
    }

    /// How its name becomes that of a database.
    #[must_use]
    pub fn form(&self) -> Form {
        match self {
            Self::Graphite(text) if !text.contains(';') => Form::Path,
            Self::Collectd { .. } => Form::File,
            _ => Form::Labelled,
        }
    }
}

fn graphite(text: &str) -> Identity {
    let mut parts = text.split(';');
    let name = parts.next().unwrap_or_default();
    // What is no tag has no name, so that nothing is called after it.
    let labels = parts.map(|part| part.split_once('=').unwrap_or(("", part)));
    Identity::new(name, labels.map(|(name, value)| (name.into(), value.into())))
}

fn influx(key: &str, field: &str) -> Identity {
    let (measurement, tags) = parted(key, b',').unwrap_or((key, ""));
    let mut name = unescaped(measurement).into_owned();
    if field != VALUE {
        name.push('_');
        name += &unescaped(field);
    }
    let mut rest = tags;
    let labels = std::iter::from_fn(|| {
        let (tag, behind) = parted(rest, b',').unwrap_or((rest, ""));
        rest = behind;
        (!tag.is_empty()).then(|| parted(tag, b'=').unwrap_or((tag, "")))
    });
    Identity::new(name, labels.map(|(name, value)| (unescaped(name), unescaped(value))))
}

/// A part of a name of collectd's files, as its own writers of files make it: a slash would lead
/// into another directory.
fn part(text: &str, instance: &str) -> String {
    let mut whole = match instance {
        "" => text.to_owned(),
        instance => format!("{text}-{instance}"),
    };
    if whole.contains(|letter: char| letter == '/' || letter.is_control()) {
        let plain = |letter: char| if letter == '/' || letter.is_control() { '_' } else { letter };
        whole = whole.chars().map(plain).collect();
    }
    if whole.starts_with('.') {
        whole.replace_range(..1, "_");
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(series: Series<'_>) -> String {
        let Identity { name, labels } = series.identity();
        let labels = labels.iter().map(|(name, value)| format!(";{name}={value}"));
        name + &labels.collect::<String>()
    }

    #[test]
    fn each_protocol_names_in_its_own_way() {
        assert_eq!(shown(Series::Graphite("a.b;z=1;k=v;e=;z=2")), "a.b;k=v;z=2");
        let field = |field| shown(Series::Influx { key: r"cpu\ x,host=a\,b,dc=1", field });
        assert_eq!(field("idle"), "cpu x_idle;dc=1;host=a,b");
        assert_eq!(field("value"), "cpu x;dc=1;host=a,b");
        let labels = [("job", "j"), ("__name__", "up"), ("instance", "h:1")];
        assert_eq!(shown(Series::Labels(&labels)), "up;instance=h:1;job=j");
        let (plugin, kind) = (("df", "/mnt/a"), ("df_complex", ""));
        assert_eq!(shown(Series::Collectd { host: ".h", plugin, kind }), "_h/df-_mnt_a/df_complex");
    }

    #[test]
    fn other_series_have_other_keys() {
        let all = [
            Series::Graphite("a"),
            Series::Influx { key: "a", field: "b" },
            Series::Influx { key: "ab", field: "" },
            Series::Labels(&[("a", "b")]),
            Series::Labels(&[("a", ""), ("b", "")]),
            Series::Collectd { host: "a", plugin: ("b", ""), kind: ("", "") },
            Series::Collectd { host: "a", plugin: ("", "b"), kind: ("", "") },
        ];
        let keys = all.map(|series| {
            let mut key = Vec::new();
            series.write_key(&mut key);
            key
        });
        for (nth, key) in keys.iter().enumerate() {
            assert!(!keys[..nth].contains(key), "{:?}", all[nth]);
        }
    }
}
