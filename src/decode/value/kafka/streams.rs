//! Records of `__consumer_offsets` that belong to groups of Kafka Streams.

use super::Kind;
use super::groups::{EPOCH_OF_ASSIGNMENT, OF_GROUP, OF_MEMBER, TOPICS, flexible, key};
use super::layout::Type::{Int8, Int16, Int32, Int64, List, Maybe, Rows, Text, Uint16, Uuid};
use super::layout::{Field, field};

const PAIR: &[Field] = &[field("key", Text), field("value", Text)];

const TASKS: &[Field] = &[
    field("subtopologyId", Text),
    field("partitions", List(&Int32)),
    field("assignmentEpochs", List(&Int32)).tagged(0),
];

const TOPIC: &[Field] = &[
    field("name", Text),
    field("partitions", Int32),
    field("replicationFactor", Int16),
    field("topicConfigs", Rows(PAIR)),
];

/// Records of groups of Kafka Streams.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        number: 17,
        key: key("StreamsGroupMetadataKey", OF_GROUP),
        value: flexible(
            "StreamsGroupMetadataValue",
            &[
                field("epoch", Int32),
                field("metadataHash", Int64),
                field("validatedTopologyEpoch", Int32).tagged(0),
                field("lastAssignmentConfigs", Rows(PAIR)).tagged(1),
                field("storedDescriptionTopologyEpoch", Int32).tagged(2),
                field("failedDescriptionTopologyEpoch", Int32).tagged(3),
            ],
        ),
    },
    Kind {
        number: 18,
        key: key("StreamsGroupPartitionMetadataKey", OF_GROUP),
        value: flexible("StreamsGroupPartitionMetadataValue", TOPICS),
    },
    Kind {
        number: 19,
        key: key("StreamsGroupMemberMetadataKey", OF_MEMBER),
        value: flexible(
            "StreamsGroupMemberMetadataValue",
            &[
                field("instanceId", Text),
                field("rackId", Text),
                field("clientId", Text),
                field("clientHost", Text),
                field("rebalanceTimeoutMs", Int32),
                field("topologyEpoch", Int32),
                field("processId", Text),
                field(
                    "userEndpoint",
                    Maybe(&[field("host", Text), field("port", Uint16)]),
                ),
                field("clientTags", Rows(PAIR)),
            ],
        ),
    },
    Kind {
        number: 20,
        key: key("StreamsGroupTargetAssignmentMetadataKey", OF_GROUP),
        value: flexible(
            "StreamsGroupTargetAssignmentMetadataValue",
            EPOCH_OF_ASSIGNMENT,
        ),
    },
    Kind {
        number: 21,
        key: key("StreamsGroupTargetAssignmentMemberKey", OF_MEMBER),
        value: flexible(
            "StreamsGroupTargetAssignmentMemberValue",
            &[
                field("activeTasks", Rows(TASKS)),
                field("standbyTasks", Rows(TASKS)),
                field("warmupTasks", Rows(TASKS)),
            ],
        ),
    },
    Kind {
        number: 22,
        key: key("StreamsGroupCurrentMemberAssignmentKey", OF_MEMBER),
        value: flexible(
            "StreamsGroupCurrentMemberAssignmentValue",
            &[
                field("memberEpoch", Int32),
                field("previousMemberEpoch", Int32),
                field("state", Int8),
                field("activeTasks", Rows(TASKS)),
                field("standbyTasks", Rows(TASKS)),
                field("warmupTasks", Rows(TASKS)),
                field("activeTasksPendingRevocation", Rows(TASKS)),
                field("standbyTasksPendingRevocation", Rows(TASKS)),
                field("warmupTasksPendingRevocation", Rows(TASKS)),
            ],
        ),
    },
    Kind {
        number: 23,
        key: key("StreamsGroupTopologyKey", OF_GROUP),
        value: flexible(
            "StreamsGroupTopologyValue",
            &[
                field("epoch", Int32),
                field(
                    "subtopologies",
                    Rows(&[
                        field("subtopologyId", Text),
                        field("sourceTopics", List(&Text)),
                        field("sourceTopicRegex", List(&Text)),
                        field("stateChangelogTopics", Rows(TOPIC)),
                        field("repartitionSinkTopics", List(&Text)),
                        field("repartitionSourceTopics", Rows(TOPIC)),
                        field(
                            "copartitionGroups",
                            Rows(&[
                                field("sourceTopics", List(&Int16)),
                                field("sourceTopicRegex", List(&Int16)),
                                field("repartitionSourceTopics", List(&Int16)),
                            ]),
                        ),
                    ]),
                ),
            ],
        ),
    },
    Kind {
        number: 24,
        key: key("StreamsGroupTargetAssignmentResolvedTopicIdsKey", OF_GROUP),
        value: flexible(
            "StreamsGroupTargetAssignmentResolvedTopicIdsValue",
            &[
                field("assignmentEpoch", Int32),
                field(
                    "resolvedTopicIdsBySubtopology",
                    Rows(&[field("subtopologyId", Text), field("topicIds", List(&Uuid))]),
                ),
            ],
        ),
    },
];
