//! `CreateTopics`, `DeleteTopics`, `CreatePartitions`, `DeleteRecords`.

use kafka_protocol::messages::create_partitions_response::CreatePartitionsTopicResult;
use kafka_protocol::messages::create_topics_request::CreatableTopic;
use kafka_protocol::messages::create_topics_response::{
    CreatableTopicConfigs, CreatableTopicResult,
};
use kafka_protocol::messages::delete_records_response::{
    DeleteRecordsPartitionResult, DeleteRecordsTopicResult,
};
use kafka_protocol::messages::delete_topics_response::DeletableTopicResult;
use kafka_protocol::messages::{
    CreatePartitionsRequest, CreatePartitionsResponse, CreateTopicsRequest, CreateTopicsResponse,
    DeleteRecordsRequest, DeleteRecordsResponse, DeleteTopicsRequest, DeleteTopicsResponse,
    TopicName,
};
use kafka_protocol::protocol::StrBytes;
use uuid::Uuid;

use super::super::broker::State;
use super::super::config::{self, Settings};
use super::super::dispatch::Call;
use super::super::log::PartitionLog;
use super::super::{codes, limits};
use super::{fixed, text};

/// A refusal: its code, and what is wrong in words.
type Refusal = (i16, String);

/// Makes topics.
pub(in super::super) fn create_topics(
    call: &Call<'_>,
    request: CreateTopicsRequest,
) -> CreateTopicsResponse {
    let mut state = call.broker.lock();
    let results = request.topics.into_iter().map(|topic| {
        let response = CreatableTopicResult::default().with_name(topic.name.clone());
        let made = wanted(&state, &topic).map(|(partitions, settings)| {
            let configs = configs(&settings);
            let count = i32::try_from(partitions.len()).unwrap_or(i32::MAX);
            let id = if request.validate_only {
                [0; 16]
            } else {
                state.add_topic(&topic.name.0, partitions, settings, call.broker.seed)
            };
            (id, count, configs)
        });
        match made {
            Err((code, message)) => response
                .with_error_code(code)
                .with_error_message(Some(text(&message))),
            Ok((id, count, configs)) if call.version >= 5 => response
                .with_topic_id(Uuid::from_bytes(id))
                .with_num_partitions(count)
                .with_replication_factor(1)
                .with_configs(Some(configs)),
            Ok(_) => response,
        }
    });
    let results = results.collect();
    drop(state);
    call.broker.notify();
    CreateTopicsResponse::default().with_topics(results)
}

fn wanted(state: &State, topic: &CreatableTopic) -> Result<(Vec<PartitionLog>, Settings), Refusal> {
    let name = topic.name.0.as_str();
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if !(1..=249).contains(&name.len()) || !name.bytes().all(legal) || matches!(name, "." | "..") {
        return Err((
            codes::INVALID_TOPIC,
            format!("Topic name is illegal: {name}"),
        ));
    }
    if state.topics.contains_key(name) {
        let message = format!("Topic '{name}' already exists.");
        return Err((codes::TOPIC_ALREADY_EXISTS, message));
    }
    if !matches!(topic.replication_factor, -1 | 1) {
        let message = "Unable to replicate: there is 1 broker.".to_owned();
        return Err((codes::INVALID_REPLICATION_FACTOR, message));
    }
    let count = match (topic.num_partitions, topic.assignments.len()) {
        (-1, 0) => 1,
        (count, 0) => count,
        (_, assigned) => i32::try_from(assigned).unwrap_or(i32::MAX),
    };
    let room = limits::PARTITIONS.saturating_sub(state.partition_count());
    let fits = usize::try_from(count).is_ok_and(|count| (1..=room).contains(&count));
    if !fits || count > limits::PARTITIONS_PER_TOPIC {
        let message = "Number of partitions was set to an invalid value.".to_owned();
        return Err((codes::INVALID_PARTITIONS, message));
    }
    if topic.configs.len() > limits::CONFIGS_PER_TOPIC {
        let message = "Too many configurations.".to_owned();
        return Err((codes::INVALID_CONFIG, message));
    }
    let mut settings = Settings::default();
    for entry in &topic.configs {
        let value = entry.value.as_ref().map(StrBytes::as_str);
        settings
            .set(&entry.name, value.unwrap_or_default())
            .map_err(|message| (codes::INVALID_CONFIG, message))?;
    }
    let partitions = (0..count).map(|_| PartitionLog::default());
    Ok((partitions.collect(), settings))
}

