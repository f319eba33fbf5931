//! `rrdtool update` and `rrdtool graph` by processes of their own, as in shell scripts or cron.

use std::process::Stdio;
use std::time::Instant;

use super::files::Files;
use super::{Pair, run};
use crate::report::Row;

pub(super) const NAME: &str = "one-shot";

/// Starts both programs alternately; the rates are those of processes. There are a quarter as many
/// graphs as updates.
pub(super) fn measure(pair: &Pair, files: &Files, count: usize) -> Result<[Row; 2], String> {
    let update = rates(pair, count, |nth| files.one_update(nth))?;
    let graph = rates(pair, count.div_ceil(4), |nth| files.one_graph(nth))?;
    Ok([
        Row::of_turns("one-shot update", "/s", "rrdtool", &update).times(1.0),
        Row::of_turns("one-shot graph of a day, PNG", "/s", "rrdtool", &graph).times(3.0),
    ])
}

fn rates(
    pair: &Pair,
    count: usize,
    words: impl Fn(usize) -> Vec<String>,
) -> Result<[Vec<f64>; 2], String> {
    let mut rates: [Vec<f64>; 2] = Default::default();
    for nth in 0..count {
        let words = words(nth);
        for (who, rates) in rates.iter_mut().enumerate() {
            let mut command = run(&pair.programs[who], &pair.directories[who]);
            command.args(&words).stdin(Stdio::null()).stdout(Stdio::null());
            let start = Instant::now();
            let status = command.status().map_err(|error| error.to_string())?;
            rates.push(1.0 / start.elapsed().as_secs_f64());
            if !status.success() {
                return Err(format!("{}: {status}", words.join(" ")));
            }
        }
    }
    Ok(rates)
}
