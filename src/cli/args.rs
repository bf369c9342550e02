//! What may be written on the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::help;

/// Shows topics, partitions and consumer groups of an event bus on one time axis.
///
/// Without a command the window opens. Nothing on the bus is changed by looking: no group is created, no
/// offset committed, no topic made.
#[derive(Parser)]
#[command(name = "tideline", version, after_help = help::TIDELINE)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) connect: ConnectArgs,
    #[command(subcommand)]
    pub(super) command: Option<Verb>,
}

/// The commands.
#[derive(Subcommand)]
pub(super) enum Verb {
    /// The cluster and its brokers
    #[command(after_help = help::CLUSTER)]
    Cluster(ClusterArgs),
    /// Topics: settings, partitions, replicas and offsets
    #[command(after_help = help::TOPICS)]
    Topics(TopicsArgs),
    /// Consumer groups: members, committed offsets and lag
    #[command(after_help = help::GROUPS)]
    Groups(GroupsArgs),
    /// How records spread over time, and where groups stand among them
    #[command(after_help = help::TIMELINE)]
    Timeline(TimelineArgs),
    /// Records: key, value, headers and where they lie
    #[command(after_help = help::RECORDS)]
    Records(RecordsArgs),
    /// What is missing, to whom, why, and how sure that is
    #[command(after_help = help::GAPS)]
    Gaps(GapsArgs),
    /// The same for ever: tells each finding that appears or clears
    #[command(after_help = help::WATCH)]
    Watch(WatchArgs),
    /// Moves the committed offsets of one group: shows what would happen, and does it with --execute
    #[command(after_help = help::REWIND)]
    Rewind(RewindArgs),
    /// Gives a group the offsets back that a change took from it
    #[command(after_help = help::UNDO)]
    Undo(UndoArgs),
    /// What was changed with Tideline, and how far that is
    #[command(after_help = help::JOURNAL)]
    Journal(JournalArgs),
    /// Named connections: how a cluster is reached, and what may be done there
    #[command(after_help = help::PROFILE)]
    Profile(ProfileArgs),
    /// The built-in demo bus: opens the window on it, or serves it alone
    #[command(after_help = help::DEMO)]
    Demo(DemoArgs),
}

/// How to reach the bus. Not `Debug`: the values may be secret.
#[derive(Args, Default)]
#[command(next_help_heading = "Connecting")]
pub(super) struct ConnectArgs {
    /// Addresses to try first, separated by commas
    #[arg(long, value_name = "HOST:PORT[,…]")]
    pub(super) bootstrap: Option<String>,
    /// A named connection
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<String>,
    /// A client configuration: a Java client.properties or a librdkafka (kcat) file
    #[arg(long, value_name = "FILE")]
    pub(super) command_config: Option<PathBuf>,
    /// A librdkafka property; may be repeated and wins over the file
    #[arg(short = 'X', value_name = "NAME=VALUE")]
    pub(super) property: Vec<String>,
    /// A schema registry; its login goes into the file, or -X basic.auth.user.info or bearer.auth.token
    #[arg(long, value_name = "URL")]
    pub(super) schema_registry: Option<String>,
    /// Time allowed for the whole command, such as 30s or 2m; no bound when left out
    #[arg(long, value_name = "DURATION")]
    pub(super) timeout: Option<String>,
}

#[derive(Args)]
pub(super) struct ClusterArgs {
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) connect: ConnectArgs,
}

/// How to write the answer.
#[derive(Args)]
pub(super) struct OutputArgs {
    /// Write JSON instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args)]
pub(super) struct TopicsArgs {
    /// Only this topic; may be repeated
    #[arg(long = "topic", value_name = "TOPIC")]
    pub(super) topics: Vec<String>,
    /// With the bus's own topics
    #[arg(long)]
    pub(super) internal: bool,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) connect: ConnectArgs,
}

#[derive(Args)]
pub(super) struct GroupsArgs {
    /// Only this group; may be repeated
    #[arg(long = "group", value_name = "GROUP")]
    pub(super) groups: Vec<OsString>,
    /// Do not read the time of each group's next record: faster, and the delay stays unknown
    #[arg(long)]
    pub(super) no_times: bool,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) connect: ConnectArgs,
}

#[derive(Args)]
pub(super) struct TimelineArgs {
    /// Only this topic; may be repeated
    #[arg(long = "topic", value_name = "TOPIC")]
    pub(super) topics: Vec<String>,
    /// Only this group; may be repeated. All groups when left out
    #[arg(long = "group", value_name = "GROUP")]
    pub(super) groups: Vec<OsString>,
    /// Left edge, included; where the bulk of the data begins when left out
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) from: Option<String>,
    /// Right edge, not included; where the bulk of the data ends when left out
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) to: Option<String>,
    /// How many buckets lie between the edges
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) buckets: u32,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) connect: ConnectArgs,
}

