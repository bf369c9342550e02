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
    /// A client configuration: a Java client.properties or a librdkafka (kcat) file
    #[arg(long, value_name = "FILE")]
    pub(super) command_config: Option<PathBuf>,
    /// A librdkafka property; may be repeated and wins over the file
    #[arg(short = 'X', value_name = "NAME=VALUE")]
    pub(super) property: Vec<String>,
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
