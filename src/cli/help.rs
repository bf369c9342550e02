//! What `--help` says below the options: the fields of each answer.

pub(super) const TIDELINE: &str = "\
Examples:
  tideline                                  the window, on its welcome screen
  tideline --bootstrap localhost:9092       the window, connected
  tideline demo                             the window, on the built-in demo bus
  tideline 'tideline://view?…'              the window, on the view of a link that somebody copied there
  tideline topics --bootstrap localhost:9092 --json

Times are written as RFC 3339 (2026-11-30T14:02:00+01:00; without a zone the local one is meant, and the
answer says so), as whole milliseconds since 1970, as now, or as a duration back (-90m, -2h, -7d).

Exit codes:
    0  done, also when --limit stopped it
    1  gaps: records are lost to somebody, and that is proven
    2  wrong usage or an unreadable file
    3  refused by a guard or because the connection is read-only: nothing was changed
    4  changed in part: see results and rows
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

pub(super) const GAPS: &str = "\
With --json, one line:
  {\"findings\":[{\"id\",\"kind\",\"title\",\"concerns\",\"group\",\"topic\",\"partition\",\"from_offset\",\"to_offset\",
    \"from_ms\",\"to_ms\",\"records\",\"certainty\",\"normal\",\"sentence\",\"next_step\",\"evidence\":{…}}],
    \"coverage\":{\"complete\",\"stopped_by\",\"records_scanned\",\"bytes_scanned\",\"matched\",\"partitions\":[…],
    \"history\":{\"source\",\"since_ms\",\"commits\",\"error\"},\"missing\":[…]}}

  findings      what costs most comes first
  id            the same in every run for the same thing
  kind          G1 transaction marker, G2 withdrawn, G3 compacted, G3b deletions possibly missed, G4 deleted before it
                was read, G5 committed beyond the end, G6 log cut back, G7 jumped over, G8 never committed, G9 partition
                added later, G11 version missing, G12 sequence broken, G14 written twice, G15 time goes backwards,
                G16 stuck, G16b open transaction, G17 stuck on one record, G18 hidden member, G19 committed offset
                forgotten, G21 silence, G23 keys moved
  concerns      everyone, or group: the one named by group
  from_offset, to_offset   the stretch, both included
  records       how many it is about; offsets, and so an upper bound, where records cannot be told
  certainty     proof: it cannot be otherwise; strong: an unusual cause would be needed; hint: a question
  normal        explained, and nobody needs to act
  evidence      what it rests on
  coverage      which records were read; rules about committed offsets cover everything
  history       how far back movements of committed offsets are known: from the bus's commit_log, or from readings made
                while Tideline ran here
  missing       what could not be looked at, and why

Exit code 1 when a finding of kind G4, G5 or G6 is proof and not normal: usable in a pipeline.";

pub(super) const WATCH: &str = "\
With --json, a line for each finding that appears or clears, for ever:
  {\"change\":\"new\"|\"cleared\",\"finding\":{…}}

  finding   as in gaps; what is normal is left out

While the bus does not answer nothing clears; that is said on stderr, and it goes on by itself.";

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
Filters (--filter EXPR), all of which a record must pass:
  text:WORD            WORD stands in the value, as its bytes; itext:WORD the same in capital or small letters
  regex:RE             a regular expression over the value's bytes
  key:VALUE            the key is this text
  header:NAME=VALUE    a header of that name has this value
  field:.path=VALUE    a field of the decoded value: a text, or a number by its exact value
  jq:EXPR              a jq expression gives something but false and null. It sees
                       {topic, partition, offset, timestamp_ms, key, value, key_text, value_text, headers: [[name, text], …]}:
                       key and value as decoded data where they are some, key_text and value_text always as text

--follow goes on beyond the ends, from the log start unless --from, --newest or --group-position says otherwise
(--from now: only what is new). A record that careful readers are not given within a second is told as open.
--max-rate bounds what is read of a cluster whose profile is marked production to 20 MB/s unless it says otherwise.

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
  records_scanned, matched   records looked at, records given out
  from_offset, to_offset   the range: the first is included, the last is not
  next_offset      where to go on
  partition        null in the row of a topic that cannot be read at all
  partitions[].error   what was asked for and is not there: deleted, not written yet, not served to read_committed
                   readers yet; with --newest, where records of later times may lie that were not looked at
  key_decoded, value_decoded   with --decode, in the record: {\"format\",\"evidence\",\"value\",\"error\"}; value is the
                   decoded text with its own digits and order, null when it was not decoded
  bytes_scanned    of keys and values, and of the headers of records that passed the first look
  filter_failures  only in coverage, when an expression failed on records, which then do not match: how many, and
                   how it did first
  zone_assumed     only in coverage, when a time was given without a zone: the zone it was read in";

pub(super) const DEMO: &str = "\
The demo bus is a small shop with six hours of history and live traffic. It speaks the Kafka protocol on the
loopback address, keeps everything in memory, and is gone when it ends.

With --broker-only, one line when it is ready:
  {\"bootstrap\":\"127.0.0.1:PORT\"}";

pub(super) const REWIND: &str = "\
A committed offset is the next record to read. Nothing is changed without --execute.

With --json, one line:
  {\"plan_id\",\"group\",\"dry_run\",\"read_only\",\"guards\":[{\"guard\",\"outcome\",\"detail\",\"confirm_with\"}],
    \"rows\":[{\"topic\",\"partition\",\"from\",\"to\",\"records\",\"records_exact\",\"never_read\",\"second_time\",\"basis\",
    \"dead_lettered\",\"first_ms\",\"last_ms\",\"first_key\",\"last_key\",\"warnings\":[{\"kind\",\"detail\"}],\"error\"}],
    \"applied\",\"results\":[{\"topic\",\"partition\",\"before\",\"after\",\"read_back\",\"error\"}],\"journal_id\",
    \"target\",\"misses\",\"error\",\"problems\":[…],\"commands\":[…]}

  plan_id          a digest of what is asked for; --execute --plan ID applies that plan and no other
  guards           exists, kind, no_members, no_hidden_reader, unchanged, retention, writable, production
  outcome          passed, failed, confirm, unknown; what is to confirm is confirmed by --confirm with confirm_with
  from, to         offsets; null when the group never committed there, when the offset is to be deleted, or with
                   an error, which says why the partition stays as it is
  records          records that run again or are skipped; without records_exact there are at most so many
  never_read, second_time, basis, dead_lettered   not known: always null
  first_…, last_…  of those records
  warnings.kind    no_later_record, skip, no_bookmark, holes, below_log_start, beyond_end, out_of_order
  applied          whether anything was changed
  results          each partition that was written: before, after, and what was read back
  journal_id       the entry of the journal that has what was there before; tideline undo gives it back
  misses           how often a member was back between the check and the write
  error            why nothing was changed
  problems         what was named and is not there
  commands         what would do the same with the stock tool, to paste into a shell

A cluster that no profile knows and that is not on this machine also needs --confirm GROUP.";

pub(super) const UNDO: &str = "\
The entry is compared with where the group stands: where it has not moved, offsets and the texts beside them are
restored, and an offset that was not there before is deleted. Where it went past its old place, undoing would run
records again, so that partition is refused: use rewind for it. The answer is that of rewind.";

pub(super) const JOURNAL: &str = "\
With --json, one line:
  {\"entries\":[{\"id\",\"at_ms\",\"user\",\"cluster_id\",\"bootstrap\",\"group\",\"target\",\"confirmed\",\"state\",
    \"rows\":[{\"topic\",\"partition\",\"topic_id\",\"before\",\"before_leader_epoch\",\"before_metadata\",\"after\",
    \"after_leader_epoch\",\"after_metadata\",\"outcome\",\"error\",\"was_read_back\",\"read_back\"}],\"undoes\"}]}

  entries          the newest first
  state            sending (whether the bus has it is not known), answered, watching (the group is not past its
                   old place), passed, refused, overwritten (something else wrote too), closed
  before, after    offsets; null for none
  outcome          accepted, refused, unknown
  undoes           the entry that this one undoes";

pub(super) const PROFILE: &str = "\
A profile is read-only unless it is kept with --read-only false. Its locks hold for the cluster that it leads to,
however that is reached. No secret is kept: give passwords with -X or a configuration file each time.

list --json and show --json write {\"profiles\":[{\"profile\",\"bootstrap\",\"properties\",\"read_only\",\"production\",\"cluster_id\",\"links\"}]}";
