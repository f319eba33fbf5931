//! How long before the start of a plan its series are needed, for windows.

use rrd::Tick;
use rrd::rpn::Program;

use crate::Error;
use crate::arguments::{DefinitionKind, Script};

/// No window reaches further back: no clock of a database has been there.
const LEAD_SECONDS_MAX: f64 = 1e12;

const MICROS_PER_SECOND: f64 = 1e6;

/// How many microseconds before the start each definition is needed.
#[derive(Clone, Debug)]
pub(crate) struct Leads(Vec<i64>);

impl Leads {
    /// Those of a script: a series that a window looks back along is needed as long before the start
    /// as the window's own answer is, and as far as the window reaches.
    ///
    /// # Errors
    /// The length of a window is no number.
    pub(crate) fn of(script: &Script) -> Result<Self, Error> {
        let mut leads = vec![0_i64; script.definitions.len()];
        for (nth, definition) in script.definitions.iter().enumerate().rev() {
            let DefinitionKind::Cdef(program) = &definition.kind else { continue };
            let own = leads[nth];
            for variable in program.variables() {
                raise(&mut leads, variable, own);
            }
            for (variable, reach_micros) in reaches(program, &definition.name)? {
                raise(&mut leads, variable, own.saturating_add(reach_micros));
            }
        }
        Ok(Self(leads))
    }

    /// That of a definition, in ticks.
    pub(crate) fn of_definition(&self, position: usize, tick: Tick) -> i64 {
        let micros = self.0.get(position).copied().unwrap_or(0);
        let per_tick = MICROS_PER_SECOND as i64 / i64::from(tick.per_second());
        micros / per_tick + i64::from(micros % per_tick > 0)
    }
}

fn raise(leads: &mut [i64], variable: usize, micros: i64) {
    if let Some(lead) = leads.get_mut(variable) {
        *lead = (*lead).max(micros);
    }
}

/// How far the windows of an expression reach back along its variables.
fn reaches(program: &Program, name: &str) -> Result<Vec<(usize, i64)>, Error> {
    let reaches = program.windows().map(|window| {
        let operator = window.operator;
        match window.reach_seconds {
            None => Err(Error::Element(format!(
                "{operator} in '{name}': expected a number for the length of the window, so that \
                 the rows before the start can be fetched"
            ))),
            Some(seconds) if seconds > LEAD_SECONDS_MAX => Err(Error::Element(format!(
                "{operator} in '{name}': a window of {seconds:e} s reaches back further than \
                 {LEAD_SECONDS_MAX:e} s"
            ))),
            Some(seconds) => {
                Ok((window.variable, (seconds.max(0.0) * MICROS_PER_SECOND).ceil() as i64))
            }
        }
    });
    reaches.collect()
}
