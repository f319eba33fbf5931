//! HRULE and VRULE.

use super::Painter;
use super::curves::inked;
use crate::arguments::{Element, Quantity, Rule};
use crate::calculate::Values;
use crate::scene::point;

impl Painter<'_> {
    pub(super) fn rules(&mut self, values: &Values) {
        for element in &self.plan.script.elements {
            if let Element::Rule(rule) = element {
                self.rule(rule, values);
            }
        }
    }

    fn rule(&mut self, rule: &Rule, values: &Values) {
        let Some(color) = rule.ink.color else {
            return;
        };
        let (value, seconds) = match rule.at {
            Quantity::Number(number) => (number, number * f64::from(self.window.tick.per_second())),
            Quantity::Of(position) => {
                values.fact(position).map_or((f64::NAN, f64::NAN), |fact| (fact.value, fact.when()))
            }
        };
        let stroke = inked(&rule.ink, color, 1.0, false);
        let layout = *self.layout;
        if rule.vertical {
            if self.window.contains(seconds) {
                let x = self.x(seconds);
                self.rule_line(point(x, layout.bottom()), point(x, layout.top), stroke);
            }
        } else if (self.axis.minimum..=self.axis.maximum).contains(&value) {
            let y = self.y(value);
            self.rule_line(point(layout.left, y), point(layout.right(), y), stroke);
        }
    }
}
