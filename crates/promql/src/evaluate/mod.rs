//! An expression and all below it. Leaves are read and calculated by the modules beside this one.

mod call;
mod sorting;

use promql_parser::label::Labels as Names;
use promql_parser::parser::token::{self, TokenType};
use promql_parser::parser::{
    AggregateExpr, BinaryExpr, Call, Expr, LabelModifier, MatrixSelector, SubqueryExpr,
    VectorSelector,
};
use series::Preferred;

use crate::absent;
use crate::aggregate::{self, Aggregation};
use crate::axis::Axis;
use crate::context::Context;
use crate::error::Failed;
use crate::grouping::Grouping;
use crate::kernels::RangeFunction;
use crate::matching::{self, Matching};
use crate::operators::{AnyOperator, Operator};
use crate::rank::{self, Extreme};
use crate::relabel::check_name;
use crate::select::{self, Reach};
use crate::sets;
use crate::vector::{Value, Vector};
use crate::windows::{self, Ranges, Windows};

/// The step of a subquery that does not say any, as Prometheus' own configuration has it.
const SUBQUERY_STEP_MICROS: i64 = 60_000_000;

/// What an expression is at the times of an axis.
///
/// # Errors
///
/// [`Failed`].
pub(crate) fn evaluate(
    context: &Context<'_>,
    expression: &Expr,
    axis: &Axis,
) -> Result<Value, Failed> {
    match expression {
        Expr::Paren(it) => evaluate(context, &it.expr, axis),
        Expr::NumberLiteral(it) => constant(context, it.val, axis),
        Expr::StringLiteral(it) => Ok(Value::Text(it.val.clone())),
        Expr::VectorSelector(it) => select::instant(context, it, axis).map(Value::Vector),
        Expr::Unary(it) => match evaluate(context, &it.expr, axis)? {
            Value::Scalar(scalar) => Ok(Value::Scalar(scalar.iter().map(|it| -it).collect())),
            Value::Vector(it) => it.map(|value| -value).without_names().map(Value::Vector),
            Value::Text(_) => Err(misplaced("a string", "it has no sign")),
        },
        Expr::Binary(it) => binary(context, it, axis),
        Expr::Aggregate(it) => aggregation(context, it, axis).map(Value::Vector),
        Expr::Call(it) => function(context, it, axis),
        Expr::MatrixSelector(_) | Expr::Subquery(_) => {
            Err(misplaced("a range", "only functions over ranges take one"))
        }
        Expr::Extension(_) => Err(misplaced("an extension", "PromQL has none")),
    }
}

/// What a range holds: that of a function, or one that stands alone, as in an instant query.
///
/// # Errors
///
/// [`Failed`].
pub(crate) fn range(
    context: &Context<'_>,
    expression: &Expr,
    preferred: Preferred,
    axis: &Axis,
) -> Result<(Ranges, Windows), Failed> {
    match expression {
        Expr::Paren(it) => range(context, &it.expr, preferred, axis),
        Expr::MatrixSelector(it) => range_of_rows(context, it, preferred, axis),
        Expr::Subquery(it) => range_of_subquery(context, it, axis),
        _ => Err(misplaced("this argument", "a range is expected here")),
    }
}

fn misplaced(what: &str, why: &'static str) -> Failed {
    Failed::Unsupported { what: what.to_owned(), why }
}

fn constant(context: &Context<'_>, value: f64, axis: &Axis) -> Result<Value, Failed> {
    context.take_values(1, axis.count)?;
    Ok(Value::Scalar(vec![value; axis.count]))
}

fn range_of_rows(
    context: &Context<'_>,
    selector: &MatrixSelector,
    preferred: Preferred,
    axis: &Axis,
) -> Result<(Ranges, Windows), Failed> {
    let vs = &selector.vs;
    let ends = select::shifted(context, axis, vs.at.as_ref(), vs.offset.as_ref());
    let range_micros = positive(select::micros(selector.range))?;
    let found = select::select(context, vs, Reach::Range(range_micros), preferred, &ends)?;
    Ok((Ranges::Rows(found), Windows { ends, range_micros }))
}

