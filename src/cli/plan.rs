//! From what was written to what is to be done.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;

use crate::engine::{
    ConnectTarget, DemoSize, Edge, Files, GapsRequest, GroupsRequest, Order, RecordScope,
    RecordsRequest, Request, TimelineRequest, TopicsRequest,
};
use crate::inspect::filter::Filters;
use crate::model::time::{format_zone, parse_duration_ms, parse_time};
use crate::model::{
    ConnectionSettings, Isolation, Offset, PartitionId, Profile, Text, TimestampMs,
};

use super::args::{
    Cli, ConnectArgs, DemoArgs, IsolationArg, OrderArg, RecordsArgs, TimelineArgs, Verb,
};
use super::kept::Kept;
use super::text::{visible, width};
use super::{DemoOptions, WindowStart, findings, moving, schemas};

/// What is wrong with what was written, in a sentence. Holds no secret.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Usage(pub(super) String);

/// What is to be done.
#[derive(Debug)]
pub(super) enum Plan {
    /// Ask one question and write the answer.
    Ask(Box<Question>),
    /// Ask what is kept on this machine.
    Kept(Kept),
    /// Open the window.
    Window(WindowStart),
    /// Serve the demo bus.
    ServeDemo(DemoOptions),
}

/// A question and how to write its answer.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) settings: ConnectionSettings,
    pub(super) timeout: Option<Duration>,
    pub(super) request: Request,
    pub(super) json: bool,
    /// Where the plan of a change is to be written.
    pub(super) export: Option<PathBuf>,
    /// The zone that decided, when a time was written without one.
    pub(super) zone_assumed: Option<String>,
}

/// Makes a plan of `cli`; times are relative to `now` and `zone`. Reads what is named: configuration, profile,
/// table, entry of the journal.
pub(super) fn plan(
    cli: Cli,
    bootstrap_env: Option<String>,
    now: TimestampMs,
    zone: &TimeZone,
    files: &Files,
) -> Result<Plan, Usage> {
    let mut times = Times::new(now, zone);
    let mut export = None;
    let mut schema_files = Vec::new();
    let (connect, json, request) = match cli.command {
        None => return window(cli.connect, bootstrap_env, files),
        Some(Verb::Demo(args)) => return demo(&cli.connect, &args, bootstrap_env),
        Some(Verb::Cluster(args)) => (args.connect, args.output.json, Request::Cluster),
        Some(Verb::Topics(args)) => {
            let request = TopicsRequest {
                topics: names(args.topics)?,
                internal: args.internal,
            };
            (args.connect, args.output.json, Request::Topics(request))
        }
        Some(Verb::Groups(args)) => {
            let request = GroupsRequest {
                groups: args.groups.iter().map(text).collect(),
                times: !args.no_times,
            };
            (args.connect, args.output.json, Request::Groups(request))
        }
        Some(Verb::Timeline(args)) => {
            let request = Request::Timeline(timeline(&args, &mut times)?);
            (args.connect, args.output.json, request)
        }
        Some(Verb::Journal(args)) => return Ok(Plan::Kept(Kept::journal(args))),
        Some(Verb::Profile(args)) => return Kept::profile(args).map(Plan::Kept),
        Some(Verb::Rewind(args)) => {
            let request = moving::rewind(&args, &mut times, files)?;
            export = args.change.export;
            let request = Request::Rewind(Box::new(request));
            (args.connect, args.output.json, request)
        }
        Some(Verb::Undo(args)) => {
            let request = moving::undo(&args, files)?;
            export = args.change.export;
            let request = Request::Rewind(Box::new(request));
            (args.connect, args.output.json, request)
        }
        Some(Verb::Gaps(args)) => {
            let request = GapsRequest {
                from: args
                    .from
                    .as_deref()
                    .map(|text| times.time("--from", text))
                    .transpose()?,
                to: args
                    .to
                    .as_deref()
                    .map(|text| times.time("--to", text))
                    .transpose()?,
                ..findings::request(&args.of)?
            };
            findings::check(&request)?;
            (
                args.connect,
                args.output.json,
                Request::Gaps(Box::new(request)),
            )
        }
        Some(Verb::Watch(args)) => {
            let request = Box::new(findings::request(&args.of)?);
            (args.connect, args.output.json, Request::WatchGaps(request))
        }
        Some(Verb::Records(args)) => {
            let request = Request::Records(records(&args, &mut times)?);
            schema_files = schemas::files(&args.schemas)?;
            (args.connect, args.output.json, request)
        }
    };
    let connect = merged(cli.connect, connect)?;
    let timeout = connect.timeout.as_deref().map(duration).transpose()?;
    let settings = ConnectionSettings {
        schema_files,
        ..settings(connect, files)?
    };
    Ok(Plan::Ask(Box::new(Question {
        settings,
        timeout,
        request,
        json,
        export,
        zone_assumed: times.assumed,
    })))
}

