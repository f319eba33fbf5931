//! Operators between series that match.

use promql_parser::parser::{BinModifier, LabelModifier, VectorMatchCardinality};
use series::{Label, Labels, METRIC_NAME};

use crate::context::Context;
use crate::error::Failed;
use crate::grouping::Grouping;
use crate::operators::Operator;
use crate::vector::{ABSENT, Vector, is_absent};

/// An operator with all that is said of its sides.
pub(crate) struct Matching<'a> {
    operator: Operator,
    returns_bool: bool,
    cardinality: Cardinality<'a>,
    grouping: Grouping,
    /// Whether `on` names the labels of what it makes.
    is_on: bool,
}

/// Which side may have several series of a group.
#[derive(Clone, Copy)]
enum Cardinality<'a> {
    OneToOne,
    /// The left; these labels come from the right.
    ManyToOne(&'a [String]),
    /// The right; these labels come from the left.
    OneToMany(&'a [String]),
}

/// The series of a group on the side that has one at a time.
#[derive(Clone)]
enum One {
    None,
    Single(usize),
    /// Which series it is at each time.
    Several {
        at: Vec<Option<usize>>,
        series: Vec<usize>,
    },
}

impl<'a> Matching<'a> {
    /// What an operator's modifier says.
    ///
    /// # Errors
    ///
    /// It says what there is not.
    pub(crate) fn new(
        operator: Operator,
        modifier: Option<&'a BinModifier>,
    ) -> Result<Self, Failed> {
        let matching = modifier.and_then(|it| it.matching.as_ref());
        let fills = modifier.map(|it| &it.fill_values);
        if fills.is_some_and(|it| it.lhs.is_some() || it.rhs.is_some()) {
            let what = "fill, fill_left and fill_right".to_owned();
            return Err(Failed::Unsupported { what, why: "Prometheus 2 has none either" });
        }
        let cardinality = match modifier.map(|it| &it.card) {
            Some(VectorMatchCardinality::ManyToOne(it)) => Cardinality::ManyToOne(&it.labels),
            Some(VectorMatchCardinality::OneToMany(it)) => Cardinality::OneToMany(&it.labels),
            _ => Cardinality::OneToOne,
        };
        Ok(Self {
            operator,
            returns_bool: modifier.is_some_and(|it| it.return_bool),
            cardinality,
            grouping: Grouping::of_matching(matching),
            is_on: matching.is_some_and(LabelModifier::is_include),
        })
    }

    /// What the operator makes of two vectors.
    ///
    /// # Errors
    ///
    /// A series matches several where it may match one.
    pub(crate) fn combine(
        &self,
        context: &Context<'_>,
        left: Vector,
        right: Vector,
    ) -> Result<Vector, Failed> {
        let (many, one, side) = match self.cardinality {
            Cardinality::OneToMany(_) => (&right, &left, "left"),
            _ => (&left, &right, "right"),
        };
        let groups = self.grouping.assign(&[&one.labels, &many.labels]);
        let is_asked = times_with_samples(many);
        let ones = self.ones(one, &is_asked, &groups.of_list[0], groups.count, side)?;
        let mut out = Vector::new(many.width);
        let mut made_by_group = vec![Vec::new(); groups.count];
        for (nth, group) in groups.of_list[1].iter().enumerate() {
            let from = match &ones[*group as usize] {
                One::None => continue,
                One::Single(it) => std::slice::from_ref(it),
                One::Several { series, .. } => series,
            };
            context.take_values(from.len(), many.width)?;
            let at = match &ones[*group as usize] {
                One::Several { at, .. } => Some(&**at),
                _ => None,
            };
            for partner in from {
                let labels = self.labels(&many.labels[nth], &one.labels[*partner]);
                let column = out.push(labels);
                self.fill(column, many.column(nth), one.column(*partner));
                if let Some(at) = at {
                    keep_where(column, |time| at[time] == Some(*partner));
                }
                made_by_group[*group as usize].push(out.len() - 1);
            }
        }
        self.without_doubles(out, &made_by_group)
    }

    /// The series of the side that has one at a time, for each group. At times at which the other
    /// side has no sample at all there may be several.
    fn ones(
        &self,
        one: &Vector,
        is_asked: &[bool],
        groups: &[u32],
        count: usize,
        side: &'static str,
    ) -> Result<Vec<One>, Failed> {
        let mut ones = vec![One::None; count];
        for (nth, group) in groups.iter().enumerate() {
            let place = &mut ones[*group as usize];
            let is_free = match place {
                One::None => {
                    *place = One::Single(nth);
                    true
                }
                One::Single(first) => {
                    let first = *first;
                    let mut at = vec![None; one.width];
                    occupy(&mut at, one, first, is_asked);
                    let is_free = occupy(&mut at, one, nth, is_asked);
                    *place = One::Several { at, series: vec![first, nth] };
                    is_free
                }
                One::Several { at, series } => {
                    series.push(nth);
                    occupy(at, one, nth, is_asked)
                }
            };
            if !is_free {
                let group = self.shown(&one.labels[nth]);
                return Err(Failed::ManyToMany { group, side });
            }
        }
        Ok(ones)
    }

    /// A group's labels, for people.
    fn shown(&self, labels: &Labels) -> String {
        let kept = self.grouping.kept(labels);
        let each = kept.iter().map(|Label { name, value }| format!("{name}={value:?}"));
        format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
    }

    fn fill(&self, column: &mut [f64], many: &[f64], one: &[f64]) {
        let is_swapped = matches!(self.cardinality, Cardinality::OneToMany(_));
        let pairs = many.iter().zip(one).map(|(many, one)| (*many, *one));
        for (value, (many, one)) in column.iter_mut().zip(pairs) {
            if is_absent(many) || is_absent(one) {
                continue;
            }
            let (left, right) = if is_swapped { (one, many) } else { (many, one) };
            *value = match self.returns_bool {
                true => self.operator.of(left, right),
                false => self.operator.keeping(left, right, left),
            };
        }
    }

    /// The labels of what is made of two series.
    fn labels(&self, many: &Labels, one: &Labels) -> Labels {
        let mut labels = many.clone();
        if !self.operator.is_comparison() || self.returns_bool {
            labels.remove(METRIC_NAME);
        }
        let included = match self.cardinality {
            Cardinality::OneToOne => {
                let keeps = |name: &str| match name {
                    METRIC_NAME if !self.is_on => true,
                    name => self.grouping.keeps(name),
                };
                labels.retain(keeps);
                return labels;
            }
            Cardinality::ManyToOne(included) | Cardinality::OneToMany(included) => included,
        };
        for name in included {
            labels.set(Label::new(name.as_str(), one.get(name)));
        }
        labels
    }

    /// One series for each set of labels; the same at the same time is an error.
    fn without_doubles(&self, out: Vector, made: &[Vec<usize>]) -> Result<Vector, Failed> {
        if !matches!(self.cardinality, Cardinality::OneToOne) {
            return out.merged(|_| Failed::GroupNotUnique);
        }
        let (mut has_several, always) = (false, vec![true; out.width]);
        for made in made.iter().filter(|it| it.len() > 1) {
            has_several = true;
            let mut at = vec![None; out.width];
            if !made.iter().all(|nth| occupy(&mut at, &out, *nth, &always)) {
                return Err(Failed::ManyToOne);
            }
        }
        if has_several { out.merged(|_| Failed::ManyToOne) } else { Ok(out) }
    }
}

/// Notes where a series has samples; false if another one has one at the same time.
fn occupy(at: &mut [Option<usize>], vector: &Vector, nth: usize, is_asked: &[bool]) -> bool {
    let mut is_free = true;
    let times = at.iter_mut().zip(is_asked).zip(vector.column(nth));
    for ((place, _), _) in times.filter(|((_, is_asked), value)| **is_asked && !is_absent(**value))
    {
        is_free &= place.is_none();
        *place = Some(nth);
    }
    is_free
}

/// At which times any series has a sample.
fn times_with_samples(vector: &Vector) -> Vec<bool> {
    let mut times = vec![false; vector.width];
    for nth in 0..vector.len() {
        times.iter_mut().zip(vector.column(nth)).for_each(|(it, value)| *it |= !is_absent(*value));
    }
    times
}

fn keep_where(column: &mut [f64], is_kept: impl Fn(usize) -> bool) {
    for (_, value) in column.iter_mut().enumerate().filter(|(nth, _)| !is_kept(*nth)) {
        *value = ABSENT;
    }
}

/// What an operator makes of a vector and a number.
pub(crate) fn with_scalar(
    operator: Operator,
    returns_bool: bool,
    vector: Vector,
    scalar: &[f64],
    scalar_is_left: bool,
) -> Result<Vector, Failed> {
    let made = vector.map_at(|nth, value| {
        let (left, right) =
            if scalar_is_left { (scalar[nth], value) } else { (value, scalar[nth]) };
        match returns_bool {
            true => operator.of(left, right),
            false => operator.keeping(left, right, value),
        }
    });
    match operator.is_comparison() && !returns_bool {
        true => Ok(made),
        false => made.without_names(),
    }
}
