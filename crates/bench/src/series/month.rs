//! A month of many databases, every row of five minutes, by one request.

use std::ops::ControlFlow;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Instant;

use remote::Remote;
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Stretch};
use serde_json::json;
use store::{Store, Wanted};

use super::victoria::Victoria;
use super::{Bench, ingest};
use crate::daemon::{Load, Manner, Place, Subject, Sync, create_ring, first_cycle};
use crate::report::{Report, Row};
use crate::workload::{DAY_CYCLES, Layout, STEP_SECONDS, THREADS, Workload, cycle_seconds};

/// The cycles of a month of 30 days.
const MONTH_CYCLES: u64 = 30 * DAY_CYCLES;
/// Those before it, so that its first row is known.
const EARLIER_CYCLES: u64 = 2;

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let rrds = bench.options.month_rrds;
    let workload = Workload { rrds, layout: Layout::Month };
    let place = Place::make(bench.inside, "month")?;
    create_ring(&place, &workload)?;
    let daemon = Subject::Ring(Sync::Always).start(&place, None)?;
    let cycles = EARLIER_CYCLES + MONTH_CYCLES + 1;
    let lines = bench.options.batch_lines;
    let manner = Manner::Batches { cycles, lines, connections: THREADS };
    Load { socket: place.socket(), rrds, first_cycle: first_cycle(), manner }.send()?;
    let victoria = match &bench.victoria {
        None => None,
        Some(program) => Some(filled(bench, program, workload, cycles)?),
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..bench.options.rounds {
        ours.push(of_gyre(&place, &workload)?);
        if let Some(server) = &victoria {
            theirs.push(of_victoria(server, rrds)?);
        }
    }
    drop(daemon);
    let values = rrds * 2 * MONTH_CYCLES;
    let what = format!("month of {} databases, one request", ::figures::count(rrds));
    let row = match victoria {
        None => Row::of_rounds(what, "s", &ours),
        Some(_) => Row::of_turns(what, "s", "victoria-metrics", &[theirs.clone(), ours.clone()]),
    };
    report.row(row.times(3.0).note(format!(
        "{} values; gyre's are in memory as numbers, those of /api/v1/export as JSON",
        ::figures::count(values)
    )));
    report.raw("month", json!({ "gyre": ours, "victoria-metrics": theirs }));
    Ok(())
}

fn filled(
    bench: &Bench<'_>,
    program: &Path,
    workload: Workload,
    cycles: u64,
) -> Result<Victoria, String> {
    let server = Victoria::start(program, &bench.inside.join("victoria-month"))?;
    let first = first_cycle();
    ingest::send(&server, workload, first..first + cycles, bench.options.batch_lines)?;
    server.flush()?;
    Ok(server)
}

/// The month's start and end, seconds.
fn month_seconds() -> (i64, i64) {
    let start = cycle_seconds(first_cycle() + EARLIER_CYCLES);
    (start, start + MONTH_CYCLES as i64 * STEP_SECONDS)
}

/// Returns the seconds.
fn of_gyre(place: &Place, workload: &Workload) -> Result<f64, String> {
    let (start_seconds, end_seconds) = month_seconds();
    let cf = ConsolidationFunction::Average;
    let step_seconds = STEP_SECONDS as u64;
    let query = Query { tick: rrd::Tick::SECOND, cf, start_seconds, end_seconds, step_seconds };
    let names: Vec<PathBuf> = (0..workload.rrds).map(|rrd| workload.name(rrd).into()).collect();
    let wanted: Vec<Wanted<'_>> = names.iter().map(|name| Wanted { name, query }).collect();
    let socket = place.socket();
    let stream = UnixStream::connect(&socket).map_err(|error| error.to_string())?;
    let store = Remote::over(stream, socket);
    let begun = Instant::now();
    let mut known = Ok(0);
    let mut count = |_, answer: Result<Stretch, store::Error>| match answer {
        Ok(stretch) => {
            let of_one = stretch.held.iter().filter(|value| value.is_finite()).count();
            known = known.clone().map(|known| known + of_one as u64);
            ControlFlow::Continue(())
        }
        Err(error) => {
            known = Err(error.to_string());
            ControlFlow::Break(())
        }
    };
    store.fetch_many(&wanted, &mut count).map_err(|error| error.to_string())?;
    let seconds = begun.elapsed().as_secs_f64();
    let known = known?;
    let values = workload.rrds * 2 * MONTH_CYCLES;
    if known < values / 10 * 9 {
        return Err(format!("{known} of {values} values are known"));
    }
    Ok(seconds)
}

/// Returns the seconds.
fn of_victoria(server: &Victoria, rrds: u64) -> Result<f64, String> {
    let (start, end) = month_seconds();
    let series = "match%5B%5D=%7B__name__%3D~%22mrtg_.%2A%22%7D";
    let begun = Instant::now();
    let text = server.get(&format!("/api/v1/export?{series}&start={start}&end={end}"))?;
    let seconds = begun.elapsed().as_secs_f64();
    let count = |byte| text.iter().filter(|it| **it == byte).count() as u64;
    let (lines, commas) = (count(b'\n'), count(b','));
    // Each value has a time, and a comma stands behind each of both.
    if lines != rrds * 2 || commas < rrds * 2 * MONTH_CYCLES * 2 / 10 * 9 {
        return Err(format!("{lines} series with {commas} commas were exported"));
    }
    Ok(seconds)
}
