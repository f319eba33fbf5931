//! Evaluates targets.

use std::cell::Cell;
use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use series::{PathPattern, Preferred, Span, Window};

use crate::argument::Argument;
use crate::at_time::SECONDS_MAX;
use crate::consolidation::Consolidation;
use crate::function::{Context, Function, Invocation, World};
use crate::functions;
use crate::language::{Call, Expression, parse, parse_beginning};
use crate::parameter::Parameter;
use crate::rows;
use crate::setting::{Setting, Store};
use crate::time_series::TimeSeries;
use crate::{Error, tags};

/// So much work is done between two questions whether it goes on.
const WORK_UNASKED: u64 = 1 << 16;

/// Evaluates the targets of a request.
pub(crate) struct Evaluation<'a> {
    store: Store<'a>,
    setting: Setting<'a>,
    zone: &'a TimeZone,
    /// Values of the request that fill places of `template()`.
    replaced: &'a BTreeMap<String, String>,
    values_left: Cell<u64>,
    work_left: Cell<u64>,
    work_unasked: Cell<u64>,
    depth: Cell<usize>,
}

impl<'a> Evaluation<'a> {
    pub(crate) fn new(
        store: Store<'a>,
        setting: Setting<'a>,
        zone: &'a TimeZone,
        replaced: &'a BTreeMap<String, String>,
    ) -> Self {
        Self {
            store,
            setting,
            zone,
            replaced,
            values_left: Cell::new(setting.limits.values),
            work_left: Cell::new(setting.limits.work),
            work_unasked: Cell::new(0),
            depth: Cell::new(0),
        }
    }

    /// The series of a target.
    pub(crate) fn target(
        &self,
        text: &str,
        context: &mut Context,
    ) -> Result<Vec<TimeSeries>, Error> {
        let expression = parse(text, &self.setting.limits, self.replaced)?;
        self.evaluate(&expression, context)
    }

    fn call(&self, call: &Call, context: &mut Context) -> Result<Vec<TimeSeries>, Error> {
        if call.name == "seriesByTag" {
            return self.by_tag(call, context);
        }
        let function = functions::named(&call.name)
            .ok_or_else(|| Error::UnknownFunction { name: call.name.clone() })?;
        let given = self.given(function, call, context)?;
        let mut invocation = Invocation {
            function,
            arguments: given.arguments,
            rest: given.rest,
            first: call.arguments.first(),
            world: self,
            context,
        };
        let made = (function.body)(&mut invocation)?;
        drop(invocation);
        self.take(made.iter().map(TimeSeries::weight).sum())?;
        Ok(made)
    }

    /// The arguments of a call, in the order of the parameters.
    fn given(
        &self,
        function: &'static Function,
        call: &Call,
        context: &mut Context,
    ) -> Result<Given, Error> {
        let parameters = function.parameters;
        let is_many = parameters.last().is_some_and(|it| it.is_many);
        let single = parameters.len() - usize::from(is_many);
        if call.arguments.len() > single && !is_many {
            let (name, found) = (function.name, call.arguments.len());
            return Err(Error::TooManyArguments { function: name, most: single, found });
        }
        check_names(function, call, single)?;
        let mut arguments = Vec::new();
        for (nth, parameter) in parameters[..single].iter().enumerate() {
            let expression = call.arguments.get(nth).or_else(|| named(call, parameter));
            let wanted = preferred(function, call).filter(|_| nth == 0);
            arguments.push(match (expression, wanted) {
                (Some(it), Some(preferred)) => {
                    let mut context = Context { preferred, ..context.clone() };
                    self.argument(function, parameter, it, &mut context)?
                }
                (Some(it), None) => self.argument(function, parameter, it, context)?,
                (None, _) if parameter.is_required => return Err(missing(function, parameter)),
                (None, _) => Argument::by_default(parameter),
            });
        }
        let rest = match parameters.last().filter(|it| it.is_many) {
            Some(parameter) => self.rest(function, parameter, call, context)?,
            None => Vec::new(),
        };
        Ok(Given { arguments, rest })
    }

