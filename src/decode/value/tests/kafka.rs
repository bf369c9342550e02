//! Records of Kafka's own topics. The values were written by Kafka's own message classes (4.4).

use super::*;

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn key(topic: &str, bytes: &[u8]) -> Decoded {
    let setting = Setting {
        topic,
        ..setting(Part::Key)
    };
    decode(Some(bytes), &setting)
}

fn read(topic: &str, kind: u8, bytes: &str) -> Decoded {
    let setting = Setting {
        topic,
        key: Some(&[0, kind, 0, 0]),
        ..setting(Part::Value)
    };
    let decoded = decode(Some(&hex(bytes)), &setting);
    assert_eq!(decoded.error, None, "{bytes}");
    decoded
}

fn group(kind: u8, bytes: &str) -> String {
    read("__consumer_offsets", kind, bytes).text.unwrap()
}

#[test]
fn keys() {
    let offset = key(
        "__consumer_offsets",
        &[0, 1, 0, 2, b'g', b'1', 0, 1, b't', 0, 0, 0, 12],
    );
    assert_eq!(
        (
            offset.format,
            offset.evidence.as_str(),
            offset.text.as_deref()
        ),
        (
            Format::ConsumerOffsets,
            "__consumer_offsets: key of type 1, OffsetCommitKey",
            Some("{\"group\":\"g1\",\"topic\":\"t\",\"partition\":12}")
        )
    );
    let member = key("__consumer_offsets", &[0, 5, 0, 1, b'g', 0, 1, b'm']);
    assert_eq!(
        member.text.as_deref(),
        Some("{\"groupId\":\"g\",\"memberId\":\"m\"}")
    );
    let unknown = key("__consumer_offsets", &[0, 99, 0, 1]);
    assert_eq!(
        (unknown.text, unknown.error.as_deref()),
        (None, Some("Keys of type 99 are not known here"))
    );
    let transaction = key("__transaction_state", &[0, 0, 0, 2, b'i', b'd']);
    assert_eq!(
        transaction.text.as_deref(),
        Some("{\"transactionalId\":\"id\"}")
    );
    let short = key("__transaction_state", &[0, 0, 0, 9, b'i']);
    assert_eq!(
        short.error.as_deref(),
        Some("It is no TransactionLogKey: it ends too early (byte 4)")
    );
}

#[test]
fn committed_offsets_of_all_versions() {
    let at = "\"commitTimestamp\":1700000000000,\"commitTimestampUtc\":\"2023-11-14T22:13:20Z\"";
    let plain = format!("{{\"offset\":42,\"metadata\":\"m\",{at}}}");
    let epoch = format!("{{\"offset\":42,\"leaderEpoch\":7,\"metadata\":\"m\",{at}}}");
    for (bytes, text) in [
        ("0000000000000000002a00016d0000018bcfe56800", plain.clone()),
        (
            "0001000000000000002a00016d0000018bcfe568000000018bcfe56801",
            format!(
                "{{\"offset\":42,\"metadata\":\"m\",{at},\"expireTimestamp\":1700000000001,\"expireTimestampUtc\":\"2023-11-14T22:13:20.001Z\"}}"
            ),
        ),
        ("0002000000000000002a00016d0000018bcfe56800", plain),
        (
            "0003000000000000002a0000000700016d0000018bcfe56800",
            epoch.clone(),
        ),
        (
            "0004000000000000002a00000007026d0000018bcfe5680000",
            epoch.clone(),
        ),
        (
            "0004000000000000002a00000007026d0000018bcfe5680001001000000000000000010000000000000002",
            format!(
                "{},\"topicId\":\"AAAAAAAAAAEAAAAAAAAAAg\"}}",
                epoch.trim_end_matches('}')
            ),
        ),
    ] {
        assert_eq!(group(1, bytes), text);
    }
    let later = Setting {
        topic: "__consumer_offsets",
        key: Some(&[0, 1]),
        ..setting(Part::Value)
    };
    assert_eq!(
        decode(Some(&[0, 5, 1]), &later).error.as_deref(),
        Some("OffsetCommitValue of version 5 is not known here, only up to version 4")
    );
}

