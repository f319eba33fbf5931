//! Numbers in tables, in MRTG's format: `12.3 kB/s (4.5%)`.

use mrtg::{Flag, Options, Settings};

/// A number gets a prefix once it has this many times `kilo`: `9999.0 B/s`, then `10.0 kB/s`.
const UNSCALED_KILOS: f64 = 10.0;

/// A value of one direction, with its unit and its share of the expected maximum; a dash for one
/// that is unknown. The unit is HTML.
pub(crate) fn amount(value: Option<f64>, nth: usize, settings: &Settings) -> String {
    let Some(value) = value else { return "–".to_owned() };
    let number = value * settings.factor * unit_factor(settings.options);
    let Scaled { number, prefix } = Scaled::of(number, settings.kilo, &settings.kmg);
    let decimals = usize::from(!settings.options.has(Flag::Integer));
    let unit = &settings.legends.unit;
    format!("{number:.decimals$} {prefix}{unit}{}", share(value, nth, settings))
}

/// A number, and the prefix of its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scaled<'p> {
    number: f64,
    prefix: &'p str,
}

impl<'p> Scaled<'p> {
    /// By the prefix that keeps the number short. A magnitude whose prefix is `-` is passed over:
    /// the next larger one is used, or else the next smaller one.
    fn of(number: f64, kilo: f64, prefixes: &'p [String]) -> Self {
        let divided = |magnitude: usize| number / kilo.powi(magnitude as i32);
        let is_short = |magnitude: &usize| divided(*magnitude).abs() < UNSCALED_KILOS * kilo;
        let short = (0..prefixes.len()).find(is_short).unwrap_or(prefixes.len());
        let mut named = prefixes.iter().enumerate().filter(|(_, prefix)| *prefix != "-");
        let larger = named.clone().find(|(magnitude, _)| *magnitude >= short);
        let found = larger.or_else(|| named.next_back());
        found.map_or(Self { number, prefix: "" }, |(magnitude, prefix)| Self {
            number: divided(magnitude),
            prefix,
        })
    }
}

/// The value in percent of `MaxBytes`.
fn share(value: f64, nth: usize, settings: &Settings) -> String {
    let maximum = settings.max_bytes.get(nth).copied().unwrap_or_default();
    match settings.options.has(Flag::Nopercent) || maximum <= 0.0 {
        true => String::new(),
        false => format!(" ({:.1}%)", 100.0 * value / maximum),
    }
}

/// The factor from the stored unit, octets a second, to the unit that is shown.
fn unit_factor(options: Options) -> f64 {
    let bits = if options.has(Flag::Bits) { 8.0 } else { 1.0 };
    let seconds = match (options.has(Flag::Perminute), options.has(Flag::Perhour)) {
        (true, _) => 60.0,
        (false, true) => 3600.0,
        (false, false) => 1.0,
    };
    bits * seconds
}

#[cfg(test)]
mod tests {
    use super::Scaled;

    /// As MRTG 2.17.10 writes them.
    #[test]
    fn prefixes_are_those_of_mrtg() {
        let cases = [
            ("", [(31.0, "31.0 "), (2e6, "2000000.0 ")]),
            (",k,M", [(9999.0, "9999.0 "), (10_000.0, "10.0 k")]),
            (",k", [(2e6, "2000.0 k"), (3e9, "3000000.0 k")]),
            (",-,M", [(31.0, "31.0 "), (2e6, "2.0 M")]),
            (",k,-,G", [(2e6, "2000.0 k"), (3e9, "3.0 G")]),
            ("-,k,M", [(12_345.0, "12.3 k"), (3e9, "3000.0 M")]),
            ("-,-,M,G", [(12_345.0, "0.0 M"), (3e9, "3000.0 M")]),
            (",,M", [(12_345.0, "12.3 "), (3e9, "3000.0 M")]),
            (",-", [(31.0, "31.0 "), (12_345.0, "12345.0 ")]),
        ];
        for (prefixes, told) in cases {
            let prefixes: Vec<String> = prefixes.split(',').map(str::to_owned).collect();
            for (number, expected) in told {
                let Scaled { number, prefix } = Scaled::of(number, 1000.0, &prefixes);
                assert_eq!(format!("{number:.1} {prefix}"), expected, "{prefixes:?}");
            }
        }
        assert_eq!(Scaled::of(1e9, 1000.0, &["-".to_owned()]), Scaled { number: 1e9, prefix: "" });
    }
}
