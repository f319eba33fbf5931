//! Which seeds are tried. A longer search (`GYRE_TIMES=n`) tries n times all seeds; `GYRE_SEEDS=n`
//! tries so many, `GYRE_SEED=n` begins with that one.

/// One seed in so many is tried where nobody asks for a longer search.
const SEEDS_PART: u64 = 4;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect(name))
}

/// Tries seeds, the telling ones first; one that fails is named.
pub(crate) fn try_seeds(
    many: u64,
    telling: &[u64],
    live: impl Fn(u64) + std::panic::RefUnwindSafe,
) {
    let some = many.div_ceil(SEEDS_PART);
    let count = number("GYRE_SEEDS").or(number("GYRE_TIMES").map(|times| many * times));
    let seeds: Vec<u64> = match number("GYRE_SEED") {
        Some(first) => (first..first + number("GYRE_SEEDS").unwrap_or(1)).collect(),
        None => telling.iter().copied().chain(0..count.unwrap_or(some)).collect(),
    };
    for seed in seeds {
        if let Err(panic) = std::panic::catch_unwind(|| live(seed)) {
            eprintln!("GYRE_SEED={seed} replays it");
            std::panic::resume_unwind(panic);
        }
    }
}
