//! Several targets in one graph: side by side, stacked, or summed.

use crate::drawing::Format;
use crate::extent::{Extent, NoExtent};
use crate::graph_arguments::{Canvas, Paper, Size, escape, escape_colons, frame, inks};
use crate::period::Period;
use crate::url_words::UrlWords;
use crate::view::View;
use crate::{Look, Target};

/// The most targets that are compared.
const TARGETS_MAX: usize = 50;

/// Colours of lines that are told apart by any eye, those of `chart.css`.
const LIGHT: [&str; 10] = [
    "#2563C9", "#D9730D", "#1F8A4C", "#C2255C", "#7048B8", "#0F8B8D", "#8A6D00", "#5C6670",
    "#A0422A", "#4A7A12",
];
const DARK: [&str; 10] = [
    "#6CA8FF", "#FFA94D", "#4FCE7F", "#FF8FB3", "#B79BFF", "#4FD3D6", "#E3C04A", "#AAB4C0",
    "#F2957A", "#A9D65C",
];

/// How targets share a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A line for each.
    Each,
    /// One on top of the other.
    Stack,
    /// All together.
    Sum,
}

impl Mode {
    pub(crate) const ALL: [Self; 3] = [Self::Each, Self::Stack, Self::Sum];

    /// The name in URLs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Each => "each",
            Self::Stack => "stack",
            Self::Sum => "sum",
        }
    }
}

/// Targets that are compared.
pub(crate) struct Comparison {
    pub(crate) targets: Vec<Target>,
    pub(crate) mode: Mode,
    pub(crate) extent: Extent,
}

/// Words of a URL that tell no comparison.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum NoComparison {
    /// There is no such target, or the visitor may not see it.
    #[error("there is no target {0}")]
    NoTarget(String),
    /// There are too many.
    #[error("expected at most {TARGETS_MAX} targets, found {0}")]
    TooMany(usize),
    /// It is no mode.
    #[error("mode: expected each, stack or sum")]
    Mode,
    /// The time cannot be read.
    #[error(transparent)]
    Extent(#[from] NoExtent),
}

impl Comparison {
    /// The comparison that a URL asks for; without targets if it names none.
    ///
    /// # Errors
    /// [`NoComparison`].
    pub(crate) fn of(view: &View, words: &UrlWords) -> Result<Self, NoComparison> {
        let mut names = words.all("t");
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        if names.len() > TARGETS_MAX {
            return Err(NoComparison::TooMany(names.len()));
        }
        let find =
            |name: &String| view.find(name).ok_or_else(|| NoComparison::NoTarget(name.clone()));
        let targets = names.iter().map(find).collect::<Result<_, _>>()?;
        let mode = match words.last("mode") {
            None => Mode::Each,
            Some(word) => {
                let mode = Mode::ALL.into_iter().find(|mode| mode.name() == word);
                mode.ok_or(NoComparison::Mode)?
            }
        };
        let extent = Extent::of(&words.single(), Period::Day, view.now_seconds, &view.zone)?;
        Ok(Self { targets, mode, extent })
    }

    /// The units of the targets, each once: a graph of several is of little use.
    pub(crate) fn units(&self) -> Vec<&str> {
        let mut units: Vec<&str> = self.targets.iter().map(|target| &*target.look.unit).collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    /// The graphs that it has: `all` for sums, else one for each value that a target shows.
    pub(crate) fn plots(&self) -> Vec<&'static str> {
        match self.mode {
            Mode::Sum => vec!["all"],
            Mode::Each | Mode::Stack => {
                let is_shown = |nth: usize| self.targets.iter().any(|it| it.look.lines[nth].shown);
                let plots = ["ds0", "ds1"].into_iter().enumerate();
                plots.filter(|(nth, _)| is_shown(*nth)).map(|(_, plot)| plot).collect()
            }
        }
    }

    /// The arguments of `rrdtool graph` for one of its graphs, without the image's file name; `None`
    /// if it has no such graph. `path` tells the path of a target's database.
    pub(crate) fn arguments(
        &self,
        plot: &str,
        canvas: Canvas,
        format: Format,
        path: impl Fn(&Target) -> String,
    ) -> Option<Vec<String>> {
        let look = self.targets.first()?.present_look();
        if !self.plots().contains(&plot) {
            return None;
        }
        let mut arguments = frame(&look, self.extent, canvas);
        arguments.push("--lower-limit=0".to_owned());
        arguments.push(format!("--imgformat={}", format.word()));
        let sources: &[usize] = match plot {
            "ds0" => &[0],
            "ds1" => &[1],
            _ => &[0, 1],
        };
        for nth in sources.iter().copied() {
            arguments.extend(self.definitions(nth, &path));
        }
        match self.mode {
            Mode::Sum => arguments.extend(sources.iter().flat_map(|nth| self.sum(*nth, canvas))),
            _ => arguments.extend(self.shapes(sources[0], canvas)),
        }
        Some(arguments)
    }

    /// The targets that show a value, with their positions.
    fn shown(&self, nth: usize) -> impl Iterator<Item = (usize, &Target)> {
        let targets = self.targets.iter().enumerate();
        targets.filter(move |(_, target)| target.look.lines[nth].shown)
    }

    fn definitions(&self, nth: usize, path: impl Fn(&Target) -> String) -> Vec<String> {
        let definitions = self.shown(nth).flat_map(|(position, target)| {
            let (path, Look { factor, .. }) = (escape_colons(&path(target)), &*target.look);
            [
                format!("DEF:r{position}_{nth}={path}:ds{nth}:AVERAGE"),
                format!("CDEF:v{position}_{nth}=r{position}_{nth},{factor},*"),
            ]
        });
        definitions.collect()
    }

    /// A line or an area for each target.
    fn shapes(&self, nth: usize, canvas: Canvas) -> Vec<String> {
        let colours = match canvas.paper {
            Paper::Light => LIGHT,
            Paper::Dark => DARK,
        };
        let shapes = self.shown(nth).flat_map(|(position, target)| {
            let (name, colour) = (format!("v{position}_{nth}"), colours[position % colours.len()]);
            let (shape, end) = match self.mode {
                Mode::Stack => ("AREA", ":STACK"),
                _ => ("LINE1", ""),
            };
            let title = escape(&target.title());
            let legend = if canvas.size == Size::Spark { "" } else { &*title };
            let mut shapes = vec![format!("{shape}:{name}{colour}:{legend}{end}")];
            if !legend.is_empty() {
                shapes.push(numbers(&name, &target.look));
            }
            shapes
        });
        shapes.collect()
    }

    /// The sum of all targets, where one is known at least.
    fn sum(&self, nth: usize, canvas: Canvas) -> Vec<String> {
        let names: Vec<_> =
            self.shown(nth).map(|(position, _)| format!("v{position}_{nth}")).collect();
        let Some((_, target)) = self.shown(nth).next() else { return Vec::new() };
        let plus = ",ADDNAN".repeat(names.len() - 1);
        let shape = if nth == 0 { "AREA" } else { "LINE1" };
        let colour = inks(canvas.paper).areas[nth];
        let label = escape(&target.look.lines[nth].label);
        vec![
            format!("CDEF:s{nth}={}{plus}", names.join(",")),
            format!("{shape}:s{nth}{colour}:{label}"),
            numbers(&format!("s{nth}"), &target.look),
        ]
    }
}

/// The average of a value, at the end of a line of the legend.
fn numbers(name: &str, look: &Look) -> String {
    let unit = escape(&look.unit.replace('%', "%%"));
    format!("GPRINT:{name}:AVERAGE:%7.2lf %s{unit} on average\\l")
}
