//! What `--help` says below the options: the fields of each answer.

pub(super) const TIDELINE: &str = "\
Examples:
  tideline                                  the window, on its welcome screen
  tideline --bootstrap localhost:9092       the window, connected
  tideline demo                             the window, on the built-in demo bus
  tideline topics --bootstrap localhost:9092 --json

Times are written as RFC 3339 (2026-11-30T14:02:00+01:00; without a zone the local one is meant, and the
answer says so), as whole milliseconds since 1970, as now, or as a duration back (-90m, -2h, -7d).

Exit codes:
    0  done, also when --limit stopped it
    2  wrong usage or an unreadable file
    5  the bus cannot be reached, or refused us
    6  answered in part: see the error fields or stopped_by
    7  the window cannot open: no display or no GL
  130  interrupted";

pub(super) const CLUSTER: &str = "\
With --json, one line:
  {\"cluster_id\",\"controller\",\"brokers\":[{\"id\",\"host\",\"port\",\"rack\"}]}

  cluster_id   the cluster's own id
  controller   id of the broker named as controller; null while there is none
  brokers      the live brokers by id: the advertised host and port, and the rack or null";

pub(super) const TOPICS: &str = "\
With --json, one line:
  {\"topics\":[{\"topic\",\"topic_id\",\"internal\",\"cleanup_policy\",\"retention_ms\",\"timestamp_type\",\"error\",
    \"config_error\",\"partitions\":[{\"partition\",\"leader\",\"replicas\",\"isr\",\"log_start_offset\",
    \"last_stable_offset\",\"high_watermark\",\"error\"}]}]}

  topics               by name; internal ones only with --internal or when named
  topic_id             differs for a topic that was deleted and made anew; null where the bus has none
  cleanup_policy       as the broker writes it: delete, compact, compact,delete
  retention_ms         how long records live; -1 is for ever
  timestamp_type       who sets record times: CreateTime (the producer), LogAppendTime (the broker)
  error                why the topic cannot be read; internal and partitions are null then
  config_error         why one of the three settings is null; it alone does not change the exit code
  partitions           by number
  leader               id of the broker that leads the partition; null when none does
  replicas, isr        ids of the brokers with a copy, and of those whose copy is in step
  log_start_offset     first offset that can still be read
  last_stable_offset   up to here read_committed readers are served
  high_watermark       offset that the next record will get
  partitions[].error   why one of these is null";

pub(super) const GROUPS: &str = "\
With --json, one line:
  {\"groups\":[{\"group\",\"type\",\"protocol_type\",\"state\",\"assignor\",\"coordinator\",\"error\",\"members_error\",
    \"members\":[{\"member_id\",\"client_id\",\"host\",\"instance_id\",\"assignment\":[{\"topic\",\"partitions\":[…]}]}],
    \"offsets\":[{\"topic\",\"partition\",\"committed_offset\",\"leader_epoch\",\"metadata\",\"log_start_offset\",
    \"high_watermark\",\"lag\",\"next_record_offset\",\"next_record_ms\",\"lag_ms\",\"error\"}]}],\"missing\":[…]}

  groups               by name
  type                 classic, consumer, share, streams, unknown
  protocol_type        what the members named: consumer, connect, …
  state                as the broker says it
  coordinator          id of the broker that coordinates the group
  error                why something about the whole group is not known
  members_error        why members is null; it alone does not change the exit code
  offsets_error        only there when offsets are not known, or when groups of this type keep none
  offsets              every partition the group has committed in or is assigned
  committed_offset     next record to read; null when the group never committed there
  leader_epoch, metadata   stored with the commit
  lag                  high watermark less the committed offset, or less the log start where that is later;
                       null, with an error, for a commit beyond the end
  next_record_offset, next_record_ms   first readable record at or after the committed offset; null at the end
  lag_ms               age of that record, 0 at the end
  offsets[].error      why one of these is null
  missing              why there may be more groups than these: one sentence each
  Text that is not valid UTF-8 is written {\"base64\":\"…\"} in place of the string.";

pub(super) const TIMELINE: &str = "\
With --json, one line:
  {\"from_ms\",\"to_ms\",\"bucket_ms\",\"groups\":[{\"group\",\"error\"}],\"topics\":[{\"topic\",\"error\",
    \"partitions\":[{\"partition\",\"log_start_offset\",\"last_stable_offset\",\"high_watermark\",\"counts\":[…],
    \"before\",\"after\",\"resolution_ms\",\"cursors\":[{\"group\",\"committed_offset\",\"at_ms\"}],\"error\"}]}],
    \"missing\":[…]}

  from_ms, to_ms   edges, in milliseconds since 1970: the left one is included, the right one is not;
                   null when there is no data to take them from
  bucket_ms        width of a bucket
  counts           for each bucket, how many offsets have their time in it; null where it is not resolved
  before, after    how many offsets lie outside the edges
  resolution_ms    widest stretch of time within which records are not told apart
  cursors          where groups stand: the committed offset, and the time of the next readable record;
                   at_ms is null when there is none, or with an error of its own when it is not known
  error            why something is null
  missing          why there may be more groups than these: one sentence each
  zone_assumed     only there when a time was given without a zone: the zone it was read in";

pub(super) const RECORDS: &str = "\
With --json, one JSON value a line. Each record:
  {\"record\":{\"topic\",\"partition\",\"offset\",\"timestamp_ms\",\"timestamp_type\",\"key\",\"value\",
    \"headers\":[[name,value],…],\"leader_epoch\",\"size\",\"visibility\"}}
and last, what was looked at:
  {\"coverage\":{\"complete\",\"stopped_by\",\"records_scanned\",\"bytes_scanned\",\"matched\",
    \"partitions\":[{\"topic\",\"partition\",\"from_offset\",\"to_offset\",\"next_offset\",\"complete\",\"error\"}]}}

  timestamp_ms     milliseconds since 1970; null when the record carries no time
  timestamp_type   CreateTime (set by the producer), LogAppendTime (by the broker)
  key, value, header values   null, {\"text\":\"…\"} when valid UTF-8, else {\"base64\":\"…\"}
  headers          in their order; names may repeat
  size             bytes of key, value, header names and header values
  visibility       what read_committed readers make of it: committed, aborted, open, unknown
  complete         whether everything asked for was looked at
  stopped_by       null, limit, budget, timeout, interrupt, error; limit only when it withheld something
  records_scanned, bytes_scanned, matched   records and bytes looked at, records given out
  from_offset, to_offset   the range: the first is included, the last is not
  next_offset      where to go on
  partition        null in the row of a topic that cannot be read at all
  partitions[].error   what was asked for and is not there: deleted, not written yet, not served to read_committed
                   readers yet; with --newest, where records of later times may lie that were not looked at
  zone_assumed     only in coverage, when a time was given without a zone: the zone it was read in";

pub(super) const DEMO: &str = "\
The demo bus is a small shop with six hours of history and live traffic. It speaks the Kafka protocol on the
loopback address, keeps everything in memory, and is gone when it ends.

With --broker-only, one line when it is ready:
  {\"bootstrap\":\"127.0.0.1:PORT\"}";
