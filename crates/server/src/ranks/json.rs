//! The answer as JSON.

use ::ranks::By;
use serde_json::{Value, json};

use super::asked::Asked;
use super::told::{Row, Told};
use crate::pages::path;
use crate::view::View;

/// What is told of targets.
pub(crate) fn json(view: &View, asked: &Asked, by: By, told: &Told) -> Value {
    let mut answer = json!({
        "by": asked.what.word(),
        "span": asked.over.word(),
        "now_seconds": view.now_seconds,
    });
    let rest = match told {
        Told::Known(known) => json!({
            "state": "known",
            "age_seconds": known.age_seconds,
            "concerned": known.concerned,
            "unread": known.unread,
            "ranks": known.rows.iter().map(|row| self::row(row, by)).collect::<Vec<_>>(),
        }),
        Told::Reading { done, of } => json!({ "state": "reading", "done": done, "of": of }),
        Told::Waiting { ahead } => json!({ "state": "waiting", "ahead": ahead }),
        Told::Refused => json!({ "state": "refused" }),
    };
    if let (Value::Object(answer), Value::Object(rest)) = (&mut answer, rest) {
        answer.extend(rest);
    }
    answer
}

/// A target; values are in the unit that is shown, unknown ones are null.
fn row(Row { target, ranked }: &Row, by: By) -> Value {
    let factor = target.look.factor;
    let values = |values: [f64; 2]| values.map(|value| known(value * factor));
    let mut row = json!({
        "target": target.name,
        "title": target.title(),
        "device": target.device,
        "page": path::target(&target.name),
        "unit": target.look.unit,
        "score": ranked.score,
        "values": values(ranked.values),
    });
    if by == By::Change
        && let Value::Object(row) = &mut row
    {
        row.insert("before".to_owned(), json!(values(ranked.before)));
    }
    row
}

fn known(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
