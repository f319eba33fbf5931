//! Random files with archives that forecast and sources that are calculated, and their updates.

use proptest::collection::vec;
use proptest::prelude::*;

use super::Update;

/// One file and what happens to it.
#[derive(Clone, Debug)]
pub(crate) struct ForecastCase {
    pub(crate) create: String,
    pub(crate) updates: Vec<Update>,
}

pub(crate) fn forecast_case() -> impl Strategy<Value = ForecastCase> {
    let step = prop_oneof![Just(10_u64), Just(300), 1..20_u64];
    (step, sources(), archives(), 500_000_000_u64..3_000_000_000).prop_flat_map(
        |(step_seconds, sources, archives, start_seconds)| {
            let names =
                sources.iter().enumerate().map(|(nth, source)| source.words(nth, step_seconds));
            let create = format!(
                "create file.rrd -b {start_seconds} -s {step_seconds} {} {}",
                names.collect::<Vec<_>>().join(" "),
                archives.join(" ")
            );
            let updates = vec(update(step_seconds, sources), 1..20);
            updates.prop_map(move |updates| ForecastCase {
                create: create.clone(),
                updates: timed(start_seconds, updates),
            })
        },
    )
}

#[derive(Clone, Debug)]
enum Source {
    /// Its kind, and its heartbeat in steps.
    Read(&'static str, u64),
    Computed(String),
}

impl Source {
    fn words(&self, nth: usize, step_seconds: u64) -> String {
        match self {
            Self::Read(kind, steps) => format!("DS:ds{nth}:{kind}:{}:U:U", steps * step_seconds),
            Self::Computed(expression) => format!("DS:ds{nth}:COMPUTE:{expression}"),
        }
    }
}

fn sources() -> impl Strategy<Value = Vec<Source>> {
    let kind =
        prop::sample::select(vec!["GAUGE", "GAUGE", "GAUGE", "COUNTER", "DERIVE", "ABSOLUTE"]);
    let read = (kind, prop_oneof![3 => Just(10_000_u64), 1 => 1..20_u64])
        .prop_map(|(kind, steps)| Source::Read(kind, steps));
    let any = prop_oneof![2 => read.clone(), 1 => expression().prop_map(Source::Computed)];
    (read, vec(any, 0..3)).prop_map(|(first, mut others)| {
        others.insert(0, first);
        others
    })
}

/// An expression over the first source.
fn expression() -> impl Strategy<Value = String> {
    let word = |list: &'static [&'static str]| prop::sample::select(list).prop_map(str::to_owned);
    let leaf = word(&["ds0", "ds0", "ds0,2,*", "UNKN", "INF", "ds0,3,%", "DEPTH,100,+"]);
    let whole = leaf.prop_recursive(3, 12, 3, move |inner| {
        let unary = word(&[
            "SIN", "COS", "LOG", "EXP", "SQRT", "ATAN", "FLOOR", "CEIL", "ABS", "DEG2RAD",
            "RAD2DEG", "UN", "ISINF", "DUP,+", "7,-", "-3,EXC,-",
        ]);
        let binary = word(&[
            "+",
            "-",
            "*",
            "/",
            "%",
            "POW",
            "ATAN2",
            "LT",
            "LE",
            "GT",
            "GE",
            "EQ",
            "NE",
            "MIN",
            "MAX",
            "MINNAN",
            "MAXNAN",
            "ADDNAN",
            "EXC,/",
            "2,REV,-",
            "2,AVG",
            "2,MEDIAN",
            "2,SMIN",
            "2,SMAX",
            "2,STDEV",
            "60,2,PERCENT",
            "EXC,POP",
            "2,COPY,3,STDEV,+",
        ]);
        let ternary =
            word(&["IF", "LIMIT", "3,AVG", "3,STDEV", "3,SMAX", "3,MEDIAN", "50,3,PERCENT"]);
        prop_oneof![
            (inner.clone(), unary).prop_map(|(a, word)| format!("{a},{word}")),
            (inner.clone(), inner.clone(), binary)
                .prop_map(|(a, b, word)| format!("{a},{b},{word}")),
            (inner.clone(), inner.clone(), inner, ternary)
                .prop_map(|(a, b, c, word)| format!("{a},{b},{c},{word}")),
        ]
    });
    let broken = word(&["ds0,+", "ds0,ds0", "PREV(ds0)", "ds0,4,AVG", "ds0,2,200,2,PERCENT"]);
    let fits = |text: &String| text.split(',').count() <= 19;
    prop_oneof![30 => whole.prop_filter("too long", fits), 1 => broken]
}

