//! The arguments of a function, evaluated.

use crate::error::Failed;
use crate::vector::{Value, Vector};

/// The arguments of a function that are no ranges, in their order.
pub(crate) struct Arguments {
    function: String,
    values: std::vec::IntoIter<Value>,
}

impl Arguments {
    /// The arguments of a function.
    pub(crate) fn new(function: &str, values: Vec<Value>) -> Self {
        Self { function: function.to_owned(), values: values.into_iter() }
    }

    /// Whether there are more.
    pub(crate) fn has_more(&self) -> bool {
        self.values.len() > 0
    }

    /// The next argument, series.
    ///
    /// # Errors
    ///
    /// It is something else, or missing.
    pub(crate) fn vector(&mut self) -> Result<Vector, Failed> {
        match self.values.next() {
            Some(Value::Vector(vector)) => Ok(vector),
            other => Err(self.wrong("an instant vector", other.as_ref())),
        }
    }

    /// The next argument, a number for each time.
    ///
    /// # Errors
    ///
    /// It is something else, or missing.
    pub(crate) fn scalar(&mut self) -> Result<Vec<f64>, Failed> {
        match self.values.next() {
            Some(Value::Scalar(scalar)) => Ok(scalar),
            other => Err(self.wrong("a scalar", other.as_ref())),
        }
    }

    /// The next argument, a text.
    ///
    /// # Errors
    ///
    /// It is something else, or missing.
    pub(crate) fn text(&mut self) -> Result<String, Failed> {
        match self.values.next() {
            Some(Value::Text(text)) => Ok(text),
            other => Err(self.wrong("a string", other.as_ref())),
        }
    }

    fn wrong(&self, expected: &'static str, found: Option<&Value>) -> Failed {
        let found = match found {
            None => "nothing",
            Some(Value::Scalar(_)) => "a scalar",
            Some(Value::Vector(_)) => "an instant vector",
            Some(Value::Text(_)) => "a string",
        };
        Failed::Argument { function: self.function.clone(), expected, found: found.to_owned() }
    }
}