#[test]
fn without_its_key_a_value_is_read_when_only_one_layout_fits() {
    let setting = Setting {
        topic: "__consumer_offsets",
        ..setting(Part::Value)
    };
    let only = decode(
        Some(&hex("0003000000000000002a0000000700016d0000018bcfe56800")),
        &setting,
    );
    assert_eq!(
        only.evidence,
        "__consumer_offsets: OffsetCommitValue of version 3"
    );
    // An epoch and no more: several layouts are so.
    let several = decode(Some(&[0, 0, 0, 0, 0, 1, 0]), &setting);
    assert_eq!((several.text, several.error.is_some()), (None, true));
}

#[test]
fn classic_groups_of_all_versions() {
    let inside = "00180003\n00000001000174ffffffff0000000000000005000172";
    let subscription = "\"subscription\":{\"version\":3,\"topics\":[\"t\"],\"userData\":null,\"ownedPartitions\":[],\"generationId\":5,\"rackId\":\"r\"}";
    let assignment = "\"assignment\":{\"version\":0,\"assignedPartitions\":[{\"topic\":\"t\",\"partitions\":[0,1]}],\"userData\":null}";
    let tail = "00000019000000000001000174000000020000000000000001ffffffff";
    let head =
        "{\"protocolType\":\"consumer\",\"generation\":3,\"protocol\":\"range\",\"leader\":null";
    let state = ",\"currentStateTimestamp\":1700000000000,\"currentStateTimestampUtc\":\"2023-11-14T22:13:20Z\"";
    let front = "0008636f6e73756d657200000003000572616e6765ffff";
    let member = "00036d2d31 000163 00022f68";
    for (version, bytes, fields, since) in [
        (
            "0000",
            format!("00000001 {member} 0000afc8 0000{inside}{tail}"),
            "\"sessionTimeout\":45000",
            "",
        ),
        (
            "0001",
            format!("00000001 {member} 000493e0 0000afc8 0000{inside}{tail}"),
            "\"rebalanceTimeout\":300000,\"sessionTimeout\":45000",
            "",
        ),
        (
            "0002",
            format!("0000018bcfe56800 00000001 {member} 000493e0 0000afc8 0000{inside}{tail}"),
            "\"rebalanceTimeout\":300000,\"sessionTimeout\":45000",
            state,
        ),
    ] {
        let bytes = format!("{version}{front}{bytes}");
        let text = format!(
            "{head}{since},\"members\":[{{\"memberId\":\"m-1\",\"clientId\":\"c\",\"clientHost\":\"/h\",{fields},{subscription},{assignment}}}]}}"
        );
        assert_eq!(group(2, &bytes), text);
    }
    let newest = format!(
        "{head}{state},\"members\":[{{\"memberId\":\"m-1\",\"groupInstanceId\":\"i\",\"clientId\":\"c\",\"clientHost\":\"/h\",\"rebalanceTimeout\":300000,\"sessionTimeout\":45000,{subscription},{assignment}}}]}}"
    );
    assert_eq!(
        group(
            2,
            "00030008636f6e73756d657200000003000572616e6765ffff0000018bcfe568000000000100036d2d3100016900016300022f68000493e00000afc800000018000300000001000174ffffffff000000000000000500017200000019000000000001000174000000020000000000000001ffffffff"
        ),
        newest
    );
    assert_eq!(
        group(
            2,
            "000409636f6e73756d6572000000030672616e6765000000018bcfe5680002046d2d3102690263032f68000493e00000afc819000300000001000174ffffffff00000000000000050001721a000000000001000174000000020000000000000001ffffffff0000"
        ),
        newest
    );
}