/// Some archives.
#[derive(Clone, Debug)]
enum Block {
    /// One that consolidates.
    Plain(String),
    /// A forecast, its four dependents made for it.
    Implicit(Parts),
    /// A forecast with its dependents, each told, in some order.
    Explicit(Parts, Vec<usize>),
    /// One of the five that refers to whatever archive.
    Stray(Parts, usize, usize),
}

/// What a forecast and its dependents are told.
#[derive(Clone, Debug)]
struct Parts {
    predict: &'static str,
    rows: usize,
    season: usize,
    shares: [&'static str; 3],
    window: Option<&'static str>,
    failures: (usize, usize),
}

impl Parts {
    /// The text of one of the five, which refers to the archive of a position, counted from 1.
    fn archive(&self, nth: usize, refers_to: usize) -> String {
        let Self { predict, rows, season, shares: [alpha, beta, gamma], failures, .. } = self;
        let window = self.window.map(|window| format!(":smoothing-window={window}"));
        let window = window.unwrap_or_default();
        let (threshold, length) = failures;
        match nth {
            0 => format!("RRA:{predict}:{rows}:{alpha}:{beta}:{season}:{refers_to}"),
            1 => format!("RRA:SEASONAL:{season}:{gamma}:{refers_to}{window}"),
            2 => format!("RRA:DEVSEASONAL:{season}:{gamma}:{refers_to}{window}"),
            3 => format!("RRA:DEVPREDICT:{rows}:{refers_to}"),
            _ => format!("RRA:FAILURES:{rows}:{threshold}:{length}:{refers_to}"),
        }
    }
}

impl Block {
    fn count(&self) -> usize {
        match self {
            Self::Plain(_) | Self::Stray(..) => 1,
            Self::Implicit(_) | Self::Explicit(..) => 5,
        }
    }

