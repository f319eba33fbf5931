//! Random definitions and updates.

#![allow(dead_code, clippy::disallowed_methods)] // each test that includes this uses a part of it

use proptest::collection::vec;
use proptest::prelude::*;
use rrd::{Archive, ConsolidationFunction, DataSource, Definition, SourceKind};

/// How many cases to try: `GYRE_CASES` where a longer search is wanted.
pub(crate) fn wanted(usual: u32) -> u32 {
    std::env::var("GYRE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// One file and what happens to it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) definition: Definition,
    pub(crate) start_seconds: i64,
    pub(crate) updates: Vec<Update>,
    pub(crate) fetches: Vec<Fetch>,
}

/// One fetch, its times relative to the last update.
#[derive(Clone, Debug)]
pub(crate) struct Fetch {
    pub(crate) cf: ConsolidationFunction,
    pub(crate) start_before_seconds: i64,
    pub(crate) length_seconds: i64,
    pub(crate) step_seconds: u64,
}

/// One update command.
#[derive(Clone, Debug)]
pub(crate) struct Update {
    pub(crate) template: Option<String>,
    pub(crate) arguments: Vec<String>,
}

/// The command that creates a case's file.
pub(crate) fn create_command(file: &str, case: &Case) -> String {
    let definition = &case.definition;
    let mut words =
        vec![format!("create {file} -b {} -s {}", case.start_seconds, definition.step_seconds)];
    let limit = |value: f64| {
        if value.is_nan() { "U".to_owned() } else { format!("{value}") }
    };
    for DataSource { name, kind, heartbeat_seconds, minimum, maximum } in &definition.sources {
        let (minimum, maximum) = (limit(*minimum), limit(*maximum));
        words.push(format!("DS:{name}:{kind}:{heartbeat_seconds}:{minimum}:{maximum}"));
    }
    for Archive { cf, rows, pdp_per_row, xff, .. } in &definition.archives {
        words.push(format!("RRA:{cf}:{xff}:{pdp_per_row}:{rows}"));
    }
    words.join(" ")
}

pub(crate) fn case() -> impl Strategy<Value = Case> {
    (definition(), 500_000_000_i64..3_000_000_000).prop_flat_map(|(definition, start_seconds)| {
        let updates = vec(update(&definition), 1..25);
        let fetches = vec(fetch(definition.step_seconds), 4);
        (Just(definition), Just(start_seconds), updates, fetches).prop_map(
            |(definition, start_seconds, mut updates, fetches)| {
                resolve_times(start_seconds, &mut updates);
                let updates = updates.into_iter().map(|(update, _)| update).collect();
                Case { definition, start_seconds, updates, fetches }
            },
        )
    })
}

fn fetch(step_seconds: u64) -> impl Strategy<Value = Fetch> {
    let span = step_seconds as i64 * 200;
    let cf = prop::sample::select(&ConsolidationFunction::PLAIN[..]);
    (cf, -span / 10..span, 0..span, prop_oneof![Just(1), 1..step_seconds * 40]).prop_map(
        |(cf, start_before_seconds, length_seconds, step_seconds)| Fetch {
            cf,
            start_before_seconds,
            length_seconds,
            step_seconds,
        },
    )
}

fn definition() -> impl Strategy<Value = Definition> {
    let step = prop_oneof![1_u64..5, Just(10), Just(60), Just(300), 1_u64..4000];
    step.prop_flat_map(|step_seconds| {
        (vec(source(step_seconds), 1..5), vec(archive(), 1..6)).prop_map(
            move |(mut sources, archives)| {
                for (nth, source) in sources.iter_mut().enumerate() {
                    source.name = format!("ds{nth}");
                }
                Definition { tick: rrd::Tick::SECOND, step_seconds, sources, archives }
            },
        )
    })
}

fn source(step_seconds: u64) -> impl Strategy<Value = DataSource> {
    let heartbeat =
        prop_oneof![Just(step_seconds * 2), 1..step_seconds * 3 + 2, Just(step_seconds * 1000)];
    // rrdtool reads limits with its own arithmetic: whole numbers are the same in both.
    let limits = prop_oneof![
        3 => Just((rrd::UNKNOWN, rrd::UNKNOWN)),
        1 => Just((0.0, rrd::UNKNOWN)),
        1 => (-1000..0_i32, 1..100_000_000_i32).prop_map(|(low, high)| (low.into(), high.into())),
    ];
    let kind = prop::sample::select(&SourceKind::OF_READINGS[..]);
    (kind, heartbeat, limits).prop_map(|(kind, heartbeat_seconds, (minimum, maximum))| DataSource {
        name: String::new(),
        kind,
        heartbeat_seconds,
        minimum,
        maximum,
    })
}

fn archive() -> impl Strategy<Value = Archive> {
    let cf = prop::sample::select(&ConsolidationFunction::PLAIN[..]);
    let pdps = prop_oneof![Just(1_u64), Just(2), Just(3), Just(6), 1_u64..30];
    // Shares that rrdtool's number reader and Rust's agree on to the last bit.
    let xff = prop::sample::select(vec![0.0, 0.25, 0.5, 0.75, 0.9, 0.96875]);
    (cf, 1_u64..40, pdps, xff)
        .prop_map(|(cf, rows, pdp_per_row, xff)| Archive::plain(cf, rows, pdp_per_row, xff))
}

/// How the time of an argument is made from the one before.
#[derive(Clone, Copy, Debug)]
enum Move {
    /// Microseconds forward.
    Forward(u64),
    /// Seconds back, or none.
    Back(u32),
}

fn time_move(step_seconds: u64) -> impl Strategy<Value = Move> {
    let second = 1_000_000_u64;
    prop_oneof![
        6 => Just(Move::Forward(step_seconds * second)),
        4 => (1..step_seconds * 2 + 1).prop_map(move |seconds| Move::Forward(seconds * second)),
        3 => (1..step_seconds * 3 * second).prop_map(Move::Forward),
        2 => (1..step_seconds * 100).prop_map(move |seconds| Move::Forward(seconds * second)),
        1 => (1..step_seconds * 3000).prop_map(move |seconds| Move::Forward(seconds * second)),
        1 => (0..500_u32).prop_map(Move::Back),
    ]
}

fn update(definition: &Definition) -> BoxedStrategy<(Update, Vec<Move>)> {
    let names: Vec<String> = definition.sources.iter().map(|source| source.name.clone()).collect();
    let kinds: Vec<SourceKind> = definition.sources.iter().map(|source| source.kind).collect();
    let step_seconds = definition.step_seconds;
    let count = names.len();
    let template = prop_oneof![
        8 => Just(None),
        2 => prop::sample::subsequence(names.clone(), 1..=count).prop_shuffle().prop_map(Some),
        1 => vec(prop::sample::select(names), 1..4).prop_map(Some),
        1 => Just(Some(vec!["ds0".to_owned(), "nobody".to_owned()])),
    ];
    template
        .prop_flat_map(move |template| {
            let chosen: Vec<SourceKind> = match &template {
                None => kinds.clone(),
                Some(names) => names
                    .iter()
                    .filter_map(|name| name.strip_prefix("ds")?.parse::<usize>().ok())
                    .map(|nth| kinds[nth])
                    .collect(),
            };
            let argument = (time_move(step_seconds), readings(chosen));
            vec(argument, 1..4).prop_map(move |arguments| {
                let moves = arguments.iter().map(|(time, _)| *time).collect();
                let arguments = arguments.into_iter().map(|(_, readings)| readings).collect();
                let template = template.as_ref().map(|names| names.join(":"));
                (Update { template, arguments }, moves)
            })
        })
        .boxed()
}

fn readings(kinds: Vec<SourceKind>) -> BoxedStrategy<String> {
    let each: Vec<_> = kinds.into_iter().map(reading).collect();
    (each, 0..60_u8)
        .prop_map(|(mut readings, odd)| {
            match odd {
                0 => readings.push("1".into()),
                1 => drop(readings.pop()),
                _ => {}
            }
            readings.join(":")
        })
        .boxed()
}

fn reading(kind: SourceKind) -> BoxedStrategy<String> {
    let integer = prop_oneof![
        4 => (0..5_000_000_u64).prop_map(|each| each.to_string()),
        2 => (u64::from(u32::MAX) - 100_000..u64::from(u32::MAX)).prop_map(|each| each.to_string()),
        2 => (u64::MAX - 1_000_000..u64::MAX).prop_map(|each| each.to_string()),
        2 => any::<u64>().prop_map(|each| each.to_string()),
        1 => any::<i64>().prop_map(|each| each.to_string()),
        1 => "[0-9]{20,33}",
    ];
    let decimal = prop_oneof![
        4 => (-1e6..1e6_f64).prop_map(|each| format!("{each}")),
        2 => (-1e6..1e6_f64).prop_map(|each| format!("{each:e}")),
        2 => any::<f64>().prop_map(|each| format!("{each:e}")),
        2 => (0..1_000_000_u32).prop_map(|each| format!("{}.{:03}", each / 1000, each % 1000)),
    ];
    let odd = prop::sample::select(vec![
        "nan", "-nan", "inf", "-inf", "NaNx", "", "x", "1x", "1.5", "-1", "+1", "-", "1e5", "0x10",
        "00012", "U1", "u", "1,5", "1e400", "1e-400", "1e1025", ".5", "5.",
    ]);
    let usual = match kind {
        SourceKind::Counter | SourceKind::Derive => integer.boxed(),
        _ => prop_oneof![decimal, integer].boxed(),
    };
    prop_oneof![
        20 => usual,
        3 => Just("U".to_owned()),
        1 => odd.prop_map(str::to_owned),
    ]
    .boxed()
}

/// Puts a time before each argument's readings.
fn resolve_times(start_seconds: i64, updates: &mut [(Update, Vec<Move>)]) {
    let mut now_micros = start_seconds as u64 * 1_000_000;
    for (update, moves) in updates {
        for (argument, each) in update.arguments.iter_mut().zip(moves) {
            let micros = match each {
                Move::Forward(micros) => {
                    now_micros += *micros;
                    now_micros
                }
                Move::Back(seconds) => now_micros - u64::from(*seconds) * 1_000_000,
            };
            let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
            *argument = match fraction {
                0 => format!("{seconds}:{argument}"),
                _ => format!("{seconds}.{fraction:06}:{argument}"),
            };
        }
    }
}
