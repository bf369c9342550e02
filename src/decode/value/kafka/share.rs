//! Records of share groups: in `__consumer_offsets` who is in them, in `__share_group_state` what they have read.

use super::Kind;
use super::groups::{EPOCH_OF_ASSIGNMENT, OF_GROUP, OF_MEMBER, PARTITIONS, TOPICS, flexible, key};
use super::layout::Type::{Int8, Int16, Int32, Int64, List, Millis, Rows, Text, Uuid};
use super::layout::{Field, field};

const TOPIC: &[Field] = &[field("topicId", Uuid), field("topicName", Text)];

const TOPIC_PARTITIONS: &[Field] = &[
    field("topicId", Uuid),
    field("topicName", Text),
    field("partitions", List(&Int32)),
];

const OF_PARTITION: &[Field] = &[
    field("groupId", Text),
    field("topicId", Uuid),
    field("partition", Int32),
];

const BATCH: &[Field] = &[
    field("firstOffset", Int64),
    field("lastOffset", Int64),
    field("deliveryState", Int8),
    field("deliveryCount", Int16),
];

/// Records of `__consumer_offsets` that belong to share groups.
pub(super) const GROUPS: &[Kind] = &[
    Kind {
        number: 9,
        key: key("ShareGroupPartitionMetadataKey", OF_GROUP),
        value: flexible("ShareGroupPartitionMetadataValue", TOPICS),
    },
    Kind {
        number: 10,
        key: key("ShareGroupMemberMetadataKey", OF_MEMBER),
        value: flexible(
            "ShareGroupMemberMetadataValue",
            &[
                field("rackId", Text),
                field("clientId", Text),
                field("clientHost", Text),
                field("subscribedTopicNames", List(&Text)),
            ],
        ),
    },
    Kind {
        number: 11,
        key: key("ShareGroupMetadataKey", OF_GROUP),
        value: flexible(
            "ShareGroupMetadataValue",
            &[field("epoch", Int32), field("metadataHash", Int64)],
        ),
    },
    Kind {
        number: 12,
        key: key("ShareGroupTargetAssignmentMetadataKey", OF_GROUP),
        value: flexible(
            "ShareGroupTargetAssignmentMetadataValue",
            EPOCH_OF_ASSIGNMENT,
        ),
    },
    Kind {
        number: 13,
        key: key("ShareGroupTargetAssignmentMemberKey", OF_MEMBER),
        value: flexible(
            "ShareGroupTargetAssignmentMemberValue",
            &[field("topicPartitions", Rows(PARTITIONS))],
        ),
    },
    Kind {
        number: 14,
        key: key("ShareGroupCurrentMemberAssignmentKey", OF_MEMBER),
        value: flexible(
            "ShareGroupCurrentMemberAssignmentValue",
            &[
                field("memberEpoch", Int32),
                field("previousMemberEpoch", Int32),
                field("state", Int8),
                field("assignedPartitions", Rows(PARTITIONS)),
            ],
        ),
    },
    Kind {
        number: 15,
        key: key("ShareGroupStatePartitionMetadataKey", OF_GROUP),
        value: flexible(
            "ShareGroupStatePartitionMetadataValue",
            &[
                field("initializingTopics", Rows(TOPIC_PARTITIONS)),
                field("initializedTopics", Rows(TOPIC_PARTITIONS)),
                field("deletingTopics", Rows(TOPIC)),
            ],
        ),
    },
];

/// Records of `__share_group_state`.
pub(super) const STATE: &[Kind] = &[
    Kind {
        number: 0,
        key: key("ShareSnapshotKey", OF_PARTITION),
        value: flexible(
            "ShareSnapshotValue",
            &[
                field("snapshotEpoch", Int32),
                field("stateEpoch", Int32),
                field("leaderEpoch", Int32),
                field("startOffset", Int64),
                field("createTimestamp", Millis),
                field("writeTimestamp", Millis),
                field("stateBatches", Rows(BATCH)),
                field("deliveryCompleteCount", Int32).tagged(0),
            ],
        ),
    },
    Kind {
        number: 1,
        key: key("ShareUpdateKey", OF_PARTITION),
        value: flexible(
            "ShareUpdateValue",
            &[
                field("snapshotEpoch", Int32),
                field("leaderEpoch", Int32),
                field("startOffset", Int64),
                field("stateBatches", Rows(BATCH)),
                field("deliveryCompleteCount", Int32).tagged(0),
            ],
        ),
    },
];
