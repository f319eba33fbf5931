//! `template()`: an expression with places that values fill.

use std::collections::BTreeMap;

use super::expression::{Call, Expression, Named, Number};

/// What stands for `$name`.
pub(super) struct Replacements(Vec<Replacement>);

struct Replacement {
    /// With its `$`.
    place: String,
    value: Expression,
}

impl Replacements {
    /// Those of a call of `template()`, or of the request where it has them. `None` if one is
    /// neither a text nor a number.
    pub(super) fn of(call: &Call, replaced: &BTreeMap<String, String>) -> Option<Self> {
        let counted = (1..).zip(call.arguments.iter().skip(1));
        let counted = counted.map(|(nth, value): (usize, _)| (nth.to_string(), value));
        let named = call.named.iter().map(|it| (it.name.clone(), &it.value));
        let mut all = BTreeMap::new();
        for (name, value) in counted.chain(named) {
            matches!(value, Expression::Text(_) | Expression::Number(_)).then_some(())?;
            all.insert(name, value.clone());
        }
        all.extend(replaced.iter().map(|(name, it)| (name.clone(), Expression::Text(it.clone()))));
        // Longer names first: $host1 is not $host and a 1.
        let mut all: Vec<_> = all
            .into_iter()
            .map(|(name, value)| Replacement { place: format!("${name}"), value })
            .collect();
        all.sort_by_key(|it| std::cmp::Reverse(it.place.len()));
        Some(Self(all))
    }

    /// The expression of a call of `template()`, filled in.
    pub(super) fn filled(&self, call: Call) -> Option<Expression> {
        let expression = call.arguments.into_iter().next()?;
        let is_series = matches!(expression, Expression::Path(_) | Expression::Call(_));
        is_series.then(|| self.fill(expression))
    }

    fn fill(&self, expression: Expression) -> Expression {
        match expression {
            Expression::Path(path) => self.fill_path(path),
            Expression::Call(call) => Expression::Call(Call {
                arguments: call.arguments.into_iter().map(|it| self.fill(it)).collect(),
                named: call
                    .named
                    .into_iter()
                    .map(|it| Named { name: it.name, value: self.fill(it.value) })
                    .collect(),
                ..call
            }),
            other => other,
        }
    }

    /// A path that is a place and nothing else becomes the value.
    fn fill_path(&self, mut path: String) -> Expression {
        for Replacement { place, value } in &self.0 {
            if path == *place {
                return whole_value(value);
            }
            path = path.replace(place, &shown(value));
        }
        Expression::Path(path)
    }
}

/// A text that looks like a number is one.
fn whole_value(value: &Expression) -> Expression {
    match value {
        Expression::Text(text) if looks_like_number(text) => match text.parse() {
            Ok(real) => Expression::Number(Number::Real(real)),
            Err(_) => value.clone(),
        },
        other => other.clone(),
    }
}

fn looks_like_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit() || it == b'.')
}

fn shown(value: &Expression) -> String {
    match value {
        Expression::Text(text) => text.clone(),
        Expression::Number(number) => number.to_string(),
        _ => String::new(),
    }
}
