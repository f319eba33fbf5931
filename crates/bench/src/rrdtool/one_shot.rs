//! `rrdtool update` by a process of its own, as in shell scripts or cron.

use std::process::Stdio;
use std::time::Instant;

use super::files::Files;
use super::{Pair, run};
use crate::report::Row;

pub(super) const NAME: &str = "one-shot";
/// The required multiple of rrdtool's rate.
const TARGET: f64 = 1.0;

/// Starts both programs alternately, `count` times each; the rate is that of processes.
pub(super) fn measure(pair: &Pair, files: &Files, count: usize) -> Result<Row, String> {
    let mut seconds: [Vec<f64>; 2] = Default::default();
    for nth in 0..count {
        let (file, sample) = files.one_update(nth);
        for (who, seconds) in seconds.iter_mut().enumerate() {
            let mut command = run(&pair.programs[who], &pair.directories[who]);
            command.args(["update", &file, &sample]).stdin(Stdio::null());
            let start = Instant::now();
            let status = command.status().map_err(|error| error.to_string())?;
            seconds.push(start.elapsed().as_secs_f64());
            if !status.success() {
                return Err(format!("update {file} {sample}: {status}"));
            }
        }
    }
    let rates = seconds.map(|all| all.iter().map(|seconds| 1.0 / seconds).collect());
    Ok(Row::of_turns("one-shot update", "/s", "rrdtool", &rates).times(TARGET))
}
