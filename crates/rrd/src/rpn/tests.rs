//! Unit tests; `tests/rpn_oracle.rs` holds the operators against a live rrdtool.

use super::{Clock, Column, Program, RpnError, Variable};

fn parse(text: &str) -> Result<Program, RpnError> {
    Program::parse(text, &mut |name| ["a", "b"].iter().position(|known| *known == name))
}

fn evaluate(text: &str) -> Vec<f64> {
    let a = Column { start_seconds: 600, step_seconds: 300, values: &[1.0, 2.0, f64::NAN, 4.0] };
    let b = Column { start_seconds: 600, step_seconds: 600, values: &[10.0, 20.0] };
    let clock =
        Clock { tick: crate::Tick::SECOND, now_seconds: 9999, zone: &jiff::tz::TimeZone::UTC };
    let program = parse(text).expect(text);
    let variables = [Variable::Series(a), Variable::Series(b)];
    program.evaluate(&variables, clock).expect(text).values
}

#[test]
fn coarser_series_are_repeated_on_the_finer_grid() {
    assert_eq!(evaluate("a,b,ADDNAN"), [11.0, 12.0, 20.0, 24.0]);
}

/// As the manual of RPN has it; rrdtool 1.7 leaves the two arguments in place of two values.
#[test]
fn roll_turns_the_topmost_values() {
    assert_eq!(evaluate("a,POP,2,5,7,3,1,ROLL,POP,POP"), [7.0; 4]);
    assert_eq!(evaluate("a,POP,2,5,7,3,1,ROLL,POP,EXC,POP"), [2.0; 4]);
    assert_eq!(evaluate("a,POP,2,5,7,3,-1,ROLL,POP,POP"), [5.0; 4]);
}

#[test]
fn previous_values() {
    assert_eq!(evaluate("a,POP,PREV,UN,0,PREV,IF,1,+"), [1.0, 2.0, 3.0, 4.0]);
    assert!(evaluate("PREV(a)")[0].is_nan());
    assert_eq!(evaluate("PREV(a)")[1], 1.0);
}

#[test]
fn refusals_in_rrdtools_words() {
    for (text, words) in [
        ("", "can not parse an empty rpn expression"),
        ("a,foo,+", "don't understand 'foo,+'"),
        ("a,,+", "don't understand ',+'"),
        ("a,0x10,+", "don't understand '0x10,+'"),
        ("a,nan,+", "don't understand 'nan,+'"),
        ("a,+", "RPN stack underflow"),
        ("a,5,SORT", "RPN stack underflow"),
        ("a,1,COPY", "RPN final stack size != 1"),
        ("PREV(zz)", "variable 'zz' not found"),
    ] {
        assert_eq!(parse(text).expect_err(text).to_string(), words);
    }
}

/// A file keeps the sign of what is unknown; rrdtool's differs by where it comes from.
#[test]
fn of_unknown_values_one_stays_with_its_sign() {
    let is_positive = |text: &str| evaluate(text).iter().all(|value| value.is_sign_positive());
    for (text, expected) in [
        ("UNKN", false),
        ("UNKN,ABS", true),
        ("UNKN,ABS,UNKN,2,SMIN", true),
        ("UNKN,UNKN,ABS,2,SMAX", false),
        ("UNKN,ABS,1,MEDIAN", true),
        ("UNKN,UNKN,ABS,UNKN,3,MEDIAN", true),
        ("UNKN,ABS,UNKN,UNKN,3,MEDIAN", false),
    ] {
        assert_eq!(is_positive(&format!("a,POP,{text}")), expected, "{text}");
    }
}
