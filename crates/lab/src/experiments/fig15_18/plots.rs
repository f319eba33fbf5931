//! The plots of a growing site.

use super::mode::Mode;
use super::protocol::CYCLE_SECONDS;
use super::site::{Site, Window};
use crate::plot::{Plot, Series, Shape};
use crate::ways::Way;

const TARGETS: &str = "targets";

/// The cycles of every mode; the pages read; the ring store compared with the best other mode.
pub(super) fn of(sites: &[Site]) -> Vec<(&'static str, Plot)> {
    let all: Vec<&Site> = sites.iter().collect();
    let files: Vec<&Site> = sites.iter().filter(|site| !site.mode.is_ring()).collect();
    let best = super::verdicts::best(sites);
    let rings = sites.iter().filter(|site| site.mode.is_ring());
    vec![
        ("", cycles("Until it breaks: a cycle, until all is on disk", &all)),
        ("-page-ins", page_ins(&files)),
        (
            "-ring",
            cycles(
                "The ring store and the best way with .rrd files",
                &best.into_iter().chain(rings).collect::<Vec<_>>(),
            ),
        ),
    ]
}

fn cycles(title: &str, sites: &[&Site]) -> Plot {
    let mut series: Vec<Series> =
        sites.iter().map(|site| line(site, site.mode.name(), |it| Some(it.seconds))).collect();
    let targets = || series.iter().flat_map(|series| &series.points).map(|[targets, _]| *targets);
    let ends = [targets().fold(f64::INFINITY, f64::min), targets().fold(0.0, f64::max)];
    let limit = ends.map(|targets| [targets, CYCLE_SECONDS]);
    series.push(Series { name: "what it may take".into(), points: limit.into(), is_dashed: true });
    Plot {
        title: title.into(),
        x: TARGETS.into(),
        y: "seconds, of 300".into(),
        shape: Shape::Logarithmic,
        series,
    }
}

fn page_ins(sites: &[&Site]) -> Plot {
    let own = Mode::Files { way: Way::OWN, has_journal: false };
    let mut series = Vec::new();
    for site in sites {
        series.push(line(site, site.mode.name(), |it| Some(it.read)));
    }
    for site in sites.iter().filter(|site| site.mode == own) {
        series.push(Series {
            is_dashed: true,
            ..line(site, format!("{}, simulated", site.mode.name()), |it| it.simulated)
        });
    }
    Plot {
        title: "Pages read for an update of a target that was there before".into(),
        x: TARGETS.into(),
        y: "pages read for an update".into(),
        shape: Shape::Logarithmic,
        series,
    }
}

fn line(site: &Site, name: String, value: fn(&Window) -> Option<f64>) -> Series {
    let point = |it: &Window| Some([site.scale.targets(it.databases), value(it)?]);
    Series { name, points: site.windows.iter().filter_map(point).collect(), is_dashed: false }
}