fn window(
    connect: ConnectArgs,
    bootstrap_env: Option<String>,
    files: &Files,
) -> Result<Plan, Usage> {
    if connect.timeout.is_some() {
        return Err(Usage(
            "--timeout bounds a command; the window stays open until it is closed".to_owned(),
        ));
    }
    let connect = if is_empty(&connect) {
        None
    } else {
        Some(ConnectTarget::Bus(settings(connect, files)?))
    };
    Ok(Plan::Window(WindowStart {
        connect,
        bootstrap_env,
        link: None,
        said: None,
    }))
}

fn demo(
    connect: &ConnectArgs,
    args: &DemoArgs,
    bootstrap_env: Option<String>,
) -> Result<Plan, Usage> {
    if !is_empty(connect) || connect.timeout.is_some() {
        return Err(Usage(
            "demo brings its own bus; leave the connecting options out".to_owned(),
        ));
    }
    let size = DemoSize {
        topics: args.topics,
        partitions: args.partitions,
        groups: args.groups,
        records: args.records,
        rate: args.rate,
    };
    if !args.broker_only {
        return Ok(Plan::Window(WindowStart {
            connect: Some(ConnectTarget::Demo(size)),
            bootstrap_env,
            link: None,
            said: None,
        }));
    }
    Ok(Plan::ServeDemo(DemoOptions {
        port: args.port,
        size,
        parent_pipe: args.parent_pipe,
    }))
}

fn is_empty(connect: &ConnectArgs) -> bool {
    connect.bootstrap.is_none()
        && connect.profile.is_none()
        && connect.command_config.is_none()
        && connect.property.is_empty()
        && connect.schema_registry.is_none()
}

/// Connecting options may stand before and after the command's name.
fn merged(before: ConnectArgs, after: ConnectArgs) -> Result<ConnectArgs, Usage> {
    fn one<T>(before: Option<T>, after: Option<T>, name: &str) -> Result<Option<T>, Usage> {
        match (before, after) {
            (Some(_), Some(_)) => Err(Usage(format!("{name} is given twice"))),
            (before, after) => Ok(before.or(after)),
        }
    }
    let mut property = before.property;
    property.extend(after.property);
    Ok(ConnectArgs {
        bootstrap: one(before.bootstrap, after.bootstrap, "--bootstrap")?,
        profile: one(before.profile, after.profile, "--profile")?,
        command_config: one(
            before.command_config,
            after.command_config,
            "--command-config",
        )?,
        property,
        schema_registry: one(
            before.schema_registry,
            after.schema_registry,
            "--schema-registry",
        )?,
        timeout: one(before.timeout, after.timeout, "--timeout")?,
    })
}

fn settings(connect: ConnectArgs, files: &Files) -> Result<ConnectionSettings, Usage> {
    let config_path = connect.command_config.as_ref();
    let config_path = config_path.map(|path| path.display().to_string());
    let config_text = match connect.command_config {
        None => None,
        Some(path) => Some(std::fs::read_to_string(&path).map_err(|error| {
            Usage(format!(
                "the configuration file {} cannot be read: {error}",
                path.display()
            ))
        })?),
    };
    let profile = connect
        .profile
        .map(|name| profile(&name, files))
        .transpose()?;
    let (named, profile_bootstrap, mut properties) = match profile {
        None => (None, String::new(), Vec::new()),
        Some(profile) => (Some(profile.name), profile.bootstrap, profile.properties),
    };
    for written in &connect.property {
        properties.push(property(written)?);
    }
    if let Some(url) = &connect.schema_registry {
        properties.push(schemas::registry(url)?);
    }
    Ok(ConnectionSettings {
        bootstrap: connect.bootstrap.unwrap_or(profile_bootstrap),
        config_text,
        config_path,
        properties,
        profile: named,
        schema_files: Vec::new(),
    })
}

