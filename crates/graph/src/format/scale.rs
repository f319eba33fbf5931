//! SI prefixes.

/// The prefixes from 10^-18 to 10^18.
const PREFIXES: [&str; 13] = ["a", "f", "p", "n", "u", "m", " ", "k", "M", "G", "T", "P", "E"];

/// The prefix of a power of the base, `?` beyond the table.
pub(crate) fn si_unit(power: i32) -> &'static str {
    usize::try_from(power.saturating_add(6))
        .ok()
        .and_then(|index| PREFIXES.get(index).copied())
        .unwrap_or("?")
}

/// The unit that `%s` chose last: `%S` goes on using it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scale {
    chosen: Option<(f64, &'static str)>,
}

impl Scale {
    /// `%s`: scales a number to between 1 and the base.
    pub(super) fn choose(&mut self, number: &mut f64, base: f64) -> &'static str {
        let power = match number.abs() {
            size if size == 0.0 || size.is_nan() => 0,
            // What C makes of a power that is infinite; the factor is then zero.
            f64::INFINITY => i32::MIN,
            size => (size.ln() / base.ln()).floor() as i32,
        };
        let factor = base.powi(power);
        *number /= factor;
        let unit = si_unit(power);
        self.chosen = Some((factor, unit));
        unit
    }

    /// `%S`: scales as the number before, unless that was zero.
    pub(super) fn share(&mut self, number: &mut f64, base: f64) -> &'static str {
        match self.chosen {
            Some((factor, unit)) => {
                *number /= factor;
                unit
            }
            None => {
                let unit = self.choose(number, base);
                if *number == 0.0 {
                    self.chosen = None;
                }
                unit
            }
        }
    }
}
