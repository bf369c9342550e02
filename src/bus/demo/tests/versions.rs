//! Every request is served in every version that is advertised, and its answer can be read back.

use bytes::{Buf as _, Bytes};
use kafka_protocol::messages::*;
use kafka_protocol::protocol::{Decodable as _, Request};

use super::requests::plausible;
use super::shop;
use crate::bus::demo::broker::Broker;
use crate::bus::demo::dispatch::{APIS, Outcome, answer};
use crate::bus::demo::frame;

fn reply(broker: &Broker, request: &Bytes) -> Bytes {
    match answer(broker, "/127.0.0.1", request) {
        Outcome::Reply(bytes) => bytes,
        other => panic!("{other:?} to {request:?}"),
    }
}

/// Reads a whole reply back, and holds it to its length and its request's number.
pub(super) fn read_back<R: Request>(mut reply: Bytes, version: i16) -> R::Response {
    let key = ApiKey::try_from(R::KEY).unwrap();
    assert_eq!(usize::try_from(reply.get_i32()).unwrap(), reply.len());
    let header = ResponseHeader::decode(&mut reply, key.response_header_version(version)).unwrap();
    assert_eq!(header.correlation_id, 7);
    let response = R::Response::decode(&mut reply, version).unwrap();
    assert!(reply.is_empty(), "{key:?} {version} has bytes left over");
    response
}

fn read_any(key: ApiKey, reply: Bytes, version: i16) {
    macro_rules! by_key {
        ($($name:ident: $request:ty),* $(,)?) => {
            match key {
                $(ApiKey::$name => drop(read_back::<$request>(reply, version)),)*
                _ => panic!("{key:?} is not read back"),
            }
        };
    }
    by_key! {
        Produce: ProduceRequest,
        Fetch: FetchRequest,
        ListOffsets: ListOffsetsRequest,
        Metadata: MetadataRequest,
        OffsetCommit: OffsetCommitRequest,
        OffsetFetch: OffsetFetchRequest,
        FindCoordinator: FindCoordinatorRequest,
        JoinGroup: JoinGroupRequest,
        Heartbeat: HeartbeatRequest,
        LeaveGroup: LeaveGroupRequest,
        SyncGroup: SyncGroupRequest,
        DescribeGroups: DescribeGroupsRequest,
        ListGroups: ListGroupsRequest,
        ApiVersions: ApiVersionsRequest,
        CreateTopics: CreateTopicsRequest,
        DeleteTopics: DeleteTopicsRequest,
        DeleteRecords: DeleteRecordsRequest,
        InitProducerId: InitProducerIdRequest,
        OffsetForLeaderEpoch: OffsetForLeaderEpochRequest,
        AddPartitionsToTxn: AddPartitionsToTxnRequest,
        AddOffsetsToTxn: AddOffsetsToTxnRequest,
        EndTxn: EndTxnRequest,
        TxnOffsetCommit: TxnOffsetCommitRequest,
        DescribeConfigs: DescribeConfigsRequest,
        DescribeLogDirs: DescribeLogDirsRequest,
        CreatePartitions: CreatePartitionsRequest,
        DeleteGroups: DeleteGroupsRequest,
        IncrementalAlterConfigs: IncrementalAlterConfigsRequest,
        OffsetDelete: OffsetDeleteRequest,
        DescribeCluster: DescribeClusterRequest,
        DescribeProducers: DescribeProducersRequest,
        DescribeTransactions: DescribeTransactionsRequest,
        ListTransactions: ListTransactionsRequest,
        ConsumerGroupDescribe: ConsumerGroupDescribeRequest,
    }
}

/// Puts one member into the group `joiners`, which is in its first generation then.
fn join(broker: &Broker) -> String {
    broker.lock().groups.0.remove("joiners");
    let request = plausible(ApiKey::JoinGroup, 0, "", (-1, -1));
    let joined = read_back::<JoinGroupRequest>(reply(broker, &request), 0);
    assert_eq!((joined.error_code, joined.generation_id), (0, 1));
    joined.member_id.to_string()
}

