//! The requests that looking sends: these and no others.
//!
//! Nothing here is asked while Tideline runs; it is what tests hold Tideline to, and README states.

/// One type of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestType {
    /// Its number in Kafka's protocol.
    pub key: i16,
    /// Its name there.
    pub name: &'static str,
    /// What Tideline learns by it.
    pub learns: &'static str,
    /// When it is sent, where that is not always.
    pub only: Option<&'static str>,
}

const fn request(key: i16, name: &'static str, learns: &'static str) -> RequestType {
    RequestType {
        key,
        name,
        learns,
        only: None,
    }
}

const fn sometimes(
    key: i16,
    name: &'static str,
    learns: &'static str,
    only: &'static str,
) -> RequestType {
    RequestType {
        key,
        name,
        learns,
        only: Some(only),
    }
}

/// All that a connection sends over which nothing is changed, by number.
pub const LOOKING: [RequestType; 16] = [
    request(1, "Fetch", "records"),
    request(
        2,
        "ListOffsets",
        "log starts, ends, and the first offset at a time",
    ),
    request(3, "Metadata", "brokers, topics, partitions, leaders"),
    request(9, "OffsetFetch", "committed offsets"),
    request(10, "FindCoordinator", "which broker keeps a group"),
    request(15, "DescribeGroups", "the members of a classic group"),
    request(16, "ListGroups", "groups, with type and state"),
    sometimes(
        17,
        "SaslHandshake",
        "how to log in",
        "where the bus wants a login",
    ),
    request(18, "ApiVersions", "what a broker understands"),
    sometimes(
        23,
        "OffsetForLeaderEpoch",
        "whether a log was cut off",
        "when a partition's leader changes while it is read, and when gaps are looked for",
    ),
    request(32, "DescribeConfigs", "settings of topics"),
    sometimes(
        36,
        "SaslAuthenticate",
        "whether the login is right",
        "where the bus wants a login",
    ),
    sometimes(
        61,
        "DescribeProducers",
        "who has a transaction open in a partition",
        "when gaps are looked for",
    ),
    sometimes(
        65,
        "DescribeTransactions",
        "name, state and time-out of an open transaction",
        "when gaps are looked for and a transaction is open",
    ),
    sometimes(
        66,
        "ListTransactions",
        "which broker keeps an open transaction",
        "when gaps are looked for and a transaction is open",
    ),
    request(
        69,
        "ConsumerGroupDescribe",
        "the members of a group of the new protocol",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_in_the_readme_is_this_one() {
        let readme = include_str!("../../../README.md");
        let head = "| number | request | what is learnt by it |";
        let (_, rest) = readme.split_once(head).unwrap();
        let found: Vec<&str> = rest
            .lines()
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .collect();
        let listed = LOOKING.map(|request| {
            let RequestType { key, name, .. } = request;
            let only = request.only.map(|only| format!(" ({only})"));
            let learns = request.learns;
            format!(
                "| {key} | `{name}` | {learns}{} |",
                only.unwrap_or_default()
            )
        });
        assert_eq!(found, listed);
    }

    #[test]
    fn none_of_them_changes_anything() {
        // Produce, OffsetCommit, JoinGroup, Heartbeat, LeaveGroup, SyncGroup, CreateTopics, DeleteTopics, DeleteRecords,
        // InitProducerId, AlterConfigs, CreatePartitions, DeleteGroups, IncrementalAlterConfigs, OffsetDelete,
        // ConsumerGroupHeartbeat.
        let changing = [0, 8, 11, 12, 13, 14, 19, 20, 21, 22, 33, 37, 42, 44, 47, 68];
        assert!(
            LOOKING
                .iter()
                .all(|request| !changing.contains(&request.key))
        );
        assert!(LOOKING.windows(2).all(|pair| pair[0].key < pair[1].key));
    }
}
