//! Measures gyre and its peers in one run on one machine, and reports ratios.
#![allow(clippy::disallowed_methods)] // it exists to start programs and to look at the clock

mod figures;
mod options;
mod report;
mod room;
mod http;
mod history;
mod all;
mod workload;
mod feed;
mod rrd_files;
mod served;
mod pipe;
mod copies;
mod update;
mod rrdtool;
mod graph;
mod graph_calls;
mod librrd;
mod journal;
mod store;
mod daemon;
mod server;
mod series;
mod sql;
mod collect;
mod capacity;
mod plan;
mod readahead;
mod fincore;
mod backup;
mod exchange;
mod calc;
mod fine_steps;
mod query;
mod page;

use std::path::Path;
use std::process::ExitCode;

/// The allocator of the product, some of whose parts are measured in processes of this program.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const USAGE: &str = "\
Usage: bench NAME [OPTIONS]

Measures gyre beside its peers in one run and prints the ratio.

";

/// One benchmark.
struct Benchmark {
    name: &'static str,
    help: fn() -> String,
    run: fn(&[String]) -> Result<(), String>,
}

const BENCHMARKS: &[Benchmark] = &[
    benchmark::<all::Options>(all::main),
    benchmark::<history::CompareOptions>(history::compare_main),
    benchmark::<update::Options>(update::main),
    benchmark::<rrdtool::Options>(rrdtool::main),
    benchmark::<graph::Options>(graph::main),
    benchmark::<librrd::Options>(librrd::main),
    benchmark::<journal::Options>(journal::main),
    benchmark::<store::Options>(store::main),
    benchmark::<daemon::Options>(daemon::main),
    benchmark::<server::Options>(server::main),
    benchmark::<series::Options>(series::main),
    benchmark::<sql::Options>(sql::main),
    benchmark::<collect::Options>(collect::main),
    benchmark::<capacity::Options>(capacity::main),
    benchmark::<plan::Options>(plan::main),
    benchmark::<readahead::Options>(readahead::main),
    benchmark::<fincore::Options>(fincore::main),
    benchmark::<backup::Options>(backup::main),
    benchmark::<exchange::Options>(exchange::main),
    benchmark::<calc::Options>(calc::main),
    benchmark::<query::Options>(query::main),
    benchmark::<page::Options>(page::main),
];

const fn benchmark<O: options::Options>(run: fn(&[String]) -> Result<(), String>) -> Benchmark {
    Benchmark { name: O::NAME, help: options::help::<O>, run }
}

fn usage() -> String {
    let helps = BENCHMARKS.iter().map(|benchmark| (benchmark.help)());
    USAGE.to_owned() + &helps.collect::<String>()
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match words.split_first() {
        Some((name, options)) if name == daemon::DAEMON_NAME => return gyres_daemon(options),
        Some((name, options)) if name == daemon::LOAD_NAME => daemon::load_main(options),
        Some((name, options)) if name == collect::AGENTS_NAME => collect::agents_main(options),
        Some((name, options)) if name == capacity::WORKER_NAME => capacity::worker_main(options),
        Some((name, options)) if name == plan::WORKER_NAME => plan::worker_main(options),
        Some((name, options)) if name == store::WORKER_NAME => store::worker_main(options),
        Some((name, options)) if name == readahead::WORKER_NAME => readahead::worker_main(options),
        Some((name, _)) if name == "--help" || name == "-h" => {
            print!("{}", usage());
            return ExitCode::SUCCESS;
        }
        Some((name, options)) => match BENCHMARKS.iter().find(|benchmark| benchmark.name == name) {
            Some(benchmark) => {
                // Benchmarks make no disks, so leftovers are only control groups.
                testbed::clean_leftovers(Path::new("."))
                    .iter()
                    .for_each(|line| eprintln!("{line}"));
                (benchmark.run)(options)
            }
            None => Err(usage()),
        },
        None => Err(usage()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs gyre's daemon in this program, so that it is built with the same options as the benchmark.
fn gyres_daemon(options: &[String]) -> ExitCode {
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    // As the product does.
    let _ = tikv_jemalloc_ctl::background_thread::write(true);
    ::daemon::program::run(daemon::DAEMON_NAME, &options, ::daemon::Brought::default())
}

#[cfg(test)]
mod tests {
    use super::BENCHMARKS;

    #[test]
    fn measurements_that_documents_show_are_there() {
        let documents = [
            include_str!("../../../README.md"),
            include_str!("../../../docs/bench/README.md"),
            include_str!("../../../docs/bench/page.md"),
            include_str!("../../../docs/daemon.md"),
            include_str!("../../../docs/librrd.md"),
            include_str!("../../../docs/plan.md"),
        ];
        let calls = documents.iter().flat_map(|text| text.split("cargo xtask bench ").skip(1));
        let mut count = 0;
        for call in calls.map(|rest| rest.split(['`', '\n', '#']).next().unwrap_or_default()) {
            count += 1;
            let mut words = call.split_whitespace();
            let name = words.next().unwrap_or_default();
            let found = BENCHMARKS.iter().find(|benchmark| benchmark.name == name);
            let found = found.unwrap_or_else(|| panic!("there is no benchmark for: {call}"));
            for option in words.filter(|word| word.starts_with("--")) {
                assert!((found.help)().contains(&format!(" {option} ")), "{call}");
            }
        }
        assert!(count > 10, "{count}");
    }
}
