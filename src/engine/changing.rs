//! What is asked of the engine, and told by it, about moving a group.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{
    Bookmark, Journal, JournalEntry, Known, Member, Observations, Offset, Problem, Profile,
    Profiles, TimestampMs, TopicPartition,
};
use crate::rewind::guard::{Confirmed, Guard};
use crate::rewind::plan::Plan;
use crate::rewind::policy::Policy;
use crate::rewind::target::PlanRequest;

/// The files in which the engine keeps what must outlive it.
#[derive(Clone, Debug)]
pub struct Files {
    /// What was changed; without it nothing is changed.
    pub journal: Known<Arc<dyn Journal>>,
    /// Named connections.
    pub profiles: Known<Arc<dyn Profiles>>,
    /// What was seen of clusters over time, and findings that were put aside.
    pub observations: Known<Arc<dyn Observations>>,
    /// The name by which the operating system knows the person.
    pub user: String,
}

impl Files {
    /// No files, for this reason: nothing can be changed then, and no connection has a name.
    pub fn none(why: Problem) -> Self {
        Self {
            journal: Err(why.clone()),
            profiles: Err(why.clone()),
            observations: Err(why),
            user: String::new(),
        }
    }
}

/// Applies the plan that is on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplyRequest {
    /// The plan's digest; another plan is refused.
    pub plan_id: String,
    /// What was confirmed.
    pub confirmed: Confirmed,
    /// What the person wrote about records that run a second time; empty when nothing was asked.
    pub words: String,
    /// For how many milliseconds to wait for the first moment without members; `None` to apply now or not at
    /// all.
    pub wait_ms: Option<i64>,
}

/// One rewind from plan to watching, as a command asks for it.
#[derive(Clone, Debug)]
pub struct RewindRequest {
    /// What is asked for.
    pub plan: PlanRequest,
    /// The id of the only cluster that is meant; `None` for whichever it is.
    pub only_cluster: Option<String>,
    /// Whether to apply it.
    pub execute: bool,
    /// The only plan that may be applied.
    pub plan_id: Option<String>,
    /// What was confirmed.
    pub confirmed: Confirmed,
    /// For how many milliseconds to wait for a moment without members; `None` not to wait.
    pub wait_ms: Option<i64>,
    /// For how many milliseconds to watch the group's commits before; 0 not to.
    pub observe_ms: i64,
}

/// The answer to a [`RewindRequest`].
#[derive(Clone, Debug)]
pub struct RewindReply {
    /// The plan, as it was when it was applied or refused.
    pub plan: Arc<Plan>,
    /// Its digest.
    pub plan_id: String,
    /// The guards as they stood then.
    pub guards: Vec<Guard>,
    /// Whether the connection's locks allow no change.
    pub read_only: bool,
    /// What was done; `None` when nothing was to be done.
    pub ended: Option<Ended>,
}

/// How applying a plan ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing was changed, and why.
    Refused(Problem),
    /// The bus has answered, for every row.
    Applied(Applied),
}

/// What applying a plan did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The journal entry that has it; `None` when there was nothing to write.
    pub journal_id: Option<String>,
    /// When the bus had answered.
    pub at: TimestampMs,
    /// Each row that was written.
    pub rows: Vec<RowResult>,
    /// How many times a member was there again between the check and the write before it succeeded.
    pub misses: u64,
}

/// What became of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowResult {
    /// The partition.
    pub at: TopicPartition,
    /// The bookmark before, read immediately before the write.
    pub before: Option<Bookmark>,
    /// The bookmark that was written; `None` when it was deleted.
    pub after: Option<Bookmark>,
    /// The offset that was read back; `Ok(None)` for no bookmark.
    pub read_back: Known<Option<Offset>>,
    /// Why it was not changed, or why it is not what was written.
    pub error: Option<Problem>,
}

/// The plan on screen and what is being done with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RewindView {
    /// The number of the newest request that was begun.
    pub number: u64,
    /// The plan of that request, or of an earlier one while it is still being worked out.
    pub plan: Option<Known<Arc<Plan>>>,
    /// The number of the request that `plan` answers.
    pub plan_number: u64,
    /// The plan's digest.
    pub plan_id: String,
    /// Whether records between the places are still being read.
    pub counting: bool,
    /// The guards as they stand.
    pub guards: Vec<Guard>,
    /// Who is in the group, when that is known.
    pub members: Vec<Member>,
    /// What is being done.
    pub run: Run,
}

/// What is being done with a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Run {
    /// Nothing.
    #[default]
    Idle,
    /// Waiting for the first moment without members.
    Waiting {
        /// Since when.
        since: TimestampMs,
        /// Until when.
        until: TimestampMs,
        /// How many times a member was back before the write.
        misses: u64,
        /// Whether the group has not been without members for a minute: something starts its members anew.
        restarted: bool,
    },
    /// The change is on its way.
    Applying,
    /// It is over.
    Ended(Ended),
}

/// What the journal says, and how far groups are that were moved.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalView {
    /// The entries, the newest first.
    pub entries: Known<Vec<Arc<JournalEntry>>>,
    /// How far the groups of entries that are watched are, by entry.
    pub progress: BTreeMap<String, Progression>,
}

impl Default for JournalView {
    fn default() -> Self {
        Self {
            entries: Ok(Vec::new()),
            progress: BTreeMap::new(),
        }
    }
}

/// How far a group is after it was moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Progression {
    /// When it was read.
    pub at: TimestampMs,
    /// Whether it reads again: its bookmarks moved since the change.
    pub resumed: bool,
    /// Rows on which it is at or past its old bookmark.
    pub rows_passed: usize,
    /// Rows that were moved back.
    pub rows: usize,
    /// Offsets that are left until then, over all rows.
    pub left: u64,
    /// Offsets a second at which it comes nearer; `None` until it was read twice.
    pub rate: Option<f64>,
    /// Why the bookmarks cannot be read at present.
    pub problem: Option<Problem>,
}

/// How the cluster may be changed over this connection, and which connections have names.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessView {
    /// The profile that it was reached with.
    pub profile: Option<String>,
    /// What the locks say; `None` until the cluster is known.
    pub policy: Option<Policy>,
    /// Until when a person has unlocked it; `None` when it is locked or needs no unlocking.
    pub unlocked_until: Option<TimestampMs>,
    /// The named connections.
    pub profiles: Known<Vec<Profile>>,
    /// Why the last change to them was not kept.
    pub problem: Option<Problem>,
}

impl Default for AccessView {
    fn default() -> Self {
        Self {
            profile: None,
            policy: None,
            unlocked_until: None,
            profiles: Ok(Vec::new()),
            problem: None,
        }
    }
}
