//! Who is told of alerts over HTTP: Alertmanagers and webhooks.
//!
//! ```text
//!  watcher: verdicts ─▶ Herald ─▶ Noticeboard ◀── a thread for each receiver ─▶ HTTP
//!                                     ▲               ▼
//!                                     └── Keeper ◀── its desk: what it was told
//!                                          ▼
//!                                      NAME.alerts, for the next run
//! ```
//!
//! The watcher never waits for a receiver, nor one receiver for another: each looks at the board
//! when it can, and posts what its own outbox says is due.

mod place;
mod authorization;
mod link;
mod counts;
mod noticeboard;
mod desk;
mod record;
mod keeper;
mod worker;
mod herald;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use server::{AlertReceiver, Alerting};

use super::super::tell;
use counts::Counts;
use desk::Desk;
use keeper::Keeper;
use link::Link;
use noticeboard::Noticeboard;
use worker::Worker;

pub(in super::super) use herald::{Herald, Origin};
pub(crate) use link::LinkError;
pub(crate) use place::{ReceiverKind, ReceiverPlace};

/// The receivers of a run, each with its thread.
pub(in super::super) struct Receivers {
    herald: Arc<Herald>,
    keeper: Arc<Keeper>,
    threads: Vec<JoinHandle<()>>,
    watch: AlertWatch,
}

/// A receiver whose files are read and right.
pub(in super::super) struct Ready {
    place: ReceiverPlace,
    link: Link,
}

impl Ready {
    /// Those at these places. No connection is made yet.
    pub(in super::super) fn at(places: &[ReceiverPlace]) -> Result<Vec<Self>, LinkError> {
        let ready =
            |place: &ReceiverPlace| Ok(Self { place: place.clone(), link: Link::to(place)? });
        places.iter().map(ready).collect()
    }
}

impl Receivers {
    /// Starts a thread for each.
    ///
    /// `file` keeps the alerts from one run to the next.
    pub(in super::super) fn start(
        ready: Vec<Ready>,
        origin: Origin,
        file: PathBuf,
    ) -> io::Result<Self> {
        let board = Arc::new(Noticeboard::new());
        let desks: Arc<[Desk]> = ready.iter().map(|ready| Desk::of(&ready.place)).collect();
        let keeper = Arc::new(Keeper::open(file, board.clone(), desks.clone()));
        let (mut threads, mut receivers) = (Vec::new(), Vec::new());
        for (nth, Ready { place, link }) in ready.into_iter().enumerate() {
            let counts = Arc::new(Counts::default());
            receivers.push(Watched { place: place.clone(), counts: counts.clone() });
            let worker = Worker {
                place,
                link,
                board: board.clone(),
                desks: desks.clone(),
                nth,
                keeper: keeper.clone(),
                counts,
                external_url: origin.web_url.clone().unwrap_or_default(),
                wait: None,
                is_cut: false,
                is_refusal_told: false,
            };
            let thread = thread::Builder::new().name("gyre-alerts".to_owned());
            threads.push(thread.spawn(move || worker.run())?);
        }
        let watch = AlertWatch { board: board.clone(), receivers: receivers.into() };
        Ok(Self { herald: Arc::new(Herald::new(board, origin)), keeper, threads, watch })
    }

    /// Who tells them of a sample.
    pub(super) fn herald(&self) -> Arc<Herald> {
        self.herald.clone()
    }

    /// How they are doing.
    pub(in super::super) fn watch(&self) -> AlertWatch {
        self.watch.clone()
    }

    /// Posts what is due, but does not try for long.
    pub(super) fn end(self) {
        self.watch.board.close();
        for thread in self.threads {
            if thread.join().is_err() {
                tell("a thread that posts alerts died");
            }
        }
        self.keeper.write_at_end();
    }
}

/// Tells how alerts and their receivers are.
#[derive(Clone)]
pub(in super::super) struct AlertWatch {
    board: Arc<Noticeboard>,
    receivers: Arc<[Watched]>,
}

/// A receiver, and what is counted of it.
struct Watched {
    place: ReceiverPlace,
    counts: Arc<Counts>,
}

impl AlertWatch {
    /// Their numbers.
    pub(in super::super) fn now(&self) -> Alerting {
        let receivers = self.receivers.iter().map(|Watched { place, counts }| AlertReceiver {
            kind: place.kind.name(),
            address: place.origin.clone(),
            is_up: counts.is_up(),
            sent: counts.sent.get(),
            posts_failed: counts.posts_failed.get(),
            refused: counts.refused.get(),
            ends_untold: counts.ends_untold.get(),
        });
        Alerting {
            standing: self.board.count_standing() as u64,
            without_room: self.board.lost(),
            receivers: receivers.collect(),
        }
    }

    /// Why receivers do not take alerts.
    pub(in super::super) fn troubles(&self) -> impl Iterator<Item = String> {
        self.receivers.iter().filter_map(|watched| watched.counts.trouble())
    }
}
