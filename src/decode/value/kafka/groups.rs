//! Records of `__consumer_offsets`: committed offsets, classic groups, and groups of the newer protocol.

use super::Kind;
use super::layout::Type::{
    Bytes, Inside, Int8, Int32, Int64, List, Maybe, Millis, Rows, Text, Uuid,
};
use super::layout::{Field, Layout, field};

/// A layout that never was flexible: keys.
pub(super) const fn key(name: &'static str, fields: &'static [Field]) -> Layout {
    Layout {
        name,
        last: 0,
        flexible: None,
        fields,
    }
}

/// A layout with one version, which is flexible.
pub(super) const fn flexible(name: &'static str, fields: &'static [Field]) -> Layout {
    Layout {
        name,
        last: 0,
        flexible: Some(0),
        fields,
    }
}

/// The key of what belongs to a group.
pub(super) const OF_GROUP: &[Field] = &[field("groupId", Text)];
/// The key of what belongs to a member.
pub(super) const OF_MEMBER: &[Field] = &[field("groupId", Text), field("memberId", Text)];

const OF_PARTITION: &[Field] = &[
    field("group", Text),
    field("topic", Text),
    field("partition", Int32),
];

/// Which partitions of a topic.
pub(super) const PARTITIONS: &[Field] = &[
    field("topicId", Uuid),
    field("partitions", List(&Int32)),
    field("assignmentEpochs", List(&Int32)).tagged(0),
];

/// What an assignment was made from.
pub(super) const TOPICS: &[Field] = &[field(
    "topics",
    Rows(&[
        field("topicId", Uuid),
        field("topicName", Text),
        field("numPartitions", Int32),
        field(
            "partitionMetadata",
            Rows(&[field("partition", Int32), field("racks", List(&Text))]),
        ),
    ]),
)];

const OWNED: &[Field] = &[field("topic", Text), field("partitions", List(&Int32))];

/// What consumers say to one another when they join.
const SUBSCRIPTION: Layout = Layout {
    name: "ConsumerProtocolSubscription",
    last: 3,
    flexible: None,
    fields: &[
        field("topics", List(&Text)),
        field("userData", Bytes),
        field("ownedPartitions", Rows(OWNED)).since(1),
        field("generationId", Int32).since(2),
        field("rackId", Text).since(3),
    ],
};

/// What consumers are given to read.
const ASSIGNMENT: Layout = Layout {
    name: "ConsumerProtocolAssignment",
    last: 3,
    flexible: None,
    fields: &[
        field("assignedPartitions", Rows(OWNED)),
        field("userData", Bytes),
    ],
};

/// When an assignment was made.
pub(super) const EPOCH_OF_ASSIGNMENT: &[Field] = &[
    field("assignmentEpoch", Int32),
    field("assignmentTimestamp", Millis).tagged(0),
];

/// Where a member is with its assignment.
pub(super) const CURRENT: &[Field] = &[
    field("memberEpoch", Int32),
    field("previousMemberEpoch", Int32),
    field("state", Int8),
    field("assignedPartitions", Rows(PARTITIONS)),
    field("partitionsPendingRevocation", Rows(PARTITIONS)),
];

/// Records of groups of consumers.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        number: 0,
        key: key("LegacyOffsetCommitKey", OF_PARTITION),
        value: OFFSET,
    },
    Kind {
        number: 1,
        key: key("OffsetCommitKey", OF_PARTITION),
        value: OFFSET,
    },
    Kind {
        number: 2,
        key: key("GroupMetadataKey", &[field("group", Text)]),
        value: CLASSIC,
    },
    Kind {
        number: 3,
        key: key("ConsumerGroupMetadataKey", OF_GROUP),
        value: flexible(
            "ConsumerGroupMetadataValue",
            &[
                field("epoch", Int32),
                field("metadataHash", Int64).tagged(0),
            ],
        ),
    },
    Kind {
        number: 4,
        key: key("ConsumerGroupPartitionMetadataKey", OF_GROUP),
        value: flexible("ConsumerGroupPartitionMetadataValue", TOPICS),
    },
    Kind {
        number: 5,
        key: key("ConsumerGroupMemberMetadataKey", OF_MEMBER),
        value: flexible("ConsumerGroupMemberMetadataValue", MEMBER),
    },
    Kind {
        number: 6,
        key: key("ConsumerGroupTargetAssignmentMetadataKey", OF_GROUP),
        value: flexible(
            "ConsumerGroupTargetAssignmentMetadataValue",
            EPOCH_OF_ASSIGNMENT,
        ),
    },
    Kind {
        number: 7,
        key: key("ConsumerGroupTargetAssignmentMemberKey", OF_MEMBER),
        value: flexible(
            "ConsumerGroupTargetAssignmentMemberValue",
            &[field("topicPartitions", Rows(PARTITIONS))],
        ),
    },
    Kind {
        number: 8,
        key: key("ConsumerGroupCurrentMemberAssignmentKey", OF_MEMBER),
        value: flexible("ConsumerGroupCurrentMemberAssignmentValue", CURRENT),
    },
    Kind {
        number: 16,
        key: key(
            "ConsumerGroupRegularExpressionKey",
            &[field("groupId", Text), field("regularExpression", Text)],
        ),
        value: flexible(
            "ConsumerGroupRegularExpressionValue",
            &[
                field("topics", List(&Text)),
                field("version", Int64),
                field("timestamp", Millis),
            ],
        ),
    },
];

const OFFSET: Layout = Layout {
    name: "OffsetCommitValue",
    last: 4,
    flexible: Some(4),
    fields: &[
        field("offset", Int64),
        field("leaderEpoch", Int32).since(3),
        field("metadata", Text),
        field("commitTimestamp", Millis),
        field("expireTimestamp", Millis).only(1),
        field("topicId", Uuid).tagged(0),
    ],
};

const CLASSIC: Layout = Layout {
    name: "GroupMetadataValue",
    last: 4,
    flexible: Some(4),
    fields: &[
        field("protocolType", Text),
        field("generation", Int32),
        field("protocol", Text),
        field("leader", Text),
        field("currentStateTimestamp", Millis).since(2),
        field(
            "members",
            Rows(&[
                field("memberId", Text),
                field("groupInstanceId", Text).since(3),
                field("clientId", Text),
                field("clientHost", Text),
                field("rebalanceTimeout", Int32).since(1),
                field("sessionTimeout", Int32),
                field("subscription", Inside(&SUBSCRIPTION)),
                field("assignment", Inside(&ASSIGNMENT)),
            ]),
        ),
    ],
};

const MEMBER: &[Field] = &[
    field("instanceId", Text),
    field("rackId", Text),
    field("clientId", Text),
    field("clientHost", Text),
    field("subscribedTopicNames", List(&Text)),
    field("subscribedTopicRegex", Text),
    field("rebalanceTimeoutMs", Int32),
    field("serverAssignor", Text),
    field(
        "classicMemberMetadata",
        Maybe(&[
            field("sessionTimeoutMs", Int32),
            field(
                "supportedProtocols",
                Rows(&[
                    field("name", Text),
                    field("metadata", Inside(&SUBSCRIPTION)),
                ]),
            ),
        ]),
    )
    .tagged(0),
];