fn configs(settings: &Settings) -> Vec<CreatableTopicConfigs> {
    let all = config::TOPIC.iter().map(|known| {
        let own = settings.own(known.name).is_some();
        CreatableTopicConfigs::default()
            .with_name(fixed(known.name))
            .with_value(Some(text(settings.get(known.name))))
            .with_config_source(if own { 1 } else { 5 })
    });
    all.collect()
}

/// Deletes topics, by name or by id.
pub(in super::super) fn delete_topics(
    call: &Call<'_>,
    request: DeleteTopicsRequest,
) -> DeleteTopicsResponse {
    let mut state = call.broker.lock();
    let named = request
        .topic_names
        .into_iter()
        .map(|name| (Some(name), Uuid::nil()));
    let either = request
        .topics
        .into_iter()
        .map(|topic| (topic.name, topic.topic_id));
    let results = named.chain(either).map(|(name, id)| {
        let by_id = name.is_none();
        let name = match name {
            Some(name) => Some(name.0.to_string()),
            None => state.names_by_id.get(id.as_bytes()).cloned(),
        };
        let response = DeletableTopicResult::default().with_topic_id(id);
        let Some(name) = name else {
            return response
                .with_name(None)
                .with_error_code(codes::UNKNOWN_TOPIC_ID);
        };
        let topic_id = state
            .topics
            .get(&name)
            .map_or(id, |topic| Uuid::from_bytes(topic.id));
        let error = if state.remove_topic(&name) {
            codes::NONE
        } else if by_id {
            codes::UNKNOWN_TOPIC_ID
        } else {
            codes::UNKNOWN_TOPIC_OR_PARTITION
        };
        response
            .with_name(Some(TopicName(text(&name))))
            .with_topic_id(topic_id)
            .with_error_code(error)
    });
    let results = results.collect();
    drop(state);
    call.broker.notify();
    DeleteTopicsResponse::default().with_responses(results)
}

/// Gives topics more partitions.
pub(in super::super) fn create_partitions(
    call: &Call<'_>,
    request: CreatePartitionsRequest,
) -> CreatePartitionsResponse {
    let mut state = call.broker.lock();
    let results = request.topics.into_iter().map(|asked| {
        let grown = grow(
            &mut state,
            &asked.name.0,
            asked.count,
            request.validate_only,
        );
        let response = CreatePartitionsTopicResult::default().with_name(asked.name);
        match grown {
            Ok(()) => response,
            Err((code, message)) => response
                .with_error_code(code)
                .with_error_message(Some(text(&message))),
        }
    });
    let results = results.collect();
    drop(state);
    call.broker.notify();
    CreatePartitionsResponse::default().with_results(results)
}

fn grow(state: &mut State, name: &str, count: i32, only_check: bool) -> Result<(), Refusal> {
    let room = limits::PARTITIONS.saturating_sub(state.partition_count());
    let Some(topic) = state.topics.get_mut(name) else {
        let message = "This server does not host this topic-partition.".to_owned();
        return Err((codes::UNKNOWN_TOPIC_OR_PARTITION, message));
    };
    let now = topic.partitions.len();
    let wanted = usize::try_from(count).unwrap_or(0);
    if wanted <= now || wanted.saturating_sub(now) > room || count > limits::PARTITIONS_PER_TOPIC {
        let message = format!("Topic currently has {now} partitions, {count} cannot be had.");
        return Err((codes::INVALID_PARTITIONS, message));
    }
    if !only_check {
        topic.partitions.resize_with(wanted, PartitionLog::default);
    }
    Ok(())
}

/// Deletes the records before an offset; −1 means all.
pub(in super::super) fn delete_records(
    call: &Call<'_>,
    request: DeleteRecordsRequest,
) -> DeleteRecordsResponse {
    let mut state = call.broker.lock();
    let topics = request.topics.into_iter().map(|topic| {
        let partitions = topic.partitions.iter().map(|asked| {
            let response = DeleteRecordsPartitionResult::default()
                .with_partition_index(asked.partition_index)
                .with_low_watermark(-1);
            let Some(log) = state.partition_mut(&topic.name.0, asked.partition_index) else {
                return response.with_error_code(codes::UNKNOWN_TOPIC_OR_PARTITION);
            };
            let offset = match asked.offset {
                -1 => log.end(),
                offset => offset,
            };
            if !(0..=log.end()).contains(&offset) {
                return response.with_error_code(codes::OFFSET_OUT_OF_RANGE);
            }
            log.delete_before(offset);
            response.with_low_watermark(log.start())
        });
        let partitions = partitions.collect();
        DeleteRecordsTopicResult::default()
            .with_name(topic.name)
            .with_partitions(partitions)
    });
    let topics = topics.collect();
    drop(state);
    call.broker.notify();
    DeleteRecordsResponse::default().with_topics(topics)
}