    fn texts(&self, before: usize, total: usize) -> Vec<String> {
        match self {
            Self::Plain(text) => vec![text.clone()],
            Self::Implicit(parts) => {
                let whole = parts.archive(0, 0);
                vec![whole.strip_suffix(":0").unwrap().to_owned()]
            }
            Self::Explicit(parts, order) => {
                // What each of the five refers to: a forecast to its season, the season to it ...
                const REFERENCES: [usize; 5] = [1, 0, 0, 2, 2];
                let position = |of: usize| order.iter().position(|nth| *nth == of).unwrap();
                let refers_to = |nth: usize| before + position(REFERENCES[nth]) + 1;
                order.iter().map(|nth| parts.archive(*nth, refers_to(*nth))).collect()
            }
            Self::Stray(parts, nth, refers_to) => vec![parts.archive(*nth, refers_to % total + 1)],
        }
    }
}

fn archives() -> impl Strategy<Value = Vec<String>> {
    let order = Just(vec![0, 1, 2, 3, 4]).prop_shuffle();
    let block = prop_oneof![
        2 => plain().prop_map(Block::Plain),
        3 => parts().prop_map(Block::Implicit),
        4 => (parts(), order).prop_map(|(parts, order)| Block::Explicit(parts, order)),
        1 => (parts(), 0..5_usize, 0..20_usize)
            .prop_map(|(parts, nth, refers_to)| Block::Stray(parts, nth, refers_to)),
    ];
    vec(block, 1..4).prop_map(|blocks| {
        let total = blocks.iter().map(Block::count).sum();
        let mut before = 0;
        let texts = blocks.iter().flat_map(|block| {
            let texts = block.texts(before, total);
            before += block.count();
            texts
        });
        texts.collect()
    })
}

fn plain() -> impl Strategy<Value = String> {
    let cf = prop::sample::select(vec!["AVERAGE", "MIN", "MAX", "LAST"]);
    (cf, 1..4_u64, 1..30_u64).prop_map(|(cf, pdps, rows)| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
}

fn parts() -> impl Strategy<Value = Parts> {
    // Shares that rrdtool's number reader and Rust's agree on to the last bit.
    let share = || prop::sample::select(vec!["0.5", "0.25", "0.125", "0.0625", "0.75"]);
    let window = prop::sample::select(vec!["0", "0.25", "0.5", "0.75", "1"]);
    let predict = prop::sample::select(vec!["HWPREDICT", "MHWPREDICT"]);
    let season = prop_oneof![4 => 2..8_usize, 1 => 8..60_usize];
    let failures = (1..29_usize).prop_flat_map(|length| (1..=length, Just(length)));
    let rest = (0..30_usize, prop::array::uniform3(share()), proptest::option::of(window));
    (predict, season, rest, failures).prop_map(
        |(predict, season, (more, shares, window), failures)| Parts {
            predict,
            rows: season + more,
            season,
            shares,
            window,
            failures,
        },
    )
}

/// How the time of an argument is made from the one before, in microseconds; none forward is
/// refused.
fn time_move(step_seconds: u64) -> impl Strategy<Value = u64> {
    let second = 1_000_000;
    prop_oneof![
        60 => Just(step_seconds * second),
        6 => (1..step_seconds * 2 + 1).prop_map(move |seconds| seconds * second),
        4 => 1..step_seconds * 3 * second,
        2 => (1..step_seconds * 9).prop_map(move |seconds| seconds * second),
        1 => (1..step_seconds * 200).prop_map(move |seconds| seconds * second),
    ]
}

type Argument = (u64, String);

fn update(
    step_seconds: u64,
    sources: Vec<Source>,
) -> impl Strategy<Value = (Option<String>, Vec<Argument>, u8)> {
    let read = sources.iter().filter(|source| matches!(source, Source::Read(..))).count();
    let names: Vec<_> = (0..sources.len()).map(|nth| format!("ds{nth}")).collect();
    let template = prop_oneof![
        12 => Just(None),
        1 => prop::sample::subsequence(names.clone(), 1..=names.len()).prop_map(Some),
    ];
    template.prop_flat_map(move |template| {
        let count = template.as_ref().map_or(read, Vec::len);
        let values = vec(reading(), count).prop_map(|values| values.join(":"));
        let template = template.map(|names| names.join(":"));
        (Just(template), vec((time_move(step_seconds), values), 1..40), any::<u8>())
    })
}

fn reading() -> impl Strategy<Value = String> {
    prop_oneof![
        30 => (0..100_u32).prop_map(|value| value.to_string()),
        2 => Just("U".to_owned()),
        1 => (0..5_u32).prop_map(|value| value.to_string()),
        1 => prop::sample::select(vec!["1000000", "0", "4294967295"]).prop_map(str::to_owned),
    ]
}

fn timed(start_seconds: u64, updates: Vec<(Option<String>, Vec<Argument>, u8)>) -> Vec<Update> {
    let mut now_micros = start_seconds * 1_000_000;
    let mut timed = |(micros, values): (u64, String)| {
        now_micros += micros;
        let (seconds, fraction) = (now_micros / 1_000_000, now_micros % 1_000_000);
        match fraction {
            0 => format!("{seconds}:{values}"),
            _ => format!("{seconds}.{fraction:06}:{values}"),
        }
    };
    let update = |(template, arguments, odd): (Option<String>, Vec<Argument>, u8)| {
        let mut arguments: Vec<_> = arguments.into_iter().map(&mut timed).collect();
        match odd {
            // An old time, and too few readings: both stop the command, and its smoothing.
            0..6 => arguments.push(format!("{start_seconds}:1")),
            6..10 => arguments.push("9999999999".to_owned()),
            _ => {}
        }
        Update { template, arguments }
    };
    updates.into_iter().map(update).collect()
}