/// Reads `NAME=VALUE`. What is wrong is said without the value, which may be secret.
pub(super) fn property(written: &str) -> Result<(String, String), Usage> {
    match written.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.to_owned()))
        }
        _ => Err(Usage(
            "-X takes NAME=VALUE, such as -X security.protocol=SSL".to_owned(),
        )),
    }
}

fn profile(name: &str, files: &Files) -> Result<Profile, Usage> {
    let read = files
        .profiles
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|profiles| profiles.profiles());
    let profiles =
        read.map_err(|problem| Usage(format!("the profiles cannot be read: {problem}")))?;
    let names: Vec<&str> = profiles.iter().map(|known| &*known.name).collect();
    let known = if names.is_empty() {
        "there are none".to_owned()
    } else {
        format!("there are {}", names.join(", "))
    };
    let unknown = Usage(format!("there is no profile {name}; {known}"));
    profiles
        .into_iter()
        .find(|known| known.name == name)
        .ok_or(unknown)
}

fn duration(text: &str) -> Result<Duration, Usage> {
    let ms = parse_duration_ms(text).map_err(|error| Usage(format!("--timeout: {error}")))?;
    Ok(Duration::from_millis(u64::try_from(ms).unwrap_or(0)))
}

pub(super) fn names(names: Vec<String>) -> Result<Vec<std::sync::Arc<str>>, Usage> {
    if names.iter().any(String::is_empty) {
        return Err(Usage("--topic names no topic".to_owned()));
    }
    Ok(names.into_iter().map(Into::into).collect())
}

pub(super) fn text(name: &std::ffi::OsString) -> Text {
    Text::from_bytes(name.as_encoded_bytes())
}

fn timeline(args: &TimelineArgs, times: &mut Times<'_>) -> Result<TimelineRequest, Usage> {
    let from = args
        .from
        .as_deref()
        .map(|text| times.time("--from", text))
        .transpose()?;
    let to = args
        .to
        .as_deref()
        .map(|text| times.time("--to", text))
        .transpose()?;
    if let (Some(from), Some(to)) = (from, to)
        && from >= to
    {
        return Err(Usage("--from must lie before --to".to_owned()));
    }
    Ok(TimelineRequest {
        topics: names(args.topics.clone())?,
        groups: args.groups.iter().map(text).collect(),
        from,
        to,
        buckets: usize::try_from(args.buckets).unwrap_or(usize::MAX),
    })
}

fn records(args: &RecordsArgs, times: &mut Times<'_>) -> Result<RecordsRequest, Usage> {
    let from = args
        .from
        .as_deref()
        .map(|text| times.edge("--from", text))
        .transpose()?;
    let to = args
        .to
        .as_deref()
        .map(|text| times.edge("--to", text))
        .transpose()?;
    let reversed = match (from, to) {
        (Some(Edge::Time(from)), Some(Edge::Time(to))) => from > to,
        (Some(Edge::Offset(from)), Some(Edge::Offset(to))) => from > to,
        _ => false,
    };
    if reversed {
        return Err(Usage("--from must not lie after --to".to_owned()));
    }
    Ok(RecordsRequest {
        scope: args
            .topics
            .iter()
            .map(|text| scope(text))
            .collect::<Result<_, _>>()?,
        from,
        to,
        group_position: args.group_position.as_ref().map(text),
        newest: args.newest,
        limit: args.limit,
        order: match args.order {
            None => Order::AsRead,
            Some(OrderArg::Time) => Order::Time,
            Some(OrderArg::Offset) => Order::Offset,
        },
        isolation: match args.isolation {
            IsolationArg::ReadUncommitted => Isolation::ReadUncommitted,
            IsolationArg::ReadCommitted => Isolation::ReadCommitted,
        },
        filters: Arc::new(filters(&args.filters)?),
        decoders: Arc::default(),
        decode: args.decode,
        follow: args.follow,
        bytes_per_second: args.max_rate.map(bytes_per_second).transpose()?,
        max_bytes: args.max_bytes,
    })
}

