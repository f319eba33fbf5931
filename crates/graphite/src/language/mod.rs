//! Graphite's target language: text to an expression.
//!
//! ```text
//!   target     = piped
//!   piped      = operand { "|" call }              a|f(2) is f(a,2)
//!   operand    = call | path | literal             literals within calls alone
//!   call       = name "(" [ argument { "," argument } ] ")"
//!   argument   = [ name "=" ] piped
//!   template() = a call whose first argument is the expression, and whose others replace $1, $name
//! ```

mod expression;
mod cursor;
mod parse;
mod template;

pub(crate) use expression::{Call, Expression, Number};
pub(crate) use parse::{parse, parse_beginning};