/// A subquery is evaluated once at all times that any of its windows needs.
fn range_of_subquery(
    context: &Context<'_>,
    subquery: &SubqueryExpr,
    axis: &Axis,
) -> Result<(Ranges, Windows), Failed> {
    let ends = select::shifted(context, axis, subquery.at.as_ref(), subquery.offset.as_ref());
    let range_micros = positive(select::micros(subquery.range))?;
    let step_micros = match subquery.step {
        Some(step) => positive(select::micros(step))?,
        None => SUBQUERY_STEP_MICROS,
    };
    let begin = ends.start_micros.saturating_sub(range_micros);
    // Its times are multiples of its step, and later than the beginning.
    let start_micros = begin.div_euclid(step_micros).saturating_add(1).saturating_mul(step_micros);
    let last = ends.end_micros();
    if start_micros > last {
        return Ok((
            Ranges::Columns(Vector::new(1), Axis::at(last)),
            Windows { ends, range_micros },
        ));
    }
    let count = (last.saturating_sub(start_micros) / step_micros).saturating_add(1);
    let inner =
        Axis { start_micros, step_micros, count: usize::try_from(count).unwrap_or(usize::MAX) };
    context.take_values(1, inner.count)?;
    match evaluate(context, &subquery.expr, &inner)? {
        Value::Vector(vector) => {
            Ok((Ranges::Columns(vector, inner), Windows { ends, range_micros }))
        }
        _ => Err(misplaced("a subquery of a scalar or string", "an instant vector is expected")),
    }
}

fn positive(micros: i64) -> Result<i64, Failed> {
    let why = || Failed::Syntax { why: "duration must be greater than 0".to_owned() };
    if micros > 0 { Ok(micros) } else { Err(why()) }
}

fn binary(context: &Context<'_>, it: &BinaryExpr, axis: &Axis) -> Result<Value, Failed> {
    let operator = AnyOperator::of(it.op)
        .ok_or_else(|| misplaced(&it.op.to_string(), "no operator of PromQL has this name"))?;
    let left = evaluate(context, &it.lhs, axis)?;
    let right = evaluate(context, &it.rhs, axis)?;
    match operator {
        AnyOperator::Number(operator) => of_numbers(context, operator, it, left, right),
        AnyOperator::Set(operator) => {
            let matching = it.modifier.as_ref().and_then(|it| it.matching.as_ref());
            let grouping = Grouping::of_matching(matching);
            let (Value::Vector(left), Value::Vector(right)) = (left, right) else {
                return Err(misplaced("a set operator", "both sides must be instant vectors"));
            };
            sets::combine(context, operator, left, right, &grouping).map(Value::Vector)
        }
    }
}

fn of_numbers(
    context: &Context<'_>,
    operator: Operator,
    it: &BinaryExpr,
    left: Value,
    right: Value,
) -> Result<Value, Failed> {
    let returns_bool = it.return_bool();
    let made = match (left, right) {
        (Value::Scalar(left), Value::Scalar(right)) => {
            let pairs = left.iter().zip(&right);
            return Ok(Value::Scalar(
                pairs.map(|(left, right)| operator.of(*left, *right)).collect(),
            ));
        }
        (Value::Vector(vector), Value::Scalar(scalar)) => {
            matching::with_scalar(operator, returns_bool, vector, &scalar, false)
        }
        (Value::Scalar(scalar), Value::Vector(vector)) => {
            matching::with_scalar(operator, returns_bool, vector, &scalar, true)
        }
        (Value::Vector(left), Value::Vector(right)) => {
            Matching::new(operator, it.modifier.as_ref())?.combine(context, left, right)
        }
        _ => Err(misplaced("an operator on a string", "scalars and vectors are expected")),
    };
    made.map(Value::Vector)
}

