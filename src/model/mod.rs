//! What a bus is, as plain data.
//!
//! Topics, partitions, records, consumer groups and their committed offsets, in the field's own words.
//! Every layer above speaks in these types, so nothing here may know a particular bus, do I/O, be async
//! or draw. What is not known is a [`Problem`] in the place of the value, never a zero.

mod address;
mod bookmark;
#[cfg(test)]
pub(crate) mod by_hand;
mod cluster;
mod connection;
mod finding;
mod group;
mod history;
mod ids;
mod journal;
pub(crate) mod json;
pub mod link;
mod log;
mod observations;
mod problem;
mod profile;
mod record;
mod schema;
mod secrets;
mod text;
pub mod time;
mod topic;

pub use address::Address;
pub use bookmark::{Bookmark, Move};
pub use cluster::{Broker, Cluster};
pub use connection::ConnectionSettings;
pub use finding::{Certainty, Concerns, Dismissal, Fact, Finding, FindingKind};
pub use group::{
    Assignment, Commit, Group, GroupList, GroupListing, GroupMembers, GroupType, Member,
};
pub use history::{
    CommitMove, Committed, GroupHistory, History, HistoryCoverage, HistorySource, Membership,
    PlaceHistory,
};
pub use ids::{BrokerId, Offset, PartitionId, TimestampMs, TopicName, TopicPartition};
pub use journal::{Journal, JournalEntry, JournalRow, JournalState, RowOutcome};
pub use log::{Aborted, Batch, BatchKind, LogPortion, OpenTransaction, Producer, TransactionState};
pub use observations::{
    KnownTopic, Observations, Remembered, SeenCommit, SeenPartition, SeenTopic, Sighting,
};
pub use problem::{Known, Problem, ProblemKind};
pub use profile::{Profile, Profiles, check_link};
pub use record::{Header, Isolation, Record, RecordHead, TimestampType, Visibility};
pub use schema::{SchemaKind, SchemaText};
pub use secrets::{is_secret_name, is_secret_setting, plain_address, plain_url};
pub use text::{Text, shell_word};
pub use time::Clock;
pub use topic::{Partition, Topic, TopicConfig};