/// Begins the transaction `txn` and takes the partition and the group of the requests into it.
fn begin(broker: &Broker) -> (i64, i16) {
    let init = plausible(ApiKey::InitProducerId, 0, "", (-1, -1));
    let producer = read_back::<InitProducerIdRequest>(reply(broker, &init), 0);
    let producer = (producer.producer_id.0, producer.producer_epoch);
    for key in [ApiKey::AddPartitionsToTxn, ApiKey::AddOffsetsToTxn] {
        reply(broker, &plausible(key, 0, "", producer));
    }
    producer
}

#[test]
fn every_version_that_is_served_is_answered_in_that_version() {
    let broker = shop();
    for api in APIS {
        for version in api.from..=api.to {
            let needs_transaction = matches!(
                api.key,
                ApiKey::AddPartitionsToTxn
                    | ApiKey::AddOffsetsToTxn
                    | ApiKey::TxnOffsetCommit
                    | ApiKey::EndTxn
                    | ApiKey::DescribeTransactions
            );
            let producer = if needs_transaction {
                begin(&broker)
            } else {
                (-1, -1)
            };
            let member = match api.key {
                ApiKey::SyncGroup | ApiKey::Heartbeat | ApiKey::LeaveGroup => join(&broker),
                ApiKey::JoinGroup => {
                    broker.lock().groups.0.remove("joiners");
                    String::new()
                }
                _ => String::new(),
            };
            let request = plausible(api.key, version, &member, producer);
            read_any(api.key, reply(&broker, &request), version);
        }
    }
}

#[test]
fn the_walk_over_a_request_ends_where_the_codec_ends() {
    for api in APIS {
        for version in api.from..=api.to {
            let request = plausible(api.key, version, "member", (1, 0));
            let (_, body) = frame::read(&request, api.key).unwrap();
            assert_eq!(
                frame::left_over(&body, api.key, version),
                Ok(0),
                "{api:?} {version}"
            );
            for length in 0..body.len() {
                let cut = body.slice(..length);
                let walked = frame::left_over(&cut, api.key, version);
                assert!(walked.is_err(), "{api:?} {version} cut to {length}");
            }
        }
    }
}

#[test]
fn a_joining_member_without_an_id_is_given_one_to_come_back_with() {
    let broker = shop();
    let first = plausible(ApiKey::JoinGroup, 9, "", (-1, -1));
    let refused = read_back::<JoinGroupRequest>(reply(&broker, &first), 9);
    // MEMBER_ID_REQUIRED
    assert_eq!(refused.error_code, 79);
    assert!(refused.member_id.starts_with("test-"));
    let again = plausible(ApiKey::JoinGroup, 9, &refused.member_id, (-1, -1));
    let joined = read_back::<JoinGroupRequest>(reply(&broker, &again), 9);
    assert_eq!(joined.error_code, 0);
    assert_eq!(joined.leader, joined.member_id);
    assert_eq!(joined.members.len(), 1);
}

#[test]
fn an_unknown_version_of_api_versions_is_answered_in_version_0() {
    let broker = shop();
    let mut request = plausible(ApiKey::ApiVersions, 3, "", (-1, -1)).to_vec();
    request[2..4].copy_from_slice(&99_i16.to_be_bytes());
    let response = read_back::<ApiVersionsRequest>(reply(&broker, &request.into()), 0);
    // UNSUPPORTED_VERSION
    assert_eq!(response.error_code, 35);
    let versions = response
        .api_keys
        .iter()
        .find(|api| api.api_key == ApiKey::ApiVersions as i16)
        .unwrap();
    assert_eq!((versions.min_version, versions.max_version), (0, 3));
}

#[test]
fn what_is_not_served_ends_the_connection() {
    let broker = shop();
    let request = plausible(ApiKey::Metadata, 12, "", (-1, -1));
    for (key, version) in [(3_i16, 13_i16), (3, -1), (1, 2), (17, 0), (999, 0), (-1, 0)] {
        let mut changed = request.to_vec();
        changed[..2].copy_from_slice(&key.to_be_bytes());
        changed[2..4].copy_from_slice(&version.to_be_bytes());
        let outcome = answer(&broker, "/127.0.0.1", &changed.into());
        assert!(
            matches!(outcome, Outcome::Close),
            "{key} {version}: {outcome:?}"
        );
    }
}
