//! What a poll takes from the answers.

use super::{Poll, Tools};
use crate::chunk::{Ask, Chunk};
use crate::interfaces::InterfaceId;
use crate::memory::{Memory, Taken};
use crate::report::{Missing, Reading};
use crate::uptime::Uptime;
use rrd::Timestamp;
use snmp::{Answer, Failure, RequestError, Value};
use std::time::Duration;

impl Poll {
    /// A device that was silent may have restarted, with other software.
    pub(super) fn take_probe(&mut self, answer: &Answer, tools: &mut Tools<'_>) {
        let Some(Value::TimeTicks(ticks)) = answer.bindings.first().map(|it| &it.value) else {
            return;
        };
        let now = Uptime { ticks: *ticks, at: answer.finished_at };
        if tools.memory.note_uptime(now, answer.started_at) {
            self.restarted = true;
            tools.session.forget_limits();
        }
    }

    pub(super) fn take_row(
        &mut self,
        nth: usize,
        result: Result<Answer, RequestError>,
        tools: &mut Tools<'_>,
    ) {
        let at = result.as_ref().map_or(self.last_answer_at, |answer| answer.finished_at);
        let stamp = tools.stamper.stamp(at);
        let epoch = tools.memory.epoch();
        self.walks.take(nth, &tools.memory.plan.walks[nth], result, stamp, epoch);
    }

    pub(super) fn take_values(&mut self, chunk: &Chunk, answer: Answer, tools: &mut Tools<'_>) {
        let at = answer.finished_at;
        let stamp = tools.stamper.stamp(at);
        if let Some(stamp) = stamp {
            tools.memory.note_time(at, stamp);
        }
        // The first name is sysUpTime's.
        if let Some(Ok(Value::TimeTicks(ticks))) = answer.values.first() {
            self.uptime = Some(Duration::from_millis(u64::from(*ticks) * 10));
            let now = Uptime { ticks: *ticks, at };
            self.restarted |= tools.memory.note_uptime(now, answer.started_at);
        }
        if answer.responses > 1 {
            self.proving.note_loose(chunk);
            tools.memory.note_several_responses(at.saturating_sub(answer.started_at));
        }
        let mut unverified = None;
        for (value, ask) in answer.values.into_iter().zip(&*chunk.asks) {
            let value = value.map_err(|failure| match failure {
                Failure::TimedOut => Missing::NoAnswer,
                failure => Missing::Refused(failure),
            });
            match ask {
                Ask::Uptime => {}
                Ask::TableChange => {
                    if let Ok(value) = &value {
                        tools.memory.note_table_change(value, at);
                    }
                }
                Ask::Verification(interface) => match &value {
                    Err(_) => unverified = Some(*interface),
                    Ok(value) => drop(tools.memory.verify(*interface, value)),
                },
                Ask::Variable(variable) => {
                    self.take_value(*variable as usize, value, unverified, stamp, tools.memory);
                }
                Ask::Variables(several) => {
                    for variable in several {
                        let (variable, value) = (*variable as usize, value.clone());
                        self.take_value(variable, value, unverified, stamp, tools.memory);
                    }
                }
            }
        }
    }

    /// Takes a variable's value, which is none if its interface could not be verified.
    fn take_value(
        &mut self,
        variable: usize,
        value: Result<Value, Missing>,
        unverified: Option<InterfaceId>,
        stamp: Option<Timestamp>,
        memory: &mut Memory,
    ) {
        let interface = memory.interface_of(variable);
        let doubtful = interface.is_some() && interface == unverified;
        let value = if doubtful { Err(Missing::NoAnswer) } else { value };
        let reading = self.reading(variable, value, stamp, memory);
        self.readings[variable] = reading;
    }

    fn reading(
        &mut self,
        variable: usize,
        value: Result<Value, Missing>,
        stamp: Option<Timestamp>,
        memory: &mut Memory,
    ) -> Result<Reading, Missing> {
        let value = value?;
        if let Some(Err(why)) = memory.index_of(variable) {
            return Err(Missing::Interface(why));
        }
        match memory.note_value(variable, &value) {
            Taken::Value => {}
            Taken::AskNarrow => {
                self.todo.extend(vec![variable]);
                return Err(Missing::NotThere);
            }
            Taken::Missing(why) => return Err(why),
        }
        Ok(Reading { time: stamp.ok_or(Missing::ClockSetBack)?, value, discontinuity: false })
    }
}
