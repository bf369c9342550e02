//! From a request's bytes to a response's: which requests are served, in which versions, and by whom.

use bytes::{BufMut as _, Bytes, BytesMut};
use kafka_protocol::messages::{
    ApiKey, ApiVersionsResponse, ResponseHeader, api_versions_response::ApiVersion,
};
use kafka_protocol::protocol::{Encodable, Request};

use super::api::{admin, configs, groups, membership, metadata, offsets, records, transactions};
use super::broker::Broker;
use super::{codes, frame};

/// A request that this broker serves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Api {
    pub(super) key: ApiKey,
    /// The lowest version that it claims. Old clients derive what a broker can do from it.
    pub(super) advertised: i16,
    /// The lowest version that it reads.
    pub(super) from: i16,
    /// The highest version that it reads.
    pub(super) to: i16,
}

const fn api(key: ApiKey, advertised: i16, from: i16, to: i16) -> Api {
    Api {
        key,
        advertised,
        from,
        to,
    }
}

/// Every request that this broker serves, by number.
pub(super) const APIS: &[Api] = &[
    api(ApiKey::Produce, 0, 3, 9),
    api(ApiKey::Fetch, 0, 4, 12),
    api(ApiKey::ListOffsets, 0, 1, 7),
    api(ApiKey::Metadata, 0, 0, 12),
    api(ApiKey::OffsetCommit, 0, 2, 8),
    api(ApiKey::OffsetFetch, 0, 1, 8),
    api(ApiKey::FindCoordinator, 0, 0, 4),
    api(ApiKey::JoinGroup, 0, 0, 9),
    api(ApiKey::Heartbeat, 0, 0, 4),
    api(ApiKey::LeaveGroup, 0, 0, 5),
    api(ApiKey::SyncGroup, 0, 0, 5),
    api(ApiKey::DescribeGroups, 0, 0, 6),
    api(ApiKey::ListGroups, 0, 0, 5),
    api(ApiKey::ApiVersions, 0, 0, 3),
    api(ApiKey::CreateTopics, 2, 2, 7),
    api(ApiKey::DeleteTopics, 1, 1, 6),
    api(ApiKey::DeleteRecords, 0, 0, 2),
    api(ApiKey::InitProducerId, 0, 0, 4),
    api(ApiKey::OffsetForLeaderEpoch, 2, 2, 4),
    api(ApiKey::AddPartitionsToTxn, 0, 0, 3),
    api(ApiKey::AddOffsetsToTxn, 0, 0, 3),
    api(ApiKey::EndTxn, 0, 0, 3),
    api(ApiKey::TxnOffsetCommit, 0, 0, 3),
    api(ApiKey::DescribeConfigs, 1, 1, 4),
    api(ApiKey::DescribeLogDirs, 1, 1, 4),
    api(ApiKey::CreatePartitions, 0, 0, 3),
    api(ApiKey::DeleteGroups, 0, 0, 2),
    api(ApiKey::IncrementalAlterConfigs, 0, 0, 1),
    api(ApiKey::OffsetDelete, 0, 0, 0),
    api(ApiKey::DescribeCluster, 0, 0, 1),
    api(ApiKey::DescribeProducers, 0, 0, 0),
    api(ApiKey::DescribeTransactions, 0, 0, 0),
    api(ApiKey::ListTransactions, 0, 0, 1),
    api(ApiKey::ConsumerGroupDescribe, 0, 0, 0),
];

/// What became of a request.
#[derive(Debug)]
pub(super) enum Outcome {
    /// These bytes are its answer, their length included.
    Reply(Bytes),
    /// It wants no answer.
    Silent,
    /// It cannot be answered: the connection ends, as Kafka's would.
    Close,
}

/// Who sent a request.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    /// What the client calls itself.
    pub(super) client_id: String,
    /// Its address, as `DescribeGroups` writes it.
    pub(super) host: String,
}

/// One request on its way to its handler.
pub(super) struct Call<'a> {
    pub(super) broker: &'a Broker,
    pub(super) caller: Caller,
    pub(super) version: i16,
    correlation_id: i32,
    body: Bytes,
}

/// Serves one request; may wait, as `Fetch` and `JoinGroup` do.
pub(super) fn answer(broker: &Broker, host: &str, frame: &Bytes) -> Outcome {
    let Ok(start) = frame::header_start(frame) else {
        return Outcome::Close;
    };
    let served = |api: &&Api| api.key as i16 == start.api_key;
    let Some(api) = APIS.iter().find(served) else {
        return Outcome::Close;
    };
    if !(api.from..=api.to).contains(&start.version) {
        return if api.key == ApiKey::ApiVersions {
            let response = api_versions().with_error_code(codes::UNSUPPORTED_VERSION);
            reply(&response, ApiKey::ApiVersions, 0, start.correlation_id)
        } else {
            Outcome::Close
        };
    }
    let Ok((header, body)) = frame::read(frame, api.key) else {
        return Outcome::Close;
    };
    let call = Call {
        broker,
        caller: Caller {
            client_id: header.client_id.unwrap_or_default(),
            host: host.to_owned(),
        },
        version: header.version,
        correlation_id: header.correlation_id,
        body,
    };
    route(api.key, call)
}

