//! Glue to a live rrdtool: data by `rrdtool fetch`, answers of `rrdtool graphv`.

use std::collections::BTreeMap;
use std::process::Command;

use graph::SeriesRequest;
use rrd::{Series, Stretch};

/// What a run of rrdtool said on stdout, or its error.
pub(crate) fn rrdtool(arguments: &[String]) -> Result<String, String> {
    let output = Command::new("rrdtool")
        .args(arguments)
        .env("TZ", "UTC")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .map_err(|error| error.to_string())?;
    let error = String::from_utf8_lossy(&output.stderr);
    match error.lines().find_map(|line| line.strip_prefix("ERROR: ")) {
        Some(words) => Err(words.to_owned()),
        None => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
    }
}

/// Answers a request by `rrdtool fetch`.
pub(crate) fn fetch(request: &SeriesRequest) -> Result<Stretch, String> {
    let query = request.query_in_seconds();
    let arguments = [
        "fetch".into(),
        request.rrd.clone(),
        request.cf.to_string(),
        "--start".into(),
        query.start_seconds.to_string(),
        "--end".into(),
        query.end_seconds.to_string(),
        "--resolution".into(),
        query.step_seconds.to_string(),
    ];
    let text = rrdtool(&arguments)?;
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let header = lines.next().unwrap_or("");
    let source_names: Vec<String> = header.split_whitespace().map(str::to_owned).collect();
    let mut times: Vec<i64> = Vec::new();
    let mut values = Vec::new();
    for line in lines {
        let (time, row) = line.split_once(':').ok_or(line)?;
        times.push(time.trim().parse().map_err(|_| line)?);
        for value in row.split_whitespace() {
            values.push(value.parse::<f64>().map_err(|_| line)?);
        }
    }
    let step = match times[..] {
        [first, second, ..] => second - first,
        _ => query.step_seconds as i64,
    };
    let first = times.first().copied().unwrap_or(query.end_seconds);
    let last = times.last().copied().unwrap_or(first);
    Ok(Stretch::from(Series {
        tick: rrd::Tick::SECOND,
        start_seconds: first - step,
        end_seconds: last,
        step_seconds: step as u64,
        source_names,
        values,
    }))
}

/// `key = value` lines of `rrdtool graphv`.
pub(crate) fn graphv(file: &str, arguments: &[String]) -> Result<BTreeMap<String, String>, String> {
    let mut command = vec!["graphv".to_owned(), file.to_owned()];
    command.extend_from_slice(arguments);
    let text = rrdtool(&command)?;
    let pairs = text.lines().filter_map(|line| line.split_once(" = "));
    Ok(pairs.map(|(key, value)| (key.to_owned(), value.trim_matches('"').to_owned())).collect())
}
