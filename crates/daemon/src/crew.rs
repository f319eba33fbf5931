//! The threads that serve clients.
//!
//! One of them hears all clients. Single UPDATEs that are there at the same time are taken together
//! ([`Round`]). Whatever may have to wait, for a disk or for a client, that thread leaves to another
//! one, or does it itself after another one has begun to hear. So there are few threads, but one for
//! each client that is being waited for: no client waits for another.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::Duration;

use disk::system_words;

use crate::accept::turn_away;
use crate::client::Client;
use crate::commits::Commits;
use crate::door::{Door, Heard};
use crate::log::Level;
use crate::replies_together::RepliesTogether;
use crate::round::{Alone, Round, Sorted};
use crate::service::Service;
use crate::visit::Visit;

/// Threads that stay when there is nothing to do, beside the one that hears.
const SPARE_THREADS: usize = 4;
/// How long further ones rest.
const RESTS_BESIDE_SPARE: Duration = Duration::from_secs(1);

/// The threads that serve clients, and what there is to do for them.
pub(crate) struct Crew<'s> {
    service: &'s Service,
    door: Door<'s>,
    commits: Commits<'s>,
    /// Of the one thread that has updates taken together.
    replies_together: Mutex<RepliesTogether>,
    tasks: Mutex<Tasks<'s>>,
    has_task: Condvar,
}

/// What a thread does next.
pub(crate) enum Task<'s> {
    /// Hears all clients. There is one such task at any time, and it has the room for what they
    /// say.
    Hear(Round<'s>),
    /// Has the updates taken that wait for the disk. There is one such task at most.
    Commit,
    /// Serves one client.
    Serve(Visit<'s>),
}

/// A task that no other thread takes.
struct NotHanded<'s> {
    task: Task<'s>,
    /// Why there is no thread for it.
    error: io::Error,
}

/// No more tasks wait than threads rest, but for an instant under the lock: so each has one that
/// takes it.
#[derive(Default)]
struct Tasks<'s> {
    waiting: VecDeque<Task<'s>>,
    /// Threads that have nothing to do, those that were just started included.
    resting: usize,
    is_over: bool,
}

impl<'s> Crew<'s> {
    pub(crate) fn new(service: &'s Service, door: Door<'s>) -> Self {
        Self {
            service,
            door,
            commits: Commits::default(),
            replies_together: Mutex::default(),
            tasks: Mutex::default(),
            has_task: Condvar::new(),
        }
    }

    /// Serves clients until the end, from this thread and others of the scope.
    pub(crate) fn serve<'scope, 'env>(&'scope self, scope: &'scope Scope<'scope, 'env>) {
        self.work(scope, Some(Task::Hear(Round::default())));
    }

    fn work<'scope, 'env>(
        &'scope self,
        scope: &'scope Scope<'scope, 'env>,
        mut task: Option<Task<'s>>,
    ) {
        while let Some(next) = task {
            self.perform(scope, next);
            task = self.rest();
        }
    }

    fn perform<'scope, 'env>(&'scope self, scope: &'scope Scope<'scope, 'env>, task: Task<'s>) {
        match task {
            Task::Hear(round) => self.hear(scope, round),
            Task::Serve(visit) => self.serve_alone(visit),
            Task::Commit => self.commit(scope),
        }
    }

    /// Hears clients until there is something to wait for, and another thread goes on hearing; or
    /// until the end.
    fn hear<'scope, 'env>(&'scope self, scope: &'scope Scope<'scope, 'env>, mut round: Round<'s>) {
        loop {
            let heard = self.door.hear();
            if heard.has_rung && !self.let_in() {
                return self.end();
            }
            let Some(own) = self.take_round(scope, heard, &mut round) else { continue };
            match (self.hand_over(scope, Task::Hear(round)), own) {
                (Ok(()), own) => return self.perform(scope, own),
                (Err(NotHanded { task: Task::Hear(kept), error }), Task::Serve(visit)) => {
                    round = kept;
                    self.refuse(&visit, &error);
                }
                (Err(NotHanded { task: Task::Hear(kept), .. }), own) => {
                    round = kept;
                    self.perform(scope, own);
                }
                _ => unreachable!("it gives back what it was given"),
            }
        }
    }

    /// Seats the clients that arrived; false at the end.
    fn let_in(&self) -> bool {
        let arrivals = self.door.arrivals();
        for arrival in arrivals.take() {
            self.door.seat(Box::new(Client::new(self.service, arrival)));
        }
        !arrivals.is_over()
    }

