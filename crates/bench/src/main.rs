//! Measurements of gyre beside its peers: both in one run on one machine, told as a ratio.
#![allow(clippy::disallowed_methods)] // it exists to start programs and to look at the clock

mod kernel;
mod figures;
mod report;
mod words;
mod workload;
mod feed;
mod rrd_files;
mod served;
mod pipe;
mod copies;
mod update;
mod rrdtool;
mod librrd;
mod journal;
mod store;
mod daemon;

use std::process::ExitCode;

const USAGE: &str = "\
Usage: bench NAME [OPTIONS]

Measures gyre beside its peers in one run and prints the ratio.

  update    updates a second through the pipe mode: rrdtool - against gyre -
              --files N       files updated in turn, resident in the page cache (200)
              --updates N     updates in a round (100000)
              --rounds N      rounds, the two taking turns (5)
              --json          the figures as JSON
  rrdtool   each verb of the pipe mode, and an update with a process of its own, against rrdtool
              --files N       files, resident in the page cache (100)
              --rounds N      rounds, the two taking turns (5)
              --only V,...    some of update,fetch,info,last,create,dump,restore,tune,one-shot
              --quick         a twentieth of the commands
              --json          the figures as JSON
  librrd    updates a second from Perl: RRDs over Debian's librrd against the same over gyre's
              --files N       files updated in turn, resident in the page cache (200)
              --updates N     updates in a round (50000)
              --rounds N      rounds, the two taking turns (7)
              --json          the figures as JSON
  journal   the store's journal: bytes an update, a sync into used segments against a growing file
              --directory D   where, on a real file system (.)
              --updates N     updates (1000000)
              --batch N       updates for each sync (1000)
              --json          the figures as JSON
  store     the store's table of figures, beside rrdtool, librrd and rrdcached (hours at full size)
              --directory D   where, on a real file system (.)
              --store S       ring, or directory: gyre's own directory of files (ring)
              --rrds N        RRDs, each updated once a cycle (1000000)
              --cycles N      cycles measured (288, a day)
              --warm-cycles N cycles before those (36)
              --uneven-cycles N   cycles of the network out of step (72)
              --fetches N     fetches timed (200)
              --flush-cycles C    cycles between two flushes of a group (18)
              --tile-rows K   the most rows of a tile (18)
              --dense         take all space when an RRD is made
              --memory-mib N  the limit of memory (2048 for a million RRDs)
              --peer-rrds N   files of the peers (50000)
              --only P,...    some of peers,day,fetch,restart,limit,out-of-step,smallest,second-pass
              --quick         everything at a small size, within seconds
              --json          the figures as JSON
  daemon    the daemon's table of figures, beside rrdcached (a quarter of an hour at full size)
              --directory D   where, on a real file system with 30 GB free (.)
              --rrds N        databases of the ring store; files whose heads alone are on disk (320000)
              --dense-files N files with all their bytes, for the write-back (20000)
              --few-files N   files of the round trips (10000)
              --batch-lines N lines of a BATCH (4000)
              --connections N connections that send batches at once (2)
              --cycles N      cycles measured of the ring store, after 20 (24)
              --round-trips N updates of each part that sends one a round trip (200000)
              --looks N       updates that another client looks at (200)
              --only P,...    some of batch-ring,first-touch,round-trip,visible,write-back,restart
              --keep-caches   drop no caches: nothing is cold then
              --no-peer       without rrdcached
              --quick         everything at a small size, within seconds
              --json          the figures as JSON
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match words.split_first() {
        Some((name, options)) if name == "update" => update::main(options),
        Some((name, options)) if name == "rrdtool" => rrdtool::main(options),
        Some((name, options)) if name == "librrd" => librrd::main(options),
        Some((name, options)) if name == "journal" => journal::main(options),
        Some((name, options)) if name == "store" => store::main(options),
        Some((name, options)) if name == "daemon" => daemon::main(options),
        Some((name, options)) if name == daemon::DAEMON_NAME => return gyres_daemon(options),
        Some((name, options)) if name == daemon::LOAD_NAME => daemon::load_main(options),
        Some((name, options)) if name == store::WORKER_NAME => store::worker_main(options),
        Some((name, _)) if name == "--help" || name == "-h" => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// gyre's daemon in this program, so that it is the code that was built with the benchmark.
fn gyres_daemon(options: &[String]) -> ExitCode {
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    ::daemon::program::run(daemon::DAEMON_NAME, &options)
}