fn route(key: ApiKey, call: Call<'_>) -> Outcome {
    match key {
        ApiKey::Produce => records::serve_produce(call),
        ApiKey::Fetch => call.serve_ref(records::fetch),
        ApiKey::ListOffsets => call.serve(offsets::list),
        ApiKey::Metadata => call.serve(metadata::metadata),
        ApiKey::OffsetCommit => call.serve(offsets::commit),
        ApiKey::OffsetFetch => call.serve(offsets::fetch),
        ApiKey::FindCoordinator => call.serve(metadata::find_coordinator),
        ApiKey::JoinGroup => call.serve(membership::join),
        ApiKey::Heartbeat => call.serve_ref(membership::heartbeat),
        ApiKey::LeaveGroup => call.serve(membership::leave),
        ApiKey::SyncGroup => call.serve(membership::sync),
        ApiKey::DescribeGroups => call.serve(groups::describe),
        ApiKey::ListGroups => call.serve(groups::list),
        ApiKey::ApiVersions => call.serve(versions),
        ApiKey::CreateTopics => call.serve(admin::create_topics),
        ApiKey::DeleteTopics => call.serve(admin::delete_topics),
        ApiKey::DeleteRecords => call.serve(admin::delete_records),
        ApiKey::InitProducerId => call.serve_ref(transactions::init_producer_id),
        ApiKey::OffsetForLeaderEpoch => call.serve(offsets::for_leader_epoch),
        ApiKey::AddPartitionsToTxn => call.serve(transactions::add_partitions),
        ApiKey::AddOffsetsToTxn => call.serve_ref(transactions::add_offsets),
        ApiKey::EndTxn => call.serve_ref(transactions::end),
        ApiKey::TxnOffsetCommit => call.serve(transactions::offset_commit),
        ApiKey::DescribeConfigs => call.serve(configs::describe),
        ApiKey::DescribeLogDirs => call.serve(metadata::log_dirs),
        ApiKey::CreatePartitions => call.serve(admin::create_partitions),
        ApiKey::DeleteGroups => call.serve(groups::delete),
        ApiKey::IncrementalAlterConfigs => call.serve(configs::alter),
        ApiKey::OffsetDelete => call.serve(offsets::delete),
        ApiKey::DescribeCluster => call.serve_ref(metadata::describe_cluster),
        ApiKey::DescribeProducers => call.serve(transactions::describe_producers),
        ApiKey::DescribeTransactions => call.serve(transactions::describe),
        ApiKey::ListTransactions => call.serve_ref(transactions::list),
        ApiKey::ConsumerGroupDescribe => call.serve(groups::describe_consumer),
        _ => Outcome::Close,
    }
}

impl Call<'_> {
    /// Decodes the request, lets `handler` answer it, and encodes the response.
    fn serve<R: Request>(mut self, handler: impl FnOnce(&Self, R) -> R::Response) -> Outcome {
        let Some(request) = self.decode::<R>() else {
            return Outcome::Close;
        };
        let response = handler(&self, request);
        self.reply::<R>(&response)
    }

    /// As [`Self::serve`], for a handler that only looks at the request.
    fn serve_ref<R: Request>(self, handler: impl FnOnce(&Self, &R) -> R::Response) -> Outcome {
        self.serve(|call, request| handler(call, &request))
    }

    /// Decodes the request; `None` when it is malformed.
    pub(super) fn decode<R: Request>(&mut self) -> Option<R> {
        R::decode(&mut self.body, self.version).ok()
    }

    /// Encodes the response to a request of this kind.
    pub(super) fn reply<R: Request>(&self, response: &R::Response) -> Outcome {
        ApiKey::try_from(R::KEY).map_or(Outcome::Close, |key| {
            reply(response, key, self.version, self.correlation_id)
        })
    }
}

fn reply(response: &impl Encodable, key: ApiKey, version: i16, correlation_id: i32) -> Outcome {
    encode(response, key, version, correlation_id).map_or(Outcome::Close, Outcome::Reply)
}

fn encode(
    response: &impl Encodable,
    key: ApiKey,
    version: i16,
    correlation_id: i32,
) -> Option<Bytes> {
    let size = response.compute_size(version).ok()?;
    let mut bytes = BytesMut::with_capacity(size.saturating_add(16));
    bytes.put_i32(0);
    let header = ResponseHeader::default().with_correlation_id(correlation_id);
    header
        .encode(&mut bytes, key.response_header_version(version))
        .ok()?;
    response.encode(&mut bytes, version).ok()?;
    let length = i32::try_from(bytes.len().checked_sub(4)?).ok()?;
    bytes.get_mut(..4)?.copy_from_slice(&length.to_be_bytes());
    Some(bytes.freeze())
}

fn versions(
    _call: &Call<'_>,
    _request: kafka_protocol::messages::ApiVersionsRequest,
) -> ApiVersionsResponse {
    api_versions()
}

fn api_versions() -> ApiVersionsResponse {
    let keys = APIS.iter().map(|api| {
        ApiVersion::default()
            .with_api_key(api.key as i16)
            .with_min_version(api.advertised)
            .with_max_version(api.to)
    });
    ApiVersionsResponse::default().with_api_keys(keys.collect())
}
