//! Which seeds are tried: `GYRE_SEEDS=n` so many, `GYRE_TIMES=n` so many times as many as in the
//! ordinary run, `GYRE_SEED=n` from that one on.

/// The ordinary run tries one seed in so many of those that a test is made for.
const PART: u64 = 3;

/// Tries seeds, the telling ones first; one that fails is named.
pub(crate) fn try_seeds(
    usual: u64,
    telling: &[u64],
    live: impl Fn(u64) + std::panic::RefUnwindSafe,
) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect(name));
    let count = number("GYRE_SEEDS");
    let count = count.unwrap_or((usual * number("GYRE_TIMES").unwrap_or(1)).div_ceil(PART));
    let seeds: Vec<u64> = match number("GYRE_SEED") {
        Some(first) => (first..first + number("GYRE_SEEDS").unwrap_or(1)).collect(),
        None => telling.iter().copied().chain(0..count).collect(),
    };
    for seed in seeds {
        if let Err(panic) = std::panic::catch_unwind(|| live(seed)) {
            eprintln!("GYRE_SEED={seed} replays it");
            std::panic::resume_unwind(panic);
        }
    }
}
