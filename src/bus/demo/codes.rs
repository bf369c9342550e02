//! The error codes of the Kafka protocol that this broker answers with.

/// No error.
pub(super) const NONE: i16 = 0;
/// The broker met something that it cannot name.
pub(super) const UNKNOWN_SERVER_ERROR: i16 = -1;
/// The fetch offset is outside the log.
pub(super) const OFFSET_OUT_OF_RANGE: i16 = 1;
/// A batch whose checksum does not match its bytes.
pub(super) const CORRUPT_MESSAGE: i16 = 2;
/// No such topic or partition.
pub(super) const UNKNOWN_TOPIC_OR_PARTITION: i16 = 3;
/// A batch larger than the topic's `max.message.bytes`.
pub(super) const MESSAGE_TOO_LARGE: i16 = 10;
/// Commit metadata longer than the broker accepts.
pub(super) const OFFSET_METADATA_TOO_LARGE: i16 = 12;
/// A topic name that no topic may have.
pub(super) const INVALID_TOPIC: i16 = 17;
/// The member belongs to another generation.
pub(super) const ILLEGAL_GENERATION: i16 = 22;
/// The group's members speak other protocols.
pub(super) const INCONSISTENT_GROUP_PROTOCOL: i16 = 23;
/// An empty group id.
pub(super) const INVALID_GROUP_ID: i16 = 24;
/// The coordinator does not know the member.
pub(super) const UNKNOWN_MEMBER_ID: i16 = 25;
/// A session timeout outside the broker's bounds.
pub(super) const INVALID_SESSION_TIMEOUT: i16 = 26;
/// The group is rebalancing.
pub(super) const REBALANCE_IN_PROGRESS: i16 = 27;
/// A record timestamp too far from the broker's clock.
pub(super) const INVALID_TIMESTAMP: i16 = 32;
/// A version that this broker does not speak.
pub(super) const UNSUPPORTED_VERSION: i16 = 35;
/// The topic exists already.
pub(super) const TOPIC_ALREADY_EXISTS: i16 = 36;
/// A partition count that cannot be had.
pub(super) const INVALID_PARTITIONS: i16 = 37;
/// More replicas than there are brokers.
pub(super) const INVALID_REPLICATION_FACTOR: i16 = 38;
/// A configuration value that cannot be had.
pub(super) const INVALID_CONFIG: i16 = 40;
/// A request that contradicts itself.
pub(super) const INVALID_REQUEST: i16 = 42;
/// The batch is not of format version 2.
pub(super) const UNSUPPORTED_FOR_MESSAGE_FORMAT: i16 = 43;
/// A producer's sequence number that leaves a hole.
pub(super) const OUT_OF_ORDER_SEQUENCE_NUMBER: i16 = 45;
/// A producer that a newer one has fenced off.
pub(super) const INVALID_PRODUCER_EPOCH: i16 = 47;
/// A transactional request that does not fit the transaction's state.
pub(super) const INVALID_TXN_STATE: i16 = 48;
/// The producer id does not belong to the transactional id.
pub(super) const INVALID_PRODUCER_ID_MAPPING: i16 = 49;
/// A transaction timeout beyond what the broker allows.
pub(super) const INVALID_TRANSACTION_TIMEOUT: i16 = 50;
/// The group still has members.
pub(super) const NON_EMPTY_GROUP: i16 = 68;
/// No such group.
pub(super) const GROUP_ID_NOT_FOUND: i16 = 69;
/// The client knows an older leader epoch than the broker.
pub(super) const FENCED_LEADER_EPOCH: i16 = 74;
/// The client knows a newer leader epoch than the broker.
pub(super) const UNKNOWN_LEADER_EPOCH: i16 = 75;
/// The member must join again with the id it was just given.
pub(super) const MEMBER_ID_REQUIRED: i16 = 79;
/// The group can take no more members.
pub(super) const GROUP_MAX_SIZE_REACHED: i16 = 81;
/// Another member took over the static instance id.
pub(super) const FENCED_INSTANCE_ID: i16 = 82;
/// The group's members subscribe to the topic.
pub(super) const GROUP_SUBSCRIBED_TO_TOPIC: i16 = 86;
/// A batch that breaks the rules of its format.
pub(super) const INVALID_RECORD: i16 = 87;
/// Offsets of this partition wait for a transaction to end.
pub(super) const UNSTABLE_OFFSET_COMMIT: i16 = 88;
/// A quota of this broker is used up.
pub(super) const THROTTLING_QUOTA_EXCEEDED: i16 = 89;
/// No topic has this id.
pub(super) const UNKNOWN_TOPIC_ID: i16 = 100;
/// No such transactional id.
pub(super) const TRANSACTIONAL_ID_NOT_FOUND: i16 = 105;
