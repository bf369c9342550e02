//! The shapes of the requests that this broker reads: what [`super::frame`] walks before decoding.
//!
//! Source: the message definitions of Apache Kafka (`clients/src/main/resources/common/message`), for
//! the versions in [`super::dispatch::APIS`] alone.

use kafka_protocol::messages::ApiKey;

use Kind::{Bytes, Each, Fixed, Many, Text};

/// How one value lies on the wire.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A value of this many bytes.
    Fixed(usize),
    /// A string, or null.
    Text,
    /// Bytes, or null.
    Bytes,
    /// An array of plain values, or null.
    Each(&'static Self),
    /// An array of structures, or null.
    Many(&'static [Field]),
}

/// A field and the versions that have it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    /// The first version with this field.
    pub(super) from: i16,
    /// The last version with this field.
    pub(super) to: i16,
    /// What it is.
    pub(super) kind: Kind,
}

/// A request's fields in their order, and the first version in which lengths are compact and every
/// structure ends in tagged fields (`None`: no version does).
pub(super) type Shape = (Option<i16>, &'static [Field]);

const fn within(from: i16, to: i16, kind: Kind) -> Field {
    Field { from, to, kind }
}

const fn all(kind: Kind) -> Field {
    within(0, i16::MAX, kind)
}

const fn since(from: i16, kind: Kind) -> Field {
    within(from, i16::MAX, kind)
}

const fn until(to: i16, kind: Kind) -> Field {
    within(0, to, kind)
}

/// The shape of a request, when this broker serves it.
pub(super) fn shape(api: ApiKey) -> Option<Shape> {
    let mut shapes = SHAPES.iter();
    shapes.find(|(key, _)| *key == api).map(|(_, shape)| *shape)
}

const SHAPES: &[(ApiKey, Shape)] = &[
    (
        ApiKey::Produce,
        (
            Some(9),
            &[
                all(Text),
                all(Fixed(2)),
                all(Fixed(4)),
                all(Many(&[all(Text), all(Many(&[all(Fixed(4)), all(Bytes)]))])),
            ],
        ),
    ),
    (
        ApiKey::Fetch,
        (
            Some(12),
            &[
                all(Fixed(4)),
                all(Fixed(4)),
                all(Fixed(4)),
                all(Fixed(4)),
                all(Fixed(1)),
                since(7, Fixed(4)),
                since(7, Fixed(4)),
                all(Many(&[
                    all(Text),
                    all(Many(&[
                        all(Fixed(4)),
                        since(9, Fixed(4)),
                        all(Fixed(8)),
                        since(12, Fixed(4)),
                        since(5, Fixed(8)),
                        all(Fixed(4)),
                    ])),
                ])),
                since(7, Many(&[since(7, Text), since(7, Each(&Fixed(4)))])),
                since(11, Text),
            ],
        ),
    ),
    (
        ApiKey::ListOffsets,
        (
            Some(6),
            &[
                all(Fixed(4)),
                since(2, Fixed(1)),
                all(Many(&[
                    all(Text),
                    all(Many(&[all(Fixed(4)), since(4, Fixed(4)), all(Fixed(8))])),
                ])),
            ],
        ),
    ),
    (
        ApiKey::Metadata,
        (
            Some(9),
            &[
                all(Many(&[since(10, Fixed(16)), all(Text)])),
                since(4, Fixed(1)),
                within(8, 10, Fixed(1)),
                since(8, Fixed(1)),
            ],
        ),
    ),
    (
        ApiKey::OffsetCommit,
        (
            Some(8),
            &[
                all(Text),
                all(Fixed(4)),
                all(Text),
                since(7, Text),
                until(4, Fixed(8)),
                all(Many(&[
                    all(Text),
                    all(Many(&[
                        all(Fixed(4)),
                        all(Fixed(8)),
                        since(6, Fixed(4)),
                        all(Text),
                    ])),
                ])),
            ],
        ),
    ),
    (
        ApiKey::OffsetFetch,
        (
            Some(6),
            &[
                until(7, Text),
                until(7, Many(&[until(7, Text), until(7, Each(&Fixed(4)))])),
                since(
                    8,
                    Many(&[
                        since(8, Text),
                        since(8, Many(&[since(8, Text), since(8, Each(&Fixed(4)))])),
                    ]),
                ),
                since(7, Fixed(1)),
            ],
        ),
    ),
    (
        ApiKey::FindCoordinator,
        (
            Some(3),
            &[until(3, Text), since(1, Fixed(1)), since(4, Each(&Text))],
        ),
    ),
    (
        ApiKey::JoinGroup,
        (
            Some(6),
            &[
                all(Text),
                all(Fixed(4)),
                since(1, Fixed(4)),
                all(Text),
                since(5, Text),
                all(Text),
                all(Many(&[all(Text), all(Bytes)])),
                since(8, Text),
            ],
        ),
    ),
    (
        ApiKey::Heartbeat,
        (
            Some(4),
            &[all(Text), all(Fixed(4)), all(Text), since(3, Text)],
        ),
    ),
    (
        ApiKey::LeaveGroup,
        (
            Some(4),
            &[
                all(Text),
                until(2, Text),
                since(3, Many(&[since(3, Text), since(3, Text), since(5, Text)])),
            ],
        ),
    ),
    (
        ApiKey::SyncGroup,
        (
            Some(4),
            &[
                all(Text),
                all(Fixed(4)),
                all(Text),
                since(3, Text),
                since(5, Text),
                since(5, Text),
                all(Many(&[all(Text), all(Bytes)])),
            ],
        ),
    ),
    (
        ApiKey::DescribeGroups,
        (Some(5), &[all(Each(&Text)), since(3, Fixed(1))]),
    ),
    (
        ApiKey::ListGroups,
        (Some(3), &[since(4, Each(&Text)), since(5, Each(&Text))]),
    ),
    (
        ApiKey::ApiVersions,
        (Some(3), &[since(3, Text), since(3, Text)]),
    ),
    (
        ApiKey::CreateTopics,
        (
            Some(5),
            &[
                all(Many(&[
                    all(Text),
                    all(Fixed(4)),
                    all(Fixed(2)),
                    all(Many(&[all(Fixed(4)), all(Each(&Fixed(4)))])),
                    all(Many(&[all(Text), all(Text)])),
                ])),
                all(Fixed(4)),
                all(Fixed(1)),
            ],
        ),
    ),
    (
        ApiKey::DeleteTopics,
        (
            Some(4),
            &[
                since(6, Many(&[since(6, Text), since(6, Fixed(16))])),
                until(5, Each(&Text)),
                all(Fixed(4)),
            ],
        ),
    ),
    (
        ApiKey::DeleteRecords,
        (
            Some(2),
            &[
                all(Many(&[
                    all(Text),
                    all(Many(&[all(Fixed(4)), all(Fixed(8))])),
                ])),
                all(Fixed(4)),
            ],
        ),
    ),
    (
        ApiKey::InitProducerId,
        (
            Some(2),
            &[
                all(Text),
                all(Fixed(4)),
                since(3, Fixed(8)),
                since(3, Fixed(2)),
            ],
        ),
    ),
    (
        ApiKey::AddPartitionsToTxn,
        (
            Some(3),
            &[
                all(Text),
                all(Fixed(8)),
                all(Fixed(2)),
                all(Many(&[all(Text), all(Each(&Fixed(4)))])),
            ],
        ),
    ),
    (
        ApiKey::AddOffsetsToTxn,
        (
            Some(3),
            &[all(Text), all(Fixed(8)), all(Fixed(2)), all(Text)],
        ),
    ),
    (
        ApiKey::EndTxn,
        (
            Some(3),
            &[all(Text), all(Fixed(8)), all(Fixed(2)), all(Fixed(1))],
        ),
    ),
    (
        ApiKey::TxnOffsetCommit,
        (
            Some(3),
            &[
                all(Text),
                all(Text),
                all(Fixed(8)),
                all(Fixed(2)),
                since(3, Fixed(4)),
                since(3, Text),
                since(3, Text),
                all(Many(&[
                    all(Text),
                    all(Many(&[
                        all(Fixed(4)),
                        all(Fixed(8)),
                        since(2, Fixed(4)),
                        all(Text),
                    ])),
                ])),
            ],
        ),
    ),
    (
        ApiKey::DescribeConfigs,
        (
            Some(4),
            &[
                all(Many(&[all(Fixed(1)), all(Text), all(Each(&Text))])),
                all(Fixed(1)),
                since(3, Fixed(1)),
            ],
        ),
    ),
    (
        ApiKey::IncrementalAlterConfigs,
        (
            Some(1),
            &[
                all(Many(&[
                    all(Fixed(1)),
                    all(Text),
                    all(Many(&[all(Text), all(Fixed(1)), all(Text)])),
                ])),
                all(Fixed(1)),
            ],
        ),
    ),
    (
        ApiKey::CreatePartitions,
        (
            Some(2),
            &[
                all(Many(&[
                    all(Text),
                    all(Fixed(4)),
                    all(Many(&[all(Each(&Fixed(4)))])),
                ])),
                all(Fixed(4)),
                all(Fixed(1)),
            ],
        ),
    ),
    (ApiKey::DeleteGroups, (Some(2), &[all(Each(&Text))])),
    (
        ApiKey::OffsetDelete,
        (
            None,
            &[
                all(Text),
                all(Many(&[all(Text), all(Many(&[all(Fixed(4))]))])),
            ],
        ),
    ),
    (
        ApiKey::DescribeCluster,
        (Some(0), &[all(Fixed(1)), since(1, Fixed(1))]),
    ),
    (
        ApiKey::OffsetForLeaderEpoch,
        (
            Some(4),
            &[
                since(3, Fixed(4)),
                all(Many(&[
                    all(Text),
                    all(Many(&[all(Fixed(4)), all(Fixed(4)), all(Fixed(4))])),
                ])),
            ],
        ),
    ),
    (
        ApiKey::DescribeProducers,
        (Some(0), &[all(Many(&[all(Text), all(Each(&Fixed(4)))]))]),
    ),
    (ApiKey::DescribeTransactions, (Some(0), &[all(Each(&Text))])),
    (
        ApiKey::ListTransactions,
        (
            Some(0),
            &[all(Each(&Text)), all(Each(&Fixed(8))), since(1, Fixed(8))],
        ),
    ),
    (
        ApiKey::ConsumerGroupDescribe,
        (Some(0), &[all(Each(&Text)), all(Fixed(1))]),
    ),
    (
        ApiKey::DescribeLogDirs,
        (Some(2), &[all(Many(&[all(Text), all(Each(&Fixed(4)))]))]),
    ),
];
