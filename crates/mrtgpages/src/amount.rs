//! Numbers in tables, in MRTG's format: `12.3 kB/s (4.5%)`.

use mrtg::{Flag, Options, Settings};

/// A number gets a prefix once it has this many times `kilo`: `9999.0 B/s`, then `10.0 kB/s`.
const UNSCALED_KILOS: f64 = 10.0;

/// A value of one direction, with its unit and its share of the expected maximum; a dash for one
/// that is unknown. The unit is HTML.
pub(crate) fn amount(value: Option<f64>, nth: usize, settings: &Settings) -> String {
    let Some(value) = value else { return "–".to_owned() };
    let mut number = value * settings.factor * unit_factor(settings.options);
    let mut prefixes = settings.kmg.iter();
    let mut prefix = prefixes.next().map_or("", |prefix| prefix);
    while number.abs() >= UNSCALED_KILOS * settings.kilo
        && let Some(next) = prefixes.next()
    {
        (number, prefix) = (number / settings.kilo, next);
    }
    let decimals = usize::from(!settings.options.has(Flag::Integer));
    let unit = &settings.legends.unit;
    format!("{number:.decimals$} {prefix}{unit}{}", share(value, nth, settings))
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
