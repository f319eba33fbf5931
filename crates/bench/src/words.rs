//! What the options of several benchmarks have in common.

/// The number behind an option.
pub(crate) fn number<N: std::str::FromStr + PartialOrd + Default>(
    word: &str,
    text: &str,
) -> Result<N, String> {
    match text.parse() {
        Ok(number) if number > N::default() => Ok(number),
        _ => Err(format!("{word} {text}: expected a number above zero")),
    }
}

/// The parts that `--only` names, out of those that there are.
pub(crate) fn parts(text: &str, known: &[&'static str]) -> Result<Vec<&'static str>, String> {
    let part = |name: &str| {
        let found = known.iter().copied().find(|part| *part == name);
        found.ok_or_else(|| format!("--only {name}: expected some of {}", known.join(",")))
    };
    text.split(',').map(part).collect()
}
