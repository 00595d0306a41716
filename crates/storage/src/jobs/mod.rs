//! Work that follows from a change and is written with it.
//!
//! Jobs wait in lanes, and a lane is what a worker takes: so the jobs of a lane are done one after the other, in the order
//! in which they were committed. A lane is there exactly while it has jobs; a job is there until it is done or dropped.
//!
//! Order of locks: the Org's, where a unit needs it, and the lane's after it. Everything that changes a lane or its jobs
//! holds the lane's row first.

pub(crate) mod enqueue;
pub(crate) mod lanes;
pub(crate) mod running;
pub(crate) mod waiting;

pub use enqueue::{MOST_WAITING, enqueue, enqueue_counted, enqueue_later};
pub use lanes::{
    Claim, Grip, Head, Held, advance, claim, drop_held, find_head, finish, forget_failures, free_left,
    get_total, hold, is_any_due, list_first, note_told, pause, put_off, read_time, release, remove_up_to,
    renew, retry,
};
pub use running::{Running, find_running, find_running_in};
pub use waiting::{
    Found, ListedJob, Waiting, WaitingJob, count_busy, count_waiting, drop_job, find, find_oldest, hurry,
    list, list_waiting, purge, remove_slice, retry_now, wake,
};

/// The time by which leases and pauses are measured. Several nodes share a PostgreSQL, so its clock counts there, moved
/// as far as the node's own clock is set apart from its machine's; a clock that stands still tells the time itself.
/// An embedded database has no other clock than its process.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// The node's own clock.
    pub here_ms: i64,
    /// How far that is ahead of its machine's; none for a clock that stands still.
    pub ahead_ms: Option<i64>,
}

/// What became of a job that was to be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// It is so from this commit on.
    Done,
    /// A worker is at it; it stops before its next step.
    Soon,
    /// The same was asked for before, and the worker is still at it.
    Before,
    /// It was done or dropped before.
    Missing,
}
