//! The process with the store. It executes commands in lines of JSON, so that its memory, page
//! faults and death are those of the store only.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, Write as _};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use feed::FeedThread;
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Timestamp};
use store::{Making, NewDatabase, Store};
use testbed::{ThreadCounters, thread_counters};

use super::batch::Batch;
use super::engine;
use super::pattern::Pattern;
use super::protocol::{Command, CycleReply, FeedReply, Reply, StoreSpec};
use crate::workload::{STEP_SECONDS, THREADS, Workload, cycle_seconds};

/// Samples that are appended and made durable together.
const BATCH_SAMPLES: usize = 1000;
/// RRDs that are made with one wait for the disk.
const CREATED_AT_ONCE: usize = 1000;

/// Executes commands from standard input until it ends.
///
/// # Errors
///
/// A line is not a valid command. The error of a command is sent as its reply.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let spec = words.first().ok_or("the worker needs to know its store")?;
    let spec: StoreSpec = serde_json::from_str(spec).map_err(|error| error.to_string())?;
    let mut worker = Worker { workload: spec.workload(), spec, feed: None, store: None };
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let command = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        say(&worker.obey(command).unwrap_or_else(Reply::Failed));
    }
    Ok(())
}

fn say(reply: &Reply) {
    let line = serde_json::to_string(reply).expect("a reply is plain data");
    // If the parent has closed the pipe, no reply is needed.
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

struct Worker {
    spec: StoreSpec,
    workload: Workload,
    feed: Option<FeedThread>,
    store: Option<Arc<dyn Store>>,
}

impl Worker {
    fn obey(&mut self, command: Command) -> Result<Reply, String> {
        let begun = Instant::now();
        match command {
            Command::Open => self.store = Some(engine::open(&self.spec)?.into()),
            Command::Create { cycle } => self.create(0..self.spec.rrds, cycle)?,
            Command::Cycle { cycle, pattern, announce } => {
                return self.cycle(cycle, &pattern, announce).map(Reply::Cycle);
            }
            Command::BackFill { rrds, cycle, cycles } => {
                return self.back_fill(rrds, cycle, cycles).map(Reply::Cycle);
            }
            Command::Fetch { rrds, cycle } => return self.fetch(&rrds, cycle),
            Command::LastUpdates { rrds } => return self.last_updates(&rrds),
            Command::Replay => {
                if let Some(inspect) = self.store()?.inspect() {
                    inspect.report().map_err(|error| error.to_string())?;
                }
            }
            Command::Update { rrd, cycle } => {
                let mut batch = Batch::default();
                batch.push(&self.workload, rrd, cycle..cycle + 1);
                batch.append_to(self.store()?)?;
            }
            Command::Feed { tables, names } => {
                let store = self.store.clone().ok_or("the store is not open")?;
                self.feed = Some(tables.feed(store, &names)?);
            }
            Command::EndFeed => self.feed = None,
            Command::FeedHealth => return Ok(Reply::Fed(self.feed_health())),
        }
        Ok(Reply::Done { seconds: begun.elapsed().as_secs_f64() })
    }

    fn feed_health(&self) -> FeedReply {
        let health = self.feed.as_ref().map(|feed| feed.watch().health()).unwrap_or_default();
        FeedReply {
            is_connected: health.is_connected,
            databases: health.databases,
            rows: health.tally.rows,
            rows_lost: health.tally.rows_lost,
            failures: health.failures,
        }
    }

    fn store(&self) -> Result<&dyn Store, String> {
        self.store.as_deref().ok_or_else(|| "the store is not open".to_owned())
    }

    /// Makes RRDs; each thread makes half of them.
    fn create(&self, rrds: Range<u64>, cycle: u64) -> Result<(), String> {
        let start = Timestamp::from_seconds(cycle_seconds(cycle));
        let count = rrds.end - rrds.start;
        let half = |thread| rrds.start + count * thread / THREADS;
        self.on_threads(|store, thread| {
            let rrds: Vec<u64> = (half(thread)..half(thread + 1)).collect();
            for batch in rrds.chunks(CREATED_AT_ONCE) {
                let made = batch
                    .iter()
                    .map(|rrd| Ok((self.workload.name(*rrd), self.workload.definition(*rrd)?)));
                let made: Vec<_> = made.collect::<Result<_, String>>()?;
                let new = made.iter().map(|(name, definition)| {
                    Making::new(NewDatabase { name: name.as_ref(), definition, start })
                });
                let failures = store.make(&new.collect::<Vec<_>>(), &|| true);
                if let Some((_, error)) = failures.first() {
                    return Err(error.to_string());
                }
            }
            Ok(())
        })
        .map(drop)
    }

    fn cycle(&self, cycle: u64, pattern: &Pattern, announce: bool) -> Result<CycleReply, String> {
        self.watched(|store, thread| self.send(store, thread, cycle, pattern, announce))
    }

    /// Lets each thread send its part and return the number of samples; measures the threads.
    fn watched(
        &self,
        part: impl Fn(&dyn Store, u64) -> Result<u64, String> + Sync,
    ) -> Result<CycleReply, String> {
        let begun = Instant::now();
        let parts = self.on_threads(|store, thread| {
            let (began, before) = (Instant::now(), thread_counters()?);
            let updates = part(store, thread)?;
            let after = thread_counters()?;
            Ok((updates, difference(before, after, began.elapsed().as_secs_f64())))
        })?;
        let seconds = begun.elapsed().as_secs_f64();
        let mut threads = ThreadCounters::default();
        parts.iter().for_each(|(_, counters)| threads += *counters);
        Ok(CycleReply { seconds, updates: parts.iter().map(|(updates, _)| updates).sum(), threads })
    }

    /// Sends a thread's updates of a cycle; returns the number of samples.
    fn send(
        &self,
        store: &dyn Store,
        thread: u64,
        cycle: u64,
        pattern: &Pattern,
        announce: bool,
    ) -> Result<u64, String> {
        let (mut batch, mut sent, mut rrds) = (Batch::default(), 0, 0);
        let mut flush = |batch: &mut Batch, rrds: u64| {
            batch.append_to(store)?;
            sent += batch.samples() as u64;
            batch.clear();
            if announce {
                say(&Reply::Acknowledged { thread, rrds });
            }
            Ok::<_, String>(())
        };
        for rrd in self.workload.deliveries(thread) {
            let samples = pattern.samples(rrd, cycle);
            if !samples.is_empty() {
                batch.push(&self.workload, rrd, samples);
            }
            rrds += 1;
            if batch.samples() >= BATCH_SAMPLES {
                flush(&mut batch, rrds)?;
            }
        }
        flush(&mut batch, rrds)?;
        Ok(sent)
    }

    /// Gives further RRDs their last cycles, oldest first, a few RRDs at a time.
    fn back_fill(&self, rrds: u64, cycle: u64, cycles: u64) -> Result<CycleReply, String> {
        let further = self.spec.rrds..self.spec.rrds + rrds;
        self.create(further.clone(), cycle - cycles)?;
        let next = Mutex::new(further);
        self.watched(|store, _| {
            let (mut batch, mut sent) = (Batch::default(), 0);
            // The next RRD is taken while holding the lock, and filled without it.
            while let Some(rrd) = { next.lock().map_err(|error| error.to_string())?.next() } {
                for first in (cycle - cycles..cycle).step_by(BATCH_SAMPLES) {
                    let last = (first + BATCH_SAMPLES as u64).min(cycle);
                    batch.push(&self.workload, rrd, first..last);
                    batch.append_to(store)?;
                    sent += batch.samples() as u64;
                    batch.clear();
                }
            }
            Ok(sent)
        })
    }

    fn fetch(&self, rrds: &[u64], cycle: u64) -> Result<Reply, String> {
        let end_seconds = cycle_seconds(cycle);
        let query = Query {
            tick: rrd::Tick::SECOND,
            cf: ConsolidationFunction::Average,
            start_seconds: end_seconds - 86_400,
            end_seconds,
            step_seconds: STEP_SECONDS as u64,
        };
        let (mut seconds, mut hash) = (Vec::new(), DefaultHasher::new());
        for rrd in rrds {
            let name = self.workload.name(*rrd);
            let begun = Instant::now();
            let series =
                self.store()?.fetch(name.as_ref(), &query).map_err(|error| error.to_string())?;
            seconds.push(begun.elapsed().as_secs_f64());
            (series.start_seconds, series.end_seconds).hash(&mut hash);
            series.values.iter().for_each(|value| value.to_bits().hash(&mut hash));
        }
        Ok(Reply::Fetched { seconds, hash: hash.finish() })
    }

    fn last_updates(&self, rrds: &[u64]) -> Result<Reply, String> {
        let last = |rrd: &u64| {
            let outline = self.store()?.outline(self.workload.name(*rrd).as_ref());
            outline.map(|it| it.last_update.seconds).map_err(|error| error.to_string())
        };
        Ok(Reply::LastUpdates { seconds: rrds.iter().map(last).collect::<Result<_, _>>()? })
    }

    /// Lets each thread do its part; returns the first error.
    fn on_threads<T: Send>(
        &self,
        part: impl Fn(&dyn Store, u64) -> Result<T, String> + Sync,
    ) -> Result<Vec<T>, String> {
        let (store, part) = (self.store()?, &part);
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..THREADS).map(|thread| scope.spawn(move || part(store, thread))).collect();
            let joined = threads.into_iter().map(|thread| thread.join().expect("no part panics"));
            joined.collect()
        })
    }
}

/// The difference of counters; the rest of the time was spent waiting.
fn difference(before: ThreadCounters, after: ThreadCounters, seconds: f64) -> ThreadCounters {
    let running_seconds = after.running_seconds - before.running_seconds;
    let queued_seconds = after.queued_seconds - before.queued_seconds;
    ThreadCounters {
        running_seconds,
        queued_seconds,
        waiting_seconds: (seconds - running_seconds - queued_seconds).max(0.0),
        read_bytes: after.read_bytes - before.read_bytes,
        major_faults: after.major_faults - before.major_faults,
    }
}
