//! The labels of a graph, with MRTG's defaults.

use std::sync::Arc;

use crate::{Flag, Interval, Options};

/// The labels on a target's page and graphs.
#[derive(Clone, Debug, PartialEq)]
pub struct Legends {
    /// `YLegend`: the label of the vertical axis.
    pub y_axis: Arc<str>,
    /// `ShortLegend`: the unit after numbers, without k, M, G.
    pub unit: Arc<str>,
    /// `Legend1`: the description of the incoming area.
    pub incoming: Arc<str>,
    /// `Legend2`: the description of the outgoing line.
    pub outgoing: Arc<str>,
    /// `Legend3`: the description of the incoming maximum, which `WithPeak` shows.
    pub incoming_peak: Arc<str>,
    /// `Legend4`: the description of the outgoing maximum.
    pub outgoing_peak: Arc<str>,
    /// `Legend5`: the description of the ratio that `Options[]: dorelpercent` draws.
    pub ratio: Arc<str>,
    /// `LegendI`: the label before incoming numbers. If it is set to an empty value, these numbers
    /// are hidden.
    pub incoming_label: Arc<str>,
    /// `LegendO`: the label before outgoing numbers. If it is empty, these numbers are hidden.
    pub outgoing_label: Arc<str>,
}

/// MRTG's default labels for each of the six units, made once and shared by all targets.
pub(crate) struct DefaultLegends {
    all: [Arc<Legends>; 6],
}

impl DefaultLegends {
    pub(crate) fn new(interval: Interval) -> Self {
        let units = [(false, 0), (false, 1), (false, 2), (true, 0), (true, 1), (true, 2)];
        Self { all: units.map(|(bits, per)| Arc::new(words_for(interval, bits, per))) }
    }

    pub(crate) fn for_options(&self, options: Options) -> &Arc<Legends> {
        let [s, min, h, bit_s, bit_min, bit_h] = &self.all;
        let per_hour = options.has(Flag::Perhour);
        let per_minute = options.has(Flag::Perminute);
        // Both are set: MRTG prefers the minute, and so does gyre.
        match (options.has(Flag::Bits), per_minute, per_hour) {
            (false, false, false) => s,
            (false, true, _) => min,
            (false, false, true) => h,
            (true, false, false) => bit_s,
            (true, true, _) => bit_min,
            (true, false, true) => bit_h,
        }
    }
}

fn words_for(interval: Interval, bits: bool, per: usize) -> Legends {
    let amount = if bits { "Bits" } else { "Bytes" };
    let letter = if bits { "b" } else { "B" };
    let (long, short) = match per {
        0 => ("Second", "s"),
        1 => ("Minute", "min"),
        _ => ("Hour", "h"),
    };
    let span = span_words(interval);
    let incoming = format!("Incoming Traffic in {amount} per {long}");
    let outgoing = format!("Outgoing Traffic in {amount} per {long}");
    Legends {
        y_axis: format!("{amount} per {long}").into(),
        unit: format!("{letter}/{short}").into(),
        incoming_peak: format!("Maximal {span} Incoming Traffic").into(),
        outgoing_peak: format!("Maximal {span} Outgoing Traffic").into(),
        ratio: format!("(({incoming})/({outgoing}))*100").into(),
        incoming: incoming.into(),
        outgoing: outgoing.into(),
        incoming_label: "In".into(),
        outgoing_label: "Out".into(),
    }
}

/// The interval in words. MRTG writes "5 Minute" for every interval.
fn span_words(interval: Interval) -> String {
    let seconds = interval.step_seconds();
    if seconds.is_multiple_of(60) {
        format!("{} Minute", seconds / 60)
    } else {
        format!("{seconds} Second")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_follows_the_options() {
        let legends = DefaultLegends::new(Interval::default());
        let of = |flags: &[Flag]| {
            let options = flags.iter().fold(Options::default(), |set, flag| set.with(*flag));
            legends.for_options(options).unit.to_string()
        };
        assert_eq!(of(&[]), "B/s");
        assert_eq!(of(&[Flag::Bits]), "b/s");
        assert_eq!(of(&[Flag::Perminute]), "B/min");
        assert_eq!(of(&[Flag::Perhour, Flag::Bits]), "b/h");
    }

    #[test]
    fn the_words_are_those_of_mrtg() {
        let legends = DefaultLegends::new(Interval::default());
        let bits = legends.for_options(Options::default().with(Flag::Bits));
        assert_eq!(&*bits.incoming, "Incoming Traffic in Bits per Second");
        assert_eq!(&*bits.outgoing_peak, "Maximal 5 Minute Outgoing Traffic");
        assert_eq!(&*bits.y_axis, "Bits per Second");
    }
}