#[derive(Args)]
pub(super) struct RecordsArgs {
    /// A topic, one of its partitions, or the one record at an offset; may be repeated, and all of them come
    #[arg(
        long = "topic",
        value_name = "TOPIC[/PARTITION[/OFFSET]]",
        required = true
    )]
    pub(super) topics: Vec<String>,
    /// The first record: a time or an offset; the log start when left out
    #[arg(long, value_name = "TIME|offset:N", allow_hyphen_values = true)]
    pub(super) from: Option<String>,
    /// The end, not included: a time or an offset; the end of the log at the start of the command when left out
    #[arg(long, value_name = "TIME|offset:N", allow_hyphen_values = true)]
    pub(super) to: Option<String>,
    /// Begin at the committed offsets of this group
    #[arg(long, value_name = "GROUP", conflicts_with = "from")]
    pub(super) group_position: Option<OsString>,
    /// The newest N records by time over everything in scope, N in all
    #[arg(long, value_name = "N", conflicts_with_all = ["from", "group_position"])]
    pub(super) newest: Option<u64>,
    /// Stop after N records; the answer says so when there were more
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<u64>,
    /// Oldest first across partitions, or partition after partition; as they are read when left out
    #[arg(long, value_name = "ORDER")]
    pub(super) order: Option<OrderArg>,
    /// Whose records to show
    #[arg(long, value_name = "LEVEL", default_value = "read_uncommitted")]
    pub(super) isolation: IsolationArg,
    /// Only records that pass this; may be repeated, and all must be passed
    #[arg(long = "filter", value_name = "EXPR", allow_hyphen_values = true)]
    pub(super) filters: Vec<String>,
    /// Also what key and value were decoded to
    #[arg(long)]
    pub(super) decode: bool,
    /// Go on with what comes in, until interrupted
    #[arg(long, conflicts_with_all = ["to", "order"])]
    pub(super) follow: bool,
    /// Read at most so many megabytes a second
    #[arg(long, value_name = "MB/s")]
    pub(super) max_rate: Option<f64>,
    /// Stop when so many bytes of records were read, at the end of a portion of up to 2,000 records
    #[arg(long, value_name = "N")]
    pub(super) max_bytes: Option<u64>,
    /// The schema of a topic's values: a file .avsc, .proto or a descriptor set; may be repeated. With several messages
    /// in it, write FILE#MESSAGE
    #[arg(long = "schema", value_name = "TOPIC=FILE")]
    pub(super) schemas: Vec<OsString>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) connect: ConnectArgs,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum OrderArg {
    /// Oldest first across partitions
    Time,
    /// Partition after partition
    Offset,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum IsolationArg {
    /// Everything, aborted and not yet committed records included
    #[value(name = "read_uncommitted")]
    ReadUncommitted,
    /// What careful readers are given
    #[value(name = "read_committed")]
    ReadCommitted,
}

#[derive(Args)]
pub(super) struct GapsArgs {
    #[command(flatten)]
    pub(super) of: FindingsArgs,
    /// The first record that is read: a time; a day back and at most 1,000,000 records of a partition when left out
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) from: Option<String>,
    /// The end of what is read, not included: a time; the end of the log when left out
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) to: Option<String>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) connect: ConnectArgs,
}

#[derive(Args)]
pub(super) struct WatchArgs {
    #[command(flatten)]
    pub(super) of: FindingsArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) connect: ConnectArgs,
}

/// What findings are looked for.
#[derive(Args)]
pub(super) struct FindingsArgs {
    /// Only what concerns this topic; may be repeated
    #[arg(long = "topic", value_name = "TOPIC")]
    pub(super) topics: Vec<String>,
    /// Only what concerns this group; may be repeated
    #[arg(long = "group", value_name = "GROUP")]
    pub(super) groups: Vec<OsString>,
    /// Where the decoded value carries a version that grows by one for each key, such as .version
    #[arg(long, value_name = ".PATH", conflicts_with = "version_header")]
    pub(super) version_path: Option<String>,
    /// The header that carries it
    #[arg(long, value_name = "NAME")]
    pub(super) version_header: Option<String>,
    /// How long a group must stand still while records wait before it is stuck
    #[arg(long, value_name = "DURATION", default_value = "5m")]
    pub(super) stuck_after: String,
}

#[derive(Args)]
pub(super) struct RewindArgs {
    /// The group
    #[arg(long, value_name = "GROUP")]
    pub(super) group: OsString,
    /// Only this topic or partition; may be repeated. All that the group has committed when left out
    #[arg(long = "topic", value_name = "TOPIC[/PARTITION]")]
    pub(super) topics: Vec<String>,
    /// Where to: time:TIME, offset:N, earliest, latest, shift:±N, group:NAME, `file:PATH`, journal:ID
    #[arg(long, value_name = "TARGET", allow_hyphen_values = true)]
    pub(super) to: OsString,
    /// Give a group that does not exist yet its first offsets
    #[arg(long)]
    pub(super) new_group: bool,
    /// With group:NAME, copy the texts beside its offsets too
    #[arg(long)]
    pub(super) with_metadata: bool,
    #[command(flatten)]
    pub(super) change: ChangeArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) connect: ConnectArgs,
}

