//! Which seeds are tried: `GYRE_SEEDS=n` so many, `GYRE_TIMES=n` so many times as many as usual,
//! `GYRE_SEED=n` from that one on.

/// Tries seeds, the telling ones first; one that fails is named.
pub(crate) fn try_seeds(
    usual: u64,
    telling: &[u64],
    live: impl Fn(u64) + std::panic::RefUnwindSafe,
) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect(name));
    let count = number("GYRE_SEEDS").unwrap_or(usual * number("GYRE_TIMES").unwrap_or(1));
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
