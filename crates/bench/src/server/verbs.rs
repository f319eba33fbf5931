//! Verbs of the pipe mode: on a store that another process serves, compared with a store that the
//! pipe mode has open itself.

use std::path::Path;

use serde_json::json;

use super::Bench;
use crate::daemon::{Place, Subject, Sync, create_ring, first_cycle};
use crate::figures::median;
use crate::pipe::Pipe;
use crate::report::{Report, Row};
use crate::workload::{STEP_SECONDS, Workload, cycle_seconds};

/// The size of a fetch: a day in MRTG's layout.
const FETCHED_ROWS: i64 = 288;
const PICTURE: &str = "-s {start} -e {end} -w 400 -h 100 DEF:i={rrd}:ds0:AVERAGE \
                       DEF:o={rrd}:ds1:AVERAGE CDEF:b=i,8,* AREA:b#00cc00:In LINE1:o#0000ff:Out \
                       GPRINT:b:MAX:%6.2lf";
/// The longest additional time for one update through a server.
const SINGLE_MORE_US: f64 = 30.0;

/// One of the two stores, and its pipe mode.
struct Side {
    pipe: Pipe,
    place: Place,
}

/// Both stores, with the same content.
struct Pair {
    own: Side,
    served: Side,
    workload: Workload,
    /// The next cycle that neither store has had.
    cycle: u64,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let rrds = bench.options.few_rrds;
    let side = |name| {
        let place = Place::make(bench.inside, name)?;
        create_ring(&place, &Workload::mrtg(rrds))?;
        let pipe = Pipe::start(&bench.gyre, bench.inside)?;
        Ok::<_, String>(Side { pipe, place })
    };
    let (own, served) = (side("own")?, side("served")?);
    let _server = Subject::Ring(Sync::Always).start(&served.place, None)?;
    let workload = Workload::mrtg(rrds);
    let mut pair = Pair { own, served, workload, cycle: first_cycle() };
    for _ in 0..bench.options.history_cycles {
        pair.updates("update", rrds)?;
    }
    let rounds = bench.options.rounds;
    let us = |seconds: f64, count: u64| seconds * 1e6 / count as f64;

    let batches: Vec<_> =
        (0..rounds.div_ceil(10)).map(|_| pair.updates("update", rrds)).collect::<Result<_, _>>()?;
    let [own, served] = medians(&batches).map(|seconds| us(seconds, rrds));
    let what = format!("updates sent without waiting, {} a round", ::figures::count(rrds));
    report.row(row(&what, own, served).at_most(1.3 * own));
    let watched: Vec<_> = (0..rounds.div_ceil(10))
        .map(|_| pair.updates("updatev", rrds))
        .collect::<Result<_, _>>()?;
    let figure = us(medians(&watched)[0], rrds);
    let row_of_updatev = Row::new("updatev, closed store", "us", figure);
    report.row(row_of_updatev.at_most(1.1 * own).beside([("update", own)]));

    let single: Vec<_> =
        (0..rounds).map(|_| pair.updates("update", 1)).collect::<Result<_, _>>()?;
    let [own, served] = medians(&single).map(|seconds| us(seconds, 1));
    report.row(row("an update that is waited for", own, served).at_most(own + SINGLE_MORE_US));

    let fetch = |rrd: &str, end: i64| {
        format!("fetch {rrd} AVERAGE -s {} -e {}\n", end - FETCHED_ROWS * STEP_SECONDS, end - 1)
    };
    let [own, served] = pair.read(rounds, fetch)?;
    report.row(row("fetch of 288 rows", own, served).at_most(2.0 * own));
    for form in ["SVG", "PNG"] {
        let picture = bench.inside.join("picture");
        let [own, served] = pair.read(rounds, |rrd, end| graph(form, &picture, rrd, end))?;
        report.row(row(&format!("graph of a day, {form}"), own, served).at_most(1.1 * own));
    }
    report.raw("verbs", json!({ "rounds": rounds, "rrds": rrds }));
    Ok(())
}

/// The command that draws two sources of a database.
pub(super) fn graph(form: &str, picture: &Path, rrd: &str, end: i64) -> String {
    let times = [("{start}", end - 86_400), ("{end}", end)];
    let words = times.into_iter().fold(PICTURE.to_owned(), |words, (name, seconds)| {
        words.replace(name, &seconds.to_string())
    });
    format!("graph {} -a {form} {}\n", picture.display(), words.replace("{rrd}", rrd))
}

fn row(what: &str, own: f64, served: f64) -> Row {
    let row = Row::new(format!("{what}, served"), "us", served).beside([("closed store", own)]);
    row.note(format!("{:.2} times, {:+.1} us", served / own, served - own))
}

fn medians(rounds: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|who| median(&rounds.iter().map(|round| round[who]).collect::<Vec<_>>()))
}

impl Side {
    fn path(&self, name: &str) -> String {
        self.place.base.join(name).display().to_string()
    }
}

impl Pair {
    /// Sends one cycle of the first databases to both; returns the seconds of each.
    fn updates(&mut self, verb: &str, count: u64) -> Result<[f64; 2], String> {
        let (workload, cycle) = (self.workload, self.cycle);
        self.cycle += 1;
        self.each(|side| {
            let line = |rrd| {
                let mut words = String::new();
                workload.push_update(rrd, cycle, &mut words);
                format!("{verb} {}\n", side.path(&words))
            };
            (0..count).map(line).collect()
        })
    }

    /// Sends the same reading command for one database at a time to both; returns the medians in
    /// microseconds.
    fn read(
        &mut self,
        rounds: u64,
        line: impl Fn(&str, i64) -> String,
    ) -> Result<[f64; 2], String> {
        let end = cycle_seconds(self.cycle);
        let mut all = Vec::new();
        for nth in 0..rounds {
            let name = self.workload.name(nth % self.workload.rrds);
            all.push(self.each(|side| line(&side.path(&name), end))?);
        }
        Ok(medians(&all).map(|seconds| seconds * 1e6))
    }

    fn each(&mut self, lines: impl Fn(&Side) -> String) -> Result<[f64; 2], String> {
        let ask = |side: &mut Side| {
            let lines = lines(side);
            let round = side.pipe.ask(lines.as_bytes(), lines.lines().count())?;
            Ok::<_, String>(round.elapsed.as_secs_f64())
        };
        Ok([ask(&mut self.own)?, ask(&mut self.served)?])
    }
}