    /// The arguments of the parameter that takes many, which is the last one.
    fn rest(
        &self,
        function: &'static Function,
        parameter: &'static Parameter,
        call: &Call,
        context: &mut Context,
    ) -> Result<Vec<Argument>, Error> {
        let single = function.parameters.len() - 1;
        let expressions = call.arguments.iter().skip(single).chain(named(call, parameter));
        let mut rest = Vec::new();
        for expression in expressions {
            rest.push(self.argument(function, parameter, expression, context)?);
        }
        match rest.is_empty() && parameter.is_required {
            true => Err(missing(function, parameter)),
            false => Ok(rest),
        }
    }

    fn argument(
        &self,
        function: &'static Function,
        parameter: &'static Parameter,
        expression: &Expression,
        context: &mut Context,
    ) -> Result<Argument, Error> {
        let argument = match expression {
            Expression::Path(_) | Expression::Call(_) => {
                Argument::Series(self.evaluate(expression, context)?)
            }
            Expression::Text(text) => Argument::Text(text.clone()),
            Expression::Number(number) => Argument::Number(*number),
            Expression::Boolean(boolean) => Argument::Boolean(*boolean),
            Expression::Nothing => Argument::Nothing,
        };
        argument.checked(function.name, parameter, functions::is_aggregator)
    }

    fn by_path(&self, path: &str, context: &Context) -> Result<Vec<TimeSeries>, Error> {
        self.check_time()?;
        // A tagged series by its whole name.
        if path.contains(';') {
            let matchers = tags::of_name(path)?;
            let found = self.store.source.select(&matchers, &window(context))?;
            let named = found.into_iter().filter_map(|it| rows::by_tags(it, path, context));
            return self.taken(named.filter(|it| it.name == path).collect(), context);
        }
        let pattern = PathPattern::new(path)?;
        let found = self.store.paths.select_paths(&pattern, &window(context))?;
        let found = found.into_iter().filter_map(|it| rows::by_path(it, path, context));
        self.taken(found.collect(), context)
    }

    fn by_tag(&self, call: &Call, context: &Context) -> Result<Vec<TimeSeries>, Error> {
        let mut conditions = Vec::new();
        for argument in &call.arguments {
            match argument {
                Expression::Text(text) => conditions.push(text.as_str()),
                _ => return Err(Error::TagCondition { text: call.text.clone() }),
            }
        }
        let matchers = tags::matchers(&conditions)?;
        self.check_time()?;
        let found = self.store.source.select(&matchers, &window(context))?;
        let mut series: Vec<_> =
            found.into_iter().filter_map(|it| rows::by_tags(it, &call.text, context)).collect();
        series.sort_by(|a, b| a.name.cmp(&b.name));
        series.dedup_by(|a, b| a.name == b.name);
        self.taken(series, context)
    }

    fn taken(
        &self,
        mut series: Vec<TimeSeries>,
        context: &Context,
    ) -> Result<Vec<TimeSeries>, Error> {
        self.take(series.iter().map(TimeSeries::weight).sum())?;
        for one in &mut series {
            let around = rows::Around::of(one, context);
            self.take(around.before.saturating_add(around.behind))?;
            around.add_to(one);
        }
        Ok(series)
    }

    /// A store is not asked once the time is over.
    fn check_time(&self) -> Result<(), Error> {
        if (self.setting.goes_on)() { Ok(()) } else { Err(Error::Stopped) }
    }
}

/// The arguments of a call.
struct Given {
    arguments: Vec<Argument>,
    rest: Vec<Argument>,
}

fn named<'c>(call: &'c Call, parameter: &Parameter) -> Option<&'c Expression> {
    call.named.iter().find(|it| it.name == parameter.name).map(|it| &it.value)
}

fn missing(function: &'static Function, parameter: &'static Parameter) -> Error {
    Error::Missing { function: function.name, parameter: parameter.name }
}

/// Names must be those of parameters, each given once.
fn check_names(function: &'static Function, call: &Call, single: usize) -> Result<(), Error> {
    for (nth, named) in call.named.iter().enumerate() {
        let place = function.parameters.iter().position(|it| it.name == named.name);
        let is_free = place.is_some_and(|place| place >= call.arguments.len().min(single));
        let is_first = !call.named[..nth].iter().any(|it| it.name == named.name);
        if !is_free || !is_first {
            let name = named.name.clone();
            return Err(Error::UnexpectedName { function: function.name, name });
        }
    }
    Ok(())
}