/// Whether and how a plan is applied.
#[derive(Args)]
#[command(next_help_heading = "Applying")]
pub(super) struct ChangeArgs {
    /// Only show what would happen; so it is without --execute
    #[arg(long, conflicts_with = "execute")]
    pub(super) dry_run: bool,
    /// Apply the plan
    #[arg(long)]
    pub(super) execute: bool,
    /// Wait for the first moment without members, at most this long
    #[arg(long, value_name = "DURATION", num_args = 0..=1, require_equals = true, default_missing_value = "30m")]
    pub(super) wait: Option<String>,
    /// Watch this long whether somebody commits though the group has no members; 0s not to
    #[arg(long, value_name = "DURATION", default_value = "11s")]
    pub(super) observe: String,
    /// Apply this plan only, named by the `plan_id` that was shown
    #[arg(long, value_name = "ID", requires = "execute")]
    pub(super) plan: Option<String>,
    /// What is confirmed: the name of a guard, or the group's name; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(super) confirm: Vec<String>,
    /// Write the plan as a table that the stock tool's --from-file reads
    #[arg(long, value_name = "PATH")]
    pub(super) export: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct UndoArgs {
    /// The entry of the journal
    #[arg(value_name = "ID")]
    pub(super) id: String,
    /// Take the entry from this file, which journal --export wrote
    #[arg(long, value_name = "PATH")]
    pub(super) file: Option<PathBuf>,
    /// Only this topic or partition of the entry; may be repeated
    #[arg(long = "topic", value_name = "TOPIC[/PARTITION]")]
    pub(super) topics: Vec<String>,
    #[command(flatten)]
    pub(super) change: ChangeArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) connect: ConnectArgs,
}

#[derive(Args)]
pub(super) struct JournalArgs {
    /// Only this entry
    #[arg(long, value_name = "ID")]
    pub(super) id: Option<String>,
    /// Also write the entries to this file, from which undo --file reads them
    #[arg(long, value_name = "PATH")]
    pub(super) export: Option<PathBuf>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Args)]
pub(super) struct ProfileArgs {
    #[command(subcommand)]
    pub(super) verb: ProfileVerb,
}

/// What is done with profiles.
#[derive(Subcommand)]
pub(super) enum ProfileVerb {
    /// All profiles
    List(OutputArgs),
    /// One profile
    Show(NamedProfileArgs),
    /// Keeps a profile, in place of the one of that name
    Put(PutProfileArgs),
    /// Forgets a profile
    Remove(NamedProfileArgs),
}

#[derive(Args)]
pub(super) struct NamedProfileArgs {
    /// Its name
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Args)]
pub(super) struct PutProfileArgs {
    /// Its name
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    /// Addresses to try first, separated by commas
    #[arg(long, value_name = "HOST:PORT[,…]")]
    pub(super) bootstrap: String,
    /// A librdkafka property that is no secret; may be repeated
    #[arg(short = 'X', value_name = "NAME=VALUE")]
    pub(super) property: Vec<String>,
    /// A schema registry, without a login
    #[arg(long, value_name = "URL")]
    pub(super) schema_registry: Option<String>,
    /// Whether nothing may be changed there
    #[arg(long, value_name = "true|false", default_value_t = true, action = clap::ArgAction::Set)]
    pub(super) read_only: bool,
    /// Whether people depend on it, so that changes are confirmed in full
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_value_t = false, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub(super) production: bool,
    /// Where another tool shows the same event: an address with places such as `{trace_id}`, {key} or {time}; may
    /// be repeated
    #[arg(long = "link", value_name = "NAME=TEMPLATE")]
    pub(super) links: Vec<String>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Args)]
pub(super) struct DemoArgs {
    /// Serve the bus without a window until interrupted; prints its address when it is ready
    #[arg(long)]
    pub(super) broker_only: bool,
    /// Port on the loopback address; any free one when left out
    #[arg(long, value_name = "N", default_value_t = 0, requires = "broker_only")]
    pub(super) port: u16,
    /// Topics beside the shop's
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) topics: u32,
    /// Partitions of each of these topics
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) partitions: u32,
    /// Consumer groups beside the shop's
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) groups: u32,
    /// Records in these topics, in all
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) records: u64,
    /// Records a second written to these topics, in all
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) rate: u32,
    /// End as soon as standard input closes
    #[arg(long, hide = true, requires = "broker_only")]
    pub(super) parent_pipe: bool,
}