#[test]
fn groups_of_the_newer_protocol() {
    assert_eq!(
        group(
            5,
            "0000000372310263032f68030274027500000003e808756e69666f726d0100110100000009020672616e67650301020000"
        ),
        "{\"instanceId\":null,\"rackId\":\"r1\",\"clientId\":\"c\",\"clientHost\":\"/h\",\"subscribedTopicNames\":[\"t\",\"u\"],\"subscribedTopicRegex\":null,\"rebalanceTimeoutMs\":1000,\"serverAssignor\":\"uniform\",\"classicMemberMetadata\":{\"sessionTimeoutMs\":9,\"supportedProtocols\":[{\"name\":\"range\",\"metadata\":{\"$base64\":\"AQI=\"}}]}}"
    );
    assert_eq!(
        group(
            8,
            "000000000004000000030102000000000000000100000000000000020300000000000000020100090300000007000000080100"
        ),
        "{\"memberEpoch\":4,\"previousMemberEpoch\":3,\"state\":1,\"assignedPartitions\":[{\"topicId\":\"AAAAAAAAAAEAAAAAAAAAAg\",\"partitions\":[0,2],\"assignmentEpochs\":[7,8]}],\"partitionsPendingRevocation\":[]}"
    );
    assert_eq!(
        group(
            19,
            "000001010263032f6800000001000000020270010278ffff0002026b02760000"
        ),
        "{\"instanceId\":\"\",\"rackId\":\"\",\"clientId\":\"c\",\"clientHost\":\"/h\",\"rebalanceTimeoutMs\":1,\"topologyEpoch\":2,\"processId\":\"p\",\"userEndpoint\":{\"host\":\"x\",\"port\":65535},\"clientTags\":[{\"key\":\"k\",\"value\":\"v\"}]}"
    );
    assert!(
        group(19, "000001010263032f6800000001000000020270ff02026b02760000")
            .contains("\"userEndpoint\":null")
    );
    assert_eq!(
        group(
            17,
            "000000000002fffffffffffffffb01011902156e756d2e7374616e6462792e7265706c69636173023100"
        ),
        "{\"epoch\":2,\"metadataHash\":-5,\"lastAssignmentConfigs\":[{\"key\":\"num.standby.replicas\",\"value\":\"1\"}]}"
    );
    assert_eq!(
        group(
            23,
            "0000000000010202300203696e01020c732d6368616e67656c6f6700000000ffff020f636c65616e75702e706f6c69637908636f6d7061637400000101020200000101000000"
        ),
        "{\"epoch\":1,\"subtopologies\":[{\"subtopologyId\":\"0\",\"sourceTopics\":[\"in\"],\"sourceTopicRegex\":[],\"stateChangelogTopics\":[{\"name\":\"s-changelog\",\"partitions\":0,\"replicationFactor\":-1,\"topicConfigs\":[{\"key\":\"cleanup.policy\",\"value\":\"compact\"}]}],\"repartitionSinkTopics\":[],\"repartitionSourceTopics\":[],\"copartitionGroups\":[{\"sourceTopics\":[0],\"sourceTopicRegex\":[],\"repartitionSourceTopics\":[]}]}]}"
    );
    // A field whose number is not known is kept.
    assert_eq!(
        group(3, "000000000001 01 05 02 abcd"),
        "{\"epoch\":1,\"tag5\":{\"$base64\":\"q80=\"}}"
    );
}

#[test]
fn transactions() {
    let head = "{\"producerId\":4000,\"producerEpoch\":3,\"transactionTimeoutMs\":60000,";
    let times = "\"transactionLastUpdateTimestampMs\":1700000000000,\"transactionLastUpdateTimestampMsUtc\":\"2023-11-14T22:13:20Z\",\"transactionStartTimestampMs\":1699999999000,\"transactionStartTimestampMsUtc\":\"2023-11-14T22:13:19Z\"";
    let ongoing = format!(
        "{head}\"transactionStatus\":1,\"transactionStatusName\":\"Ongoing\",\"transactionPartitions\":[{{\"topic\":\"t\",\"partitionIds\":[0,1]}}],{times}"
    );
    for (bytes, text) in [
        (
            "00000000000000000fa000030000ea6001000000010001740000000200000000000000010000018bcfe568000000018bcfe56418",
            format!("{ongoing}}}"),
        ),
        (
            "00010000000000000fa000030000ea6001020274030000000000000001000000018bcfe568000000018bcfe5641800",
            format!("{ongoing}}}"),
        ),
        (
            "00010000000000000fa000030000ea6001020274030000000000000001000000018bcfe568000000018bcfe564180400080000000000000f9f01080000000000000fa10202000203020004",
            format!(
                "{ongoing},\"previousProducerId\":3999,\"nextProducerId\":4001,\"clientTransactionVersion\":2,\"nextProducerEpoch\":4}}"
            ),
        ),
        (
            "00000000000000000fa000030000ea6000ffffffff0000018bcfe568000000018bcfe56418",
            format!(
                "{head}\"transactionStatus\":0,\"transactionStatusName\":\"Empty\",\"transactionPartitions\":null,{times}}}"
            ),
        ),
        (
            "00010000000000000fa000030000ea6000000000018bcfe568000000018bcfe5641800",
            format!(
                "{head}\"transactionStatus\":0,\"transactionStatusName\":\"Empty\",\"transactionPartitions\":null,{times}}}"
            ),
        ),
    ] {
        assert_eq!(read("__transaction_state", 0, bytes).text.unwrap(), text);
    }
}