/// Reads filters; an error shows its place.
fn filters(written: &[String]) -> Result<Filters, Usage> {
    Filters::parse(written).map_err(|error| {
        let filter = written.get(error.filter).map_or("", String::as_str);
        let width = |part: Option<&str>| part.map_or(0, |part| width(&visible(part)));
        let before = width(filter.get(..error.at.start));
        let marked = width(filter.get(error.at.clone())).max(1);
        Usage(format!(
            "--filter: {}\n  {}\n  {}{}",
            error.message,
            visible(filter),
            " ".repeat(before),
            "^".repeat(marked)
        ))
    })
}

/// Bytes a second, from megabytes: a million bytes each.
fn bytes_per_second(megabytes: f64) -> Result<u64, Usage> {
    let bytes = megabytes * 1e6;
    if !(1.0..1e15).contains(&bytes) {
        return Err(Usage(format!(
            "--max-rate {megabytes}: write megabytes a second, more than 0"
        )));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it lies between 1 and 10^15"
    )]
    let whole = bytes.round() as u64;
    Ok(whole)
}

/// Reads `TOPIC`, `TOPIC/PARTITION` or `TOPIC/PARTITION/OFFSET`; no topic's name holds a slash.
pub(super) fn scope(text: &str) -> Result<RecordScope, Usage> {
    let wrong = |what: &str| {
        Usage(format!(
            "--topic “{text}”: {what}; write TOPIC, TOPIC/PARTITION or TOPIC/PARTITION/OFFSET"
        ))
    };
    let mut parts = text.split('/');
    let topic = parts
        .next()
        .filter(|topic| !topic.is_empty())
        .ok_or_else(|| wrong("the topic is missing"))?;
    let partition = match parts.next() {
        None => None,
        Some(number) => match number.parse() {
            Ok(number @ 0..) => Some(PartitionId(number)),
            _ => return Err(wrong("the partition is not a number")),
        },
    };
    let offset = match parts.next() {
        None => None,
        Some(number) => match number.parse() {
            Ok(number @ 0..) => Some(Offset(number)),
            _ => return Err(wrong("the offset is not a number")),
        },
    };
    if parts.next().is_some() {
        return Err(wrong("there is too much after the offset"));
    }
    Ok(RecordScope {
        topic: topic.into(),
        partition,
        offset,
    })
}

/// Reads times, and remembers whether a zone had to be assumed.
pub(super) struct Times<'a> {
    pub(super) now: TimestampMs,
    pub(super) zone: &'a TimeZone,
    assumed: Option<String>,
}

impl<'a> Times<'a> {
    fn new(now: TimestampMs, zone: &'a TimeZone) -> Self {
        Self {
            now,
            zone,
            assumed: None,
        }
    }

    fn time(&mut self, option: &str, text: &str) -> Result<TimestampMs, Usage> {
        let parsed = parse_time(text, self.now, self.zone)
            .map_err(|error| Usage(format!("{option}: {error}")))?;
        if parsed.zone_assumed {
            self.assume(parsed.at);
        }
        Ok(parsed.at)
    }

    /// Remembers that `at` was written without a zone.
    pub(super) fn assume(&mut self, at: TimestampMs) {
        let zone = self.zone.iana_name();
        self.assumed = Some(zone.map_or_else(|| format_zone(at, self.zone), str::to_owned));
    }

    fn edge(&mut self, option: &str, text: &str) -> Result<Edge, Usage> {
        let Some(number) = text.trim().strip_prefix("offset:") else {
            return self.time(option, text).map(Edge::Time);
        };
        match number.trim().parse() {
            Ok(number @ 0..) => Ok(Edge::Offset(Offset(number))),
            _ => Err(Usage(format!(
                "{option}: “{number}” is not an offset: write offset:N with a whole number"
            ))),
        }
    }
}
