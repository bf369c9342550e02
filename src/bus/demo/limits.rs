//! What one demo bus may use at most. It serves one machine, so the bounds are generous but firm.

/// The largest `Produce` request, in bytes.
pub(super) const PRODUCE_FRAME: usize = 16 * MIB;
/// The largest request of any other kind, in bytes.
pub(super) const FRAME: usize = 4 * MIB;
/// Requests up to this size are read without asking for a share of [`LARGE_FRAMES_TOTAL`].
pub(super) const SMALL_FRAME: usize = 64 * 1024;
/// All requests above [`SMALL_FRAME`] that are being read or served at once, in bytes.
pub(super) const LARGE_FRAMES_TOTAL: usize = 64 * MIB;
/// Array elements of one request, all arrays together.
pub(super) const ELEMENTS: usize = 250_000;
/// The most bytes of records that one `Fetch` answers with.
pub(super) const FETCH_BYTES: usize = 16 * MIB;
/// All stored batches, in bytes; beyond it the fullest partitions lose their oldest batches.
pub(super) const STORED_BYTES: u64 = 256 * 1024 * 1024;
/// How many bytes may come in until all stored ones are counted again.
pub(super) const UNCHECKED_BYTES: usize = 16 * MIB;
/// Open connections.
pub(super) const CONNECTIONS: usize = 256;
/// Partitions of all topics together.
pub(super) const PARTITIONS: usize = 200_000;
/// Partitions that one request may add.
pub(super) const PARTITIONS_PER_TOPIC: i32 = 100_000;
/// Consumer groups.
pub(super) const GROUPS: usize = 50_000;
/// Members of one group.
pub(super) const MEMBERS: usize = 500;
/// Committed positions of all groups together, in bytes.
pub(super) const COMMITTED_BYTES: usize = 256 * MIB;
/// Transactional ids.
pub(super) const TRANSACTIONS: usize = 10_000;
/// Idempotent producers remembered for each partition.
pub(super) const PRODUCERS_PER_PARTITION: usize = 1_000;
/// Commit metadata, in bytes (Kafka's own default of `offset.metadata.max.bytes`).
pub(super) const METADATA_BYTES: usize = 4_096;
/// Protocol metadata or assignment of one member, in bytes.
pub(super) const MEMBER_BYTES: usize = 256 * 1024;
/// Configuration entries of one topic.
pub(super) const CONFIGS_PER_TOPIC: usize = 64;
/// One configuration value, in bytes.
pub(super) const CONFIG_BYTES: usize = 4_096;
/// How long a request may take to arrive once its length has been read.
pub(super) const FRAME_SECONDS: u64 = 30;
/// How long a `Fetch` may wait for records, in milliseconds.
pub(super) const FETCH_WAIT_MS: i32 = 60_000;

const MIB: usize = 1024 * 1024;
