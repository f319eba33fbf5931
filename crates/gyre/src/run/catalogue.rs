//! What the web pages say about each target, from the configuration.

use std::collections::HashMap;
use std::sync::Arc;

use mrtg::{Configuration, Flag, Period, Settings};
use server::{Catalogue, Line, Look, Periods, StorePlace, Target};

use super::databases::Database;
use super::keeping::Kept;
use super::wiring::Wiring;

/// The catalogue of all targets of a configuration.
pub(super) fn catalogue(
    configuration: &Configuration,
    wiring: &Wiring,
    databases: &[Result<Database, Arc<str>>],
    kept: &Kept,
    notice: Option<String>,
) -> Catalogue {
    let place = StorePlace {
        path: kept.root.to_string_lossy().into_owned(),
        is_ring: kept.ring().is_some(),
    };
    let place = Arc::new(place);
    let mut looks: HashMap<*const Settings, Arc<Look>> = HashMap::new();
    let targets = configuration.targets.iter().enumerate();
    let targets = targets.map(|(nth, target)| {
        let database = &databases[nth];
        let sources = &wiring.sources_of_target[nth];
        let name = database.as_ref().map_or_else(|_| "".into(), |found| found.name.clone());
        let problem = sources.as_ref().err().or(database.as_ref().err()).cloned();
        let sources: &[u32] = sources.as_ref().map_or(&[], |sources| sources);
        Target {
            name: target.name.clone(),
            head: target.head.clone(),
            page: target.page.clone(),
            device: match sources {
                [only] => wiring.name_of(*only as usize),
                several => names(wiring, several),
            },
            device_index: match sources {
                [only] => Some(*only as usize),
                _ => None,
            },
            store: place.clone(),
            database: name,
            problem,
            look: looks
                .entry(Arc::as_ptr(&target.settings))
                .or_insert_with(|| look(&target.settings).into())
                .clone(),
            maxima: wiring.speeds.get(&nth).map(|speed| speed.maxima.clone()),
        }
    });
    Catalogue::new(title(configuration), notice, targets.collect())
}

fn names(wiring: &Wiring, sources: &[u32]) -> Arc<str> {
    let names: Vec<_> = sources.iter().map(|source| wiring.name_of(*source as usize)).collect();
    names.join(", ").into()
}

/// The title: the configuration's name, so that several runs of gyre can be told apart.
fn title(configuration: &Configuration) -> String {
    let main = configuration.files.first().and_then(|path| path.file_stem());
    main.map_or_else(|| "gyre".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

fn look(settings: &Settings) -> Look {
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
    };
    let outgoing = Line {
        shown: !settings.options.has(Flag::Noo),
        label: legends.outgoing_label.clone(),
        legend: legends.outgoing.clone(),
        peak_legend: legends.outgoing_peak.clone(),
        maximum: maximum_out,
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
