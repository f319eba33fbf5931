//! The operators that need nothing but the stack. Where an operand is unknown, it is that operand
//! that comes out, its bits untouched, as in rrdtool.

use super::stack::{self, Stack};
use super::{Operator, RpnError};
use crate::UNKNOWN;

/// rrdtool's own constants: conversions agree with it to the last digit.
const RADIANS_PER_DEGREE: f64 = 0.017_453_295_2;
const DEGREES_PER_RADIAN: f64 = 57.295_779_51;

/// Applies an operator that asks for no clock, series or variable.
pub(super) fn apply(operator: Operator, stack: &mut Stack) -> Result<(), RpnError> {
    use Operator as Op;
    match operator {
        Op::Unknown => stack.push(UNKNOWN),
        Op::Infinity => stack.push(f64::INFINITY),
        Op::NegativeInfinity => stack.push(f64::NEG_INFINITY),
        Op::Depth => stack.push(stack.depth() as f64),
        Op::Pop => drop(stack.pop()?),
        Op::Duplicate => {
            let value = stack.pop()?;
            stack.push(value);
            stack.push(value);
        }
        Op::Exchange => {
            let (b, a) = (stack.pop()?, stack.pop()?);
            stack.push(b);
            stack.push(a);
        }
        Op::If => {
            let (no, yes, condition) = (stack.pop()?, stack.pop()?, stack.pop()?);
            let chosen = !condition.is_nan() && condition != 0.0;
            stack.push(if chosen { yes } else { no });
        }
        Op::Limit => {
            let (high, low, value) = (stack.pop()?, stack.pop()?, stack.pop()?);
            stack.push(limit(value, low, high));
        }
        Op::Copy => stack.copy()?,
        Op::Index => stack.index()?,
        Op::Roll => stack.roll()?,
        Op::Sort => stack.sort()?,
        Op::Reverse => stack.reverse()?,
        Op::Average => stack.fold(stack::mean)?,
        Op::Median => stack.median()?,
        Op::Deviation => stack.fold(stack::deviation)?,
        Op::Smallest => stack.extreme(f64::lt)?,
        Op::Largest => stack.extreme(f64::gt)?,
        Op::Percentile => stack.percentile()?,
        _ => {
            let last = stack.pop()?;
            let value = match unary(operator, last) {
                Some(value) => value,
                None => binary(operator, stack.pop()?, last),
            };
            stack.push(value);
        }
    }
    Ok(())
}

fn limit(value: f64, low: f64, high: f64) -> f64 {
    match () {
        () if value.is_nan() => value,
        () if low.is_nan() => low,
        () if high.is_nan() => high,
        () if value < low || value > high => UNKNOWN,
        () => value,
    }
}

/// Operators of one value; `None` if the operator takes two.
fn unary(operator: Operator, a: f64) -> Option<f64> {
    Some(match operator {
        Operator::Sine => a.sin(),
        Operator::Cosine => a.cos(),
        Operator::Logarithm => a.ln(),
        Operator::Exponential => a.exp(),
        Operator::SquareRoot => a.sqrt(),
        Operator::ArcTangent => a.atan(),
        Operator::Floor => a.floor(),
        Operator::Ceiling => a.ceil(),
        Operator::Round => a.round(),
        Operator::Absolute => a.abs(),
        Operator::ToRadians => RADIANS_PER_DEGREE * a,
        Operator::ToDegrees => DEGREES_PER_RADIAN * a,
        Operator::IsUnknown => f64::from(u8::from(a.is_nan())),
        Operator::IsInfinite => f64::from(u8::from(a.is_infinite())),
        _ => return None,
    })
}

fn binary(operator: Operator, a: f64, b: f64) -> f64 {
    match operator {
        // Of two unknown operands the first comes out; a compiler may swap those of a sum or
        // product.
        Operator::Add | Operator::Multiply if a.is_nan() => a,
        Operator::Add | Operator::Multiply if b.is_nan() => b,
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Remainder => a % b,
        Operator::Power => a.powf(b),
        Operator::ArcTangent2 => a.atan2(b),
        Operator::AddKnown | Operator::MinimumKnown | Operator::MaximumKnown if a.is_nan() => b,
        Operator::AddKnown | Operator::MinimumKnown | Operator::MaximumKnown if b.is_nan() => a,
        Operator::AddKnown => a + b,
        _ if a.is_nan() => a,
        _ if b.is_nan() => b,
        Operator::Minimum | Operator::MinimumKnown => {
            if a > b {
                b
            } else {
                a
            }
        }
        Operator::Maximum | Operator::MaximumKnown => {
            if a < b {
                b
            } else {
                a
            }
        }
        _ => f64::from(u8::from(compare(operator, a, b))),
    }
}

fn compare(operator: Operator, a: f64, b: f64) -> bool {
    match operator {
        Operator::Less => a < b,
        Operator::LessOrEqual => a <= b,
        Operator::Greater => a > b,
        Operator::GreaterOrEqual => a >= b,
        Operator::Equal => a == b,
        Operator::NotEqual => a != b,
        _ => unreachable!("every other operator is handled before"),
    }
}
