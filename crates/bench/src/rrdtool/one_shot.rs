//! `rrdtool update` by a process of its own, as in shell scripts or cron.

use std::process::Stdio;
use std::time::Instant;

use super::files::Files;
use super::{Figures, Pair, run};

pub(super) const NAME: &str = "one-shot";

/// Starts both programs alternately, `count` times each; the rates are processes a second.
pub(super) fn measure(pair: &Pair, files: &Files, count: usize) -> Result<Figures, String> {
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
    Ok(Figures {
        name: NAME,
        commands: count,
        rates: seconds.map(|seconds| 1.0 / crate::update::median(seconds.into_iter())),
        user_micros: [f64::NAN; 2],
        system_micros: [f64::NAN; 2],
        calls: [None; 2],
        target: 1.0,
    })
}