fn aggregation(context: &Context<'_>, it: &AggregateExpr, axis: &Axis) -> Result<Vector, Failed> {
    let grouping = grouping(it.modifier.as_ref());
    let parameter = it.param.as_ref().map(|it| evaluate(context, it, axis)).transpose()?;
    let Value::Vector(vector) = evaluate(context, &it.expr, axis)? else {
        return Err(misplaced("an aggregation of a scalar", "an instant vector is expected"));
    };
    if let Some(plain) = plain_aggregation(it.op) {
        return aggregate::aggregate(context, plain, &vector, &grouping);
    }
    match (it.op.id(), parameter) {
        (token::T_TOPK, Some(Value::Scalar(counts))) => {
            rank::extremes(context, Extreme::Largest, vector, &grouping, &counts)
        }
        (token::T_BOTTOMK, Some(Value::Scalar(counts))) => {
            rank::extremes(context, Extreme::Smallest, vector, &grouping, &counts)
        }
        (token::T_QUANTILE, Some(Value::Scalar(shares))) => {
            rank::quantile(context, &vector, &grouping, &shares)
        }
        (token::T_COUNT_VALUES, Some(Value::Text(label))) => {
            check_name("count_values", &label)?;
            rank::count_values(context, &vector, &grouping, &label)
        }
        _ => Err(misplaced(&format!("{}()", it.op), "it is experimental in Prometheus")),
    }
}

fn grouping(modifier: Option<&LabelModifier>) -> Grouping {
    Grouping::of_aggregation(modifier.or(Some(&LabelModifier::Include(Names { labels: vec![] }))))
}

fn plain_aggregation(operator: TokenType) -> Option<Aggregation> {
    Some(match operator.id() {
        token::T_SUM => Aggregation::Sum,
        token::T_MIN => Aggregation::Min,
        token::T_MAX => Aggregation::Max,
        token::T_AVG => Aggregation::Avg,
        token::T_GROUP => Aggregation::Group,
        token::T_STDDEV => Aggregation::Stddev,
        token::T_STDVAR => Aggregation::Stdvar,
        token::T_COUNT => Aggregation::Count,
        _ => return None,
    })
}

fn function(context: &Context<'_>, it: &Call, axis: &Axis) -> Result<Value, Failed> {
    let (name, arguments) = (it.func.name, &it.args.args);
    if let Some(function) = RangeFunction::named(name) {
        return over_range(context, function, arguments, axis).map(Value::Vector);
    }
    match (name, arguments.first().map(|it| bare(it))) {
        ("absent_over_time", Some(argument)) => {
            let present = over_range(context, RangeFunction::Present, arguments, axis)?;
            let selector = match argument {
                Expr::MatrixSelector(it) => Some(&it.vs),
                _ => None,
            };
            Ok(Value::Vector(absent::absent(&present, selector)))
        }
        ("absent", Some(argument)) => {
            let Value::Vector(vector) = evaluate(context, argument, axis)? else {
                return Err(misplaced("absent() of a scalar", "an instant vector is expected"));
            };
            Ok(Value::Vector(absent::absent(&vector, selector(argument))))
        }
        ("timestamp", Some(Expr::VectorSelector(selector))) => {
            let vector = select::times_of_instant(context, selector, axis)?;
            vector.without_names().map(Value::Vector)
        }
        _ => {
            let values = arguments.iter().map(|it| evaluate(context, it, axis));
            call::call(context, name, values.collect::<Result<_, _>>()?, axis)
        }
    }
}

fn selector(expression: &Expr) -> Option<&VectorSelector> {
    match expression {
        Expr::VectorSelector(it) => Some(it),
        _ => None,
    }
}

/// An expression without the brackets around it.
fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(it) => bare(&it.expr),
        other => other,
    }
}

/// A function over a range; its other arguments are numbers.
fn over_range(
    context: &Context<'_>,
    function: RangeFunction,
    arguments: &[Box<Expr>],
    axis: &Axis,
) -> Result<Vector, Failed> {
    let (mut of_range, mut numbers) = (None, Vec::new());
    for argument in arguments {
        match bare(argument) {
            range @ (Expr::MatrixSelector(_) | Expr::Subquery(_)) => of_range = Some(range),
            other => match evaluate(context, other, axis)? {
                Value::Scalar(scalar) => numbers.push(scalar),
                _ => {
                    return Err(misplaced(
                        function.name(),
                        "a scalar is expected beside its range",
                    ));
                }
            },
        }
    }
    if numbers.len() != function.numbers() {
        return Err(misplaced(function.name(), "it takes another number of scalars"));
    }
    if function.numbers() == 2 {
        call::check_factors(function.name(), &numbers)?;
    }
    let Some(argument) = of_range else {
        return Err(misplaced(function.name(), "a range is expected"));
    };
    let (ranges, windows) = range(context, argument, function.preferred(), axis)?;
    windows::apply(context, function, ranges, &windows, &numbers, axis)
}