/// Which archive of the series of a bare path is read, if `consolidateBy` is asked for it.
fn preferred(function: &'static Function, call: &Call) -> Option<Preferred> {
    let (first, parameter) = (call.arguments.first()?, function.parameters.get(1)?);
    let is_bare = match first {
        Expression::Path(_) => true,
        Expression::Call(call) => call.name == "seriesByTag",
        _ => false,
    };
    match call.arguments.get(1).or_else(|| named(call, parameter))? {
        Expression::Text(name) if is_bare && function.name == "consolidateBy" => {
            Some(Consolidation::named(name)?.preferred())
        }
        _ => None,
    }
}

/// The window of a request's times. Shifts may lead out of all times that dates have, where nothing
/// is.
fn window(context: &Context) -> Window {
    let micros = |seconds: i64| seconds.clamp(0, SECONDS_MAX) * 1_000_000;
    let span = Span { start_micros: micros(context.start), end_micros: micros(context.end) };
    Window { span, step_micros: 0, preferred: context.preferred }
}

impl World for Evaluation<'_> {
    fn evaluate(
        &self,
        expression: &Expression,
        context: &mut Context,
    ) -> Result<Vec<TimeSeries>, Error> {
        self.work(1)?;
        let most = self.setting.limits.depth;
        if self.depth.get() > most + 1 {
            return Err(Error::Depth { most });
        }
        self.depth.set(self.depth.get() + 1);
        let made = match expression {
            Expression::Path(path) => self.by_path(path, context),
            Expression::Call(call) => self.call(call, context),
            _ => Ok(Vec::new()),
        };
        self.depth.set(self.depth.get() - 1);
        made
    }

    fn evaluate_text(&self, text: &str, context: &mut Context) -> Result<Vec<TimeSeries>, Error> {
        self.target(text, context)
    }

    fn join(
        &self,
        name: &str,
        series: Vec<TimeSeries>,
        context: &mut Context,
    ) -> Option<Result<Vec<TimeSeries>, Error>> {
        let function = functions::named(name).filter(|_| functions::is_aggregator(name))?;
        let is_many = function.parameters.first().is_some_and(|it| it.is_many);
        let mut arguments: Vec<_> = function.parameters.iter().map(Argument::by_default).collect();
        let mut rest = Vec::new();
        match is_many {
            true => rest.push(Argument::Series(series)),
            false => arguments[0] = Argument::Series(series),
        }
        let mut invocation =
            Invocation { function, arguments, rest, first: None, world: self, context };
        Some((function.body)(&mut invocation))
    }

    fn first_path(&self, name: &str) -> Option<String> {
        let mut expression = parse_beginning(name, &self.setting.limits)?;
        loop {
            expression = match expression {
                Expression::Path(path) => return Some(path),
                Expression::Call(call) => call.arguments.into_iter().next()?,
                _ => return None,
            };
        }
    }

    fn work(&self, steps: u64) -> Result<(), Error> {
        let most = self.setting.limits.work;
        let too_much = Error::TooMuch { what: "steps of calculation", most };
        self.work_left.set(self.work_left.get().checked_sub(steps).ok_or(too_much)?);
        let unasked = self.work_unasked.get().saturating_add(steps);
        self.work_unasked.set(unasked);
        if unasked < WORK_UNASKED {
            return Ok(());
        }
        self.work_unasked.set(0);
        self.check_time()
    }

    fn take(&self, values: u64) -> Result<(), Error> {
        let most = self.setting.limits.values;
        let too_much = Error::TooMuch { what: "values", most };
        self.values_left.set(self.values_left.get().checked_sub(values).ok_or(too_much)?);
        self.work(values)
    }

    fn now_seconds(&self) -> i64 {
        self.setting.now_seconds
    }

    fn zone(&self) -> &TimeZone {
        self.zone
    }
}
