//! What the web pages say about each target, from the configuration.

use std::collections::VecDeque;
use std::sync::Arc;

use mrtg::{Configuration, Flag, Period};
use server::{Catalogue, Line, Look, Periods, Target};

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
    let store_path: Arc<str> = kept.root.to_string_lossy().into();
    let mut looks = Looks::default();
    let targets = configuration.targets.iter().enumerate();
    let targets = targets.map(|(nth, target)| {
        let database = &databases[nth];
        let sources = &wiring.sources_of_target[nth];
        let name = database.as_ref().map_or_else(|_| "".into(), |found| found.name.clone());
        let problem = sources.as_ref().err().or(database.as_ref().err()).cloned();
        let sources: &[usize] = sources.as_ref().map_or(&[], |sources| sources);
        Target {
            name: target.name.as_str().into(),
            title: target.title.clone(),
            page_top_html: target.page_top.clone(),
            device: match sources {
                [only] => wiring.name_of(*only),
                several => names(wiring, several),
            },
            device_index: match sources {
                [only] => Some(*only),
                _ => None,
            },
            remark: remark(target),
            store_path: store_path.clone(),
            in_ring_store: kept.ring().is_some(),
            database: name,
            problem,
            look: looks.shared(look(configuration, target)),
        }
    });
    Catalogue::new(title(configuration), notice, targets.collect())
}

fn names(wiring: &Wiring, sources: &[usize]) -> Arc<str> {
    let names: Vec<_> = sources.iter().map(|source| wiring.name_of(*source)).collect();
    names.join(", ").into()
}

/// The looks that were met last: most targets share one of few.
#[derive(Default)]
struct Looks(VecDeque<Arc<Look>>);

impl Looks {
    /// The most looks to compare with.
    const MAX: usize = 32;

    fn shared(&mut self, look: Look) -> Arc<Look> {
        if let Some(known) = self.0.iter().find(|known| ***known == look) {
            return known.clone();
        }
        let look = Arc::new(look);
        self.0.truncate(Self::MAX - 1);
        self.0.push_front(look.clone());
        look
    }
}

/// The title: the configuration's name, so that several runs of gyre can be told apart.
fn title(configuration: &Configuration) -> String {
    let main = configuration.files.first().and_then(|path| path.file_stem());
    main.map_or_else(|| "gyre".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// The description that cfgmaker wrote about the interface.
fn remark(target: &mrtg::Target) -> Arc<str> {
    let wanted = ["MRTG_INT_DESCR", "MRTG_INT_IP"];
    let found = wanted.iter().filter_map(|wanted| {
        let (_, value) = target.environment.iter().find(|(name, _)| name == wanted)?;
        (!value.is_empty()).then_some(value.as_str())
    });
    found.collect::<Vec<_>>().join(", ").into()
}

fn look(configuration: &Configuration, target: &mrtg::Target) -> Look {
    let has = |flag| target.options.has(flag);
    let legends: &mrtg::Legends = &target.legends;
    Look {
        step_seconds: configuration.globals.interval.step_seconds(),
        factor: target.factor * unit_factor(target.options),
        kilo: target.kilo,
        integer: has(Flag::Integer),
        y_axis: legends.y_axis.clone(),
        unit: legends.unit.clone(),
        lines: lines(target),
        unscaled: periods(target.unscaled),
        with_peak: periods(target.with_peak),
        suppress: periods(target.suppress),
        logarithmic: has(Flag::Logscale),
        unknown_as_zero: has(Flag::Unknaszero),
        width_pixels: target.width_pixels,
        height_pixels: target.height_pixels,
    }
}

/// How graphs label and draw the incoming and the outgoing value.
fn lines(target: &mrtg::Target) -> [Line; 2] {
    let legends: &mrtg::Legends = &target.legends;
    let [maximum_in, maximum_out] = target.max_bytes;
    let incoming = Line {
        shown: !target.options.has(Flag::Noi),
        label: legends.incoming_label.clone(),
        legend: legends.incoming.clone(),
        peak_legend: legends.incoming_peak.clone(),
        maximum: maximum_in,
    };
    let outgoing = Line {
        shown: !target.options.has(Flag::Noo),
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
