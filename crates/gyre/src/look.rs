//! How graphs of a target look, from the configuration.

use mrtg::{Flag, Period, Settings};
use server::{Line, Look, Periods};

use crate::shown_limits;

/// How the graphs of targets with these settings look.
pub(crate) fn look(settings: &Settings) -> Look {
    let has = |flag| settings.options.has(flag);
    let legends: &mrtg::Legends = &settings.legends;
    Look {
        step_seconds: settings.interval.step_seconds(),
        factor: settings.factor * unit_factor(settings.options),
        kilo: settings.kilo,
        integer: has(Flag::Integer),
        y_axis: legends.y_axis.clone(),
        unit: legends.unit.clone(),
        lines: lines(settings),
        unscaled: periods(settings.unscaled),
        with_peak: periods(settings.with_peak),
        suppress: periods(settings.suppress),
        logarithmic: has(Flag::Logscale),
        unknown_as_zero: has(Flag::Unknaszero),
        width_pixels: settings.width_pixels,
        height_pixels: settings.height_pixels,
    }
}

/// How graphs label and draw the incoming and the outgoing value.
fn lines(settings: &Settings) -> [Line; 2] {
    let legends: &mrtg::Legends = &settings.legends;
    let [maximum_in, maximum_out] = settings.max_bytes;
    let incoming = Line {
        shown: !settings.options.has(Flag::Noi),
        label: legends.incoming_label.clone(),
        legend: legends.incoming.clone(),
        peak_legend: legends.incoming_peak.clone(),
        maximum: maximum_in,
        limits: shown_limits::of(settings, 0),
    };
    let outgoing = Line {
        shown: !settings.options.has(Flag::Noo),
        label: legends.outgoing_label.clone(),
        legend: legends.outgoing.clone(),
        peak_legend: legends.outgoing_peak.clone(),
        maximum: maximum_out,
        limits: shown_limits::of(settings, 1),
    };
    [incoming, outgoing]
}

/// The factor from the stored unit, octets a second, to the unit that is shown.
fn unit_factor(options: mrtg::Options) -> f64 {
    let bits = if options.has(Flag::Bits) { 8.0 } else { 1.0 };
    let seconds = match (options.has(Flag::Perminute), options.has(Flag::Perhour)) {
        (true, _) => 60.0,
        (false, true) => 3600.0,
        (false, false) => 1.0,
    };
    bits * seconds
}

fn periods(set: mrtg::Periods) -> Periods {
    Periods {
        day: set.has(Period::Day),
        week: set.has(Period::Week),
        month: set.has(Period::Month),
        year: set.has(Period::Year),
    }
}