    /// Serves what waits for nothing, and leaves the rest to other threads, but for one task where
    /// this thread has nothing else to do.
    fn take_round<'scope, 'env>(
        &'scope self,
        scope: &'scope Scope<'scope, 'env>,
        heard: Heard<'s>,
        round: &mut Round<'s>,
    ) -> Option<Task<'s>> {
        self.service.paths.grow_old();
        let mut sorted = Sorted::default();
        // One that is alone is told at once.
        let stays = heard.clients.len() > 1 || self.service.shelf.acknowledges_on_disk();
        for client in heard.clients {
            round.read(self.service, client, stays, &mut sorted);
        }
        let own = if round.is_empty() { sorted.alone.pop() } else { None };
        self.part(scope, sorted);
        if let Some(Alone { chair, visit }) = own {
            self.door.leave(chair, &visit.client);
            return Some(Task::Serve(visit));
        }
        if round.is_empty() {
            return None;
        }
        if !self.service.shelf.acknowledges_on_disk() {
            let sorted = self.take_together(round);
            self.part(scope, sorted);
            return None;
        }
        self.commits.add(round).then_some(Task::Commit)
    }

    /// Has the updates taken that wait for the disk, until there are none: those that come during
    /// one sync wait for the next together.
    fn commit<'scope, 'env>(&'scope self, scope: &'scope Scope<'scope, 'env>) {
        let mut round = Round::default();
        while self.commits.take(&mut round) {
            let sorted = self.take_together(&mut round);
            self.part(scope, sorted);
        }
    }

    fn take_together(&self, round: &mut Round<'s>) -> Sorted<'s> {
        let replies = self.replies_together.lock();
        round.perform(self.service, &mut replies.unwrap_or_else(PoisonError::into_inner))
    }

    /// Does with clients whose chairs are kept what is to become of them.
    fn part<'scope, 'env>(&'scope self, scope: &'scope Scope<'scope, 'env>, sorted: Sorted<'s>) {
        let Sorted { seated, alone, gone } = sorted;
        self.door.seat_again(seated.into_iter());
        for Alone { chair, visit } in alone {
            self.door.leave(chair, &visit.client);
            self.leave_alone(scope, visit);
        }
        gone.iter().for_each(|seated| self.door.leave(seated.chair, &seated.client));
    }

    /// Leaves a client to another thread.
    fn leave_alone<'scope, 'env>(
        &'scope self,
        scope: &'scope Scope<'scope, 'env>,
        visit: Visit<'s>,
    ) {
        let handed_over = self.hand_over(scope, Task::Serve(visit));
        if let Err(NotHanded { task: Task::Serve(visit), error }) = handed_over {
            self.refuse(&visit, &error);
        }
    }

    /// Serves one client, however long that takes, and waits for what it says next.
    fn serve_alone(&self, visit: Visit<'s>) {
        // A panic was told; its client is hung up on.
        let served = catch_unwind(AssertUnwindSafe(|| visit.serve(self.service)));
        if let Ok(Some(client)) = served {
            self.door.seat(client);
        }
    }

    /// Has another thread do something: one that rests, or a new one.
    fn hand_over<'scope, 'env>(
        &'scope self,
        scope: &'scope Scope<'scope, 'env>,
        task: Task<'s>,
    ) -> Result<(), NotHanded<'s>> {
        let mut tasks = self.tasks();
        tasks.waiting.push_back(task);
        if tasks.resting < tasks.waiting.len() {
            let thread = std::thread::Builder::new().name("gyre-client".into());
            let spawned = thread.spawn_scoped(scope, || {
                // Another thread may have taken the task: this one may be one too many then.
                self.tasks().resting -= 1;
                self.work(scope, self.rest());
            });
            if let Err(error) = spawned {
                let task = tasks.waiting.pop_back().expect("it was just pushed");
                return Err(NotHanded { task, error });
            }
            tasks.resting += 1;
        }
        drop(tasks);
        self.has_task.notify_one();
        Ok(())
    }

    /// What this thread does next; `None` if it is not needed.
    fn rest(&self) -> Option<Task<'s>> {
        let mut tasks = self.tasks();
        if tasks.resting >= SPARE_THREADS + tasks.waiting.len() {
            return None;
        }
        tasks.resting += 1;
        self.next(tasks)
    }

    fn next(&self, tasks: MutexGuard<'_, Tasks<'s>>) -> Option<Task<'s>> {
        let is_idle = |tasks: &mut Tasks<'s>| tasks.waiting.is_empty() && !tasks.is_over;
        let waited = self.has_task.wait_timeout_while(tasks, RESTS_BESIDE_SPARE, is_idle);
        let (mut tasks, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        // More threads rested than stay, as more tasks waited then, which others took.
        let is_one_too_many = waited.timed_out() && tasks.resting > SPARE_THREADS;
        if !is_one_too_many {
            let waited = self.has_task.wait_while(tasks, is_idle);
            tasks = waited.unwrap_or_else(PoisonError::into_inner);
        }
        tasks.resting -= 1;
        tasks.waiting.pop_front()
    }

    /// Has all threads end that do nothing, and the others when they are done.
    fn end(&self) {
        self.tasks().is_over = true;
        self.has_task.notify_all();
    }

    /// There is no thread for a client. One that has half a reply is hung up on without a word.
    fn refuse(&self, visit: &Visit<'s>, error: &io::Error) {
        let words = format!("No thread for one more connection: {}", system_words(error));
        match visit.unsent.is_empty() {
            true => turn_away(self.service, &visit.client.stream, &words),
            false => self.service.log.say(Level::Warning, &words),
        }
    }

    fn tasks(&self) -> MutexGuard<'_, Tasks<'s>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
