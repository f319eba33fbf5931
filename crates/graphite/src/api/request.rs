//! What `/render` is asked for.

use jiff::tz::TimeZone;

use super::parameters::Parameters;
use crate::at_time::time;
use crate::{Error, Setting};

/// The form of an answer of `/render`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Csv,
    Raw,
    Png,
    Svg,
    Pdf,
}

/// What `/render` is asked for.
pub(super) struct Request<'a> {
    pub(super) targets: Vec<&'a str>,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) now: i64,
    pub(super) zone: TimeZone,
    pub(super) format: Format,
    pub(super) points_max: Option<u64>,
    pub(super) without_unknown: bool,
    pub(super) x_files_factor: f64,
}

impl<'a> Request<'a> {
    pub(super) fn read(parameters: &'a Parameters, setting: &Setting<'_>) -> Result<Self, Error> {
        parameters.check_no_script()?;
        check_graph_type(parameters)?;
        let zone = zone(parameters, setting)?;
        let now = match parameters.get("now") {
            Some(text) => time(text, setting.now_seconds, &zone)?,
            None => setting.now_seconds,
        };
        let from = time(parameters.get("from").unwrap_or("-1d"), now, &zone)?;
        let until = time(parameters.get("until").unwrap_or("now"), now, &zone)?;
        if from == until {
            let found = parameters.get("from").unwrap_or_default().to_owned();
            let expected = "another time than until";
            return Err(Error::Parameter { name: "from", expected, found });
        }
        Ok(Self {
            targets: parameters
                .all("target")
                .into_iter()
                .filter(|it| !it.trim().is_empty())
                .collect(),
            start: from.min(until),
            end: from.max(until),
            now,
            zone,
            format: format(parameters)?,
            points_max: points_max(parameters)?,
            without_unknown: parameters.get("noNullPoints").is_some(),
            x_files_factor: parameters
                .number("xFilesFactor", "a number from 0 to 1")?
                .unwrap_or(0.0),
        })
    }
}

pub(super) fn zone(parameters: &Parameters, setting: &Setting<'_>) -> Result<TimeZone, Error> {
    let Some(name) = parameters.get("tz").filter(|it| !it.is_empty()) else {
        return Ok(setting.zone.clone());
    };
    (setting.zone_named)(name).ok_or_else(|| Error::Parameter {
        name: "tz",
        expected: "a time zone as Europe/Berlin",
        found: name.to_owned(),
    })
}

fn check_graph_type(parameters: &Parameters) -> Result<(), Error> {
    match parameters.get("graphType") {
        None | Some("line") => Ok(()),
        Some(other) => {
            Err(Error::Parameter { name: "graphType", expected: "line", found: other.to_owned() })
        }
    }
}

fn format(parameters: &Parameters) -> Result<Format, Error> {
    let default = if parameters.get("rawData").is_some() { "raw" } else { "png" };
    match parameters.get("format").unwrap_or(default) {
        "json" => Ok(Format::Json),
        "csv" => Ok(Format::Csv),
        "raw" => Ok(Format::Raw),
        "png" | "" => Ok(Format::Png),
        "svg" => Ok(Format::Svg),
        "pdf" => Ok(Format::Pdf),
        other => Err(Error::Parameter {
            name: "format",
            expected: "json, csv, raw, png, svg or pdf",
            found: other.to_owned(),
        }),
    }
}

fn points_max(parameters: &Parameters) -> Result<Option<u64>, Error> {
    let expected = "a whole number above 0";
    match parameters.number("maxDataPoints", expected)? {
        Some(0) => Err(Error::Parameter { name: "maxDataPoints", expected, found: "0".into() }),
        other => Ok(other),
    }
}
