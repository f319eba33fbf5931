//! rrdtool's fetch of a day in pipe mode.

use std::path::Path;
use std::time::Instant;

use oracle::{Reply, Rrdtool};
use testbed::Caches;

use super::PeerBench;
use crate::figures::median;
use crate::store::scenario::random_rrds;

/// The median seconds of a fetch, cold (if caches may be dropped) and hot.
pub(crate) fn measure(bench: &PeerBench<'_>, rrdtool: &Path) -> Result<(Option<f64>, f64), String> {
    let mut pipe = Rrdtool::start(rrdtool, &bench.files.directory);
    let rrds = random_rrds(bench.options.fetches, bench.options.peer_rrds);
    let mut cold = Vec::new();
    for rrd in &rrds {
        bench.options.caches.drop(&bench.files.directory)?;
        cold.push(one(bench, &mut pipe, *rrd)?);
    }
    let mut hot = Vec::new();
    for rrd in &rrds {
        one(bench, &mut pipe, *rrd)?;
        hot.push(one(bench, &mut pipe, *rrd)?);
    }
    let was_cold = bench.options.caches == Caches::Drop;
    Ok((was_cold.then(|| median(&cold)), median(&hot)))
}

fn one(bench: &PeerBench<'_>, pipe: &mut Rrdtool, rrd: u64) -> Result<f64, String> {
    let end_seconds = bench.files.now_seconds();
    let name = bench.files.workload.name(rrd);
    let command = format!("fetch {name} AVERAGE -s {} -e {end_seconds}", end_seconds - 86_400);
    let begun = Instant::now();
    match pipe.send(&command) {
        Reply::Ok(_) => Ok(begun.elapsed().as_secs_f64()),
        Reply::Error(message) => Err(format!("{command}: {message}")),
    }
}
