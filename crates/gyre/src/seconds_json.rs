//! Lengths of time in JSON.

use serde_json::{Value, json};

/// Seconds as a number: a whole one where it is whole, else with its fraction.
pub(crate) fn seconds_json(seconds: f64) -> Value {
    match seconds.fract() == 0.0 && seconds.abs() < 1e15 {
        true => json!(seconds as i64),
        false => json!(seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::seconds_json;

    #[test]
    fn whole_seconds_have_no_point() {
        assert_eq!(seconds_json(300.0).to_string(), "300");
        assert_eq!(seconds_json(0.1).to_string(), "0.1");
    }
}
