//! `update`: takes samples into a file.

use crate::failure::Failure;
use crate::handover::hand_over;
use crate::order::{Order, rows};
use crate::session::Session;
use crate::verb::Verb;
use options::namings;

pub(crate) const VERB: Verb = Verb {
    name: "update",
    summary: "Take samples into a file",
    operands: "FILE TIME|N:READING[:READING...]|AT-TIME@READING[:READING...] ...",
    options: &namings(&rows()),
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let (order, daemon) = Order::of_update(words)?;
    match session.daemon_of(daemon) {
        Some(address) => hand_over(session, &address, &order),
        None => order.fulfil(session),
    }
}
