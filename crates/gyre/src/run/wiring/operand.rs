//! Where the values of polls come from, and how they become numbers.

use std::collections::HashMap;

use mrtg::{Conversion, Direction, Object, PollIndex, SnmpPoll, Target};

use super::wanted::{PollAt, interval_seconds};

/// Where one value of a poll comes from.
#[derive(Clone, Copy, Debug)]
pub(in crate::run) enum Operand {
    Constant(u8),
    Reading {
        device: u32,
        variable: u32,
        becomes: Becomes,
    },
    Walked {
        device: u32,
        walk: u32,
        becomes: Becomes,
    },
    Program {
        program: u32,
    },
    /// No variable: the object cannot be polled.
    Nothing,
}

/// How a value becomes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::run) enum Becomes {
    /// As it is.
    Itself,
    /// `ifOperHack`: 1 for up, else 0.
    OneIfUp,
    /// `|name`.
    Converted(Conversion),
}

/// How the values of a poll's object become numbers.
pub(super) fn becomes(poll: &SnmpPoll, object: &Object) -> Becomes {
    match poll.conversion {
        Some(conversion) => Becomes::Converted(conversion),
        None if object.one_if_up => Becomes::OneIfUp,
        None => Becomes::Itself,
    }
}

/// The variables that tell the speed of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::run) struct SpeedPlace {
    pub(in crate::run) device: u32,
    /// ifSpeed, in bits a second.
    pub(in crate::run) bits: u32,
    /// ifHighSpeed, in millions of them.
    pub(in crate::run) megabits: Option<u32>,
}

/// The two operands of each poll at each interval.
#[derive(Debug, Default)]
pub(in crate::run) struct Operands {
    /// The interval that most polls have.
    usual_seconds: u16,
    /// For each poll of the configuration its operands at that interval.
    usual: Vec<[Operand; 2]>,
    /// Those at other intervals.
    others: HashMap<PollAt, [Operand; 2]>,
}

impl Operands {
    /// None so far, of so many polls.
    pub(super) fn new(usual_seconds: u16, polls: usize) -> Self {
        let usual = vec![[Operand::Nothing; 2]; polls];
        Self { usual_seconds, usual, others: HashMap::new() }
    }

    pub(super) fn insert(&mut self, at: PollAt, operands: [Operand; 2]) {
        match self.usual.get_mut(at.poll.0 as usize) {
            Some(usual) if at.interval_seconds == self.usual_seconds => *usual = operands,
            _ => {
                self.others.insert(at, operands);
            }
        }
    }

    /// The source of the value of a target's poll.
    pub(in crate::run) fn of_target(
        &self,
        target: &Target,
        poll: PollIndex,
        direction: Direction,
    ) -> Operand {
        let interval_seconds = interval_seconds(target);
        let found = match interval_seconds == self.usual_seconds {
            true => self.usual.get(poll.0 as usize),
            false => self.others.get(&PollAt { interval_seconds, poll }),
        };
        let [incoming, outgoing] = found.copied().unwrap_or([Operand::Nothing; 2]);
        match direction {
            Direction::In => incoming,
            Direction::Out => outgoing,
        }
    }
}
