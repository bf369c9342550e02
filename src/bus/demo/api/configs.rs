//! `DescribeConfigs` and `IncrementalAlterConfigs`.

use kafka_protocol::messages::describe_configs_request::DescribeConfigsResource;
use kafka_protocol::messages::describe_configs_response::{
    DescribeConfigsResourceResult, DescribeConfigsResult, DescribeConfigsSynonym,
};
use kafka_protocol::messages::incremental_alter_configs_request::AlterConfigsResource;
use kafka_protocol::messages::incremental_alter_configs_response::AlterConfigsResourceResponse;
use kafka_protocol::messages::{
    DescribeConfigsRequest, DescribeConfigsResponse, IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
};
use kafka_protocol::protocol::StrBytes;

use super::super::broker::{NODE_ID, State};
use super::super::codes;
use super::super::config::{self, Known};
use super::super::dispatch::Call;
use super::{fixed, once, text};

const TOPIC: i8 = 2;
const BROKER: i8 = 4;

const FROM_TOPIC: i8 = 1;
const FROM_BROKER: i8 = 4;
const FROM_DEFAULT: i8 = 5;

/// Describes topics' and the broker's configurations.
pub(in super::super) fn describe(
    call: &Call<'_>,
    request: DescribeConfigsRequest,
) -> DescribeConfigsResponse {
    let state = call.broker.lock();
    let name = |resource: &DescribeConfigsResource| {
        (resource.resource_type, resource.resource_name.clone())
    };
    let resources = request.resources.into_iter().filter(once(name));
    let results = resources.map(|resource| {
        let response = DescribeConfigsResult::default()
            .with_resource_type(resource.resource_type)
            .with_resource_name(resource.resource_name.clone());
        let keys = resource.configuration_keys;
        let wanted = |name: &str| {
            let mut keys = keys.iter().flatten();
            keys.clone().next().is_none() || keys.any(|key| **key == *name)
        };
        let entry = |known: &Known, value: &str, source: i8, read_only: bool| {
            let entry = DescribeConfigsResourceResult::default()
                .with_name(fixed(known.name))
                .with_value(Some(text(value)))
                .with_config_source(source)
                .with_read_only(read_only);
            let entry = if request.include_synonyms {
                entry.with_synonyms(synonyms(known, value, source))
            } else {
                entry
            };
            if call.version >= 3 {
                entry.with_config_type(known.kind.code())
            } else {
                entry
            }
        };
        match (resource.resource_type, &*resource.resource_name) {
            (TOPIC, name) => {
                let Some(topic) = state.topics.get(name) else {
                    return response
                        .with_error_code(codes::UNKNOWN_TOPIC_OR_PARTITION)
                        .with_error_message(Some(fixed("No such topic.")));
                };
                let known = config::TOPIC.iter().filter(|known| wanted(known.name));
                let entries = known.map(|known| match topic.settings.own(known.name) {
                    Some(value) => entry(known, value, FROM_TOPIC, false),
                    None => entry(known, known.default, FROM_DEFAULT, false),
                });
                response.with_configs(entries.collect())
            }
            (BROKER, "") => response,
            (BROKER, name) if name.parse() == Ok(NODE_ID) => {
                let known = config::BROKER.iter().filter(|known| wanted(known.name));
                let entries = known.map(|known| entry(known, known.default, FROM_BROKER, true));
                response.with_configs(entries.collect())
            }
            _ => response
                .with_error_code(codes::INVALID_REQUEST)
                .with_error_message(Some(fixed("This broker has no such resource."))),
        }
    });
    let results = results.collect();
    DescribeConfigsResponse::default().with_results(results)
}

fn synonyms(known: &Known, value: &str, source: i8) -> Vec<DescribeConfigsSynonym> {
    let synonym = |value: &str, source: i8| {
        DescribeConfigsSynonym::default()
            .with_name(fixed(known.name))
            .with_value(Some(text(value)))
            .with_source(source)
    };
    let mut synonyms = vec![synonym(value, source)];
    if source == FROM_TOPIC {
        synonyms.push(synonym(known.default, FROM_DEFAULT));
    }
    synonyms
}

/// Changes topics' configurations.
pub(in super::super) fn alter(
    call: &Call<'_>,
    request: IncrementalAlterConfigsRequest,
) -> IncrementalAlterConfigsResponse {
    let mut state = call.broker.lock();
    let responses = request.resources.into_iter().map(|resource| {
        let changed = change(&mut state, &resource, request.validate_only);
        let response = AlterConfigsResourceResponse::default()
            .with_resource_type(resource.resource_type)
            .with_resource_name(resource.resource_name);
        match changed {
            Ok(()) => response,
            Err((code, message)) => response
                .with_error_code(code)
                .with_error_message(Some(text(&message))),
        }
    });
    let responses = responses.collect();
    drop(state);
    call.broker.notify();
    IncrementalAlterConfigsResponse::default().with_responses(responses)
}

fn change(
    state: &mut State,
    resource: &AlterConfigsResource,
    only_check: bool,
) -> Result<(), (i16, String)> {
    const SET: i8 = 0;
    const DELETE: i8 = 1;
    const APPEND: i8 = 2;
    const SUBTRACT: i8 = 3;

    if resource.resource_type != TOPIC {
        let message = "Only topics can be configured here.".to_owned();
        return Err((codes::INVALID_REQUEST, message));
    }
    let Some(topic) = state.topics.get_mut(&*resource.resource_name) else {
        let message = "No such topic.".to_owned();
        return Err((codes::UNKNOWN_TOPIC_OR_PARTITION, message));
    };
    let mut settings = topic.settings.clone();
    for entry in &resource.configs {
        let given = entry.value.as_ref().map(StrBytes::as_str);
        let given = given.unwrap_or_default();
        let now = settings.get(&entry.name).to_owned();
        let words = now
            .split(',')
            .filter(|word| !word.is_empty() && *word != given);
        let value = match entry.config_operation {
            SET => given.to_owned(),
            DELETE => {
                settings.unset(&entry.name);
                continue;
            }
            APPEND => words.chain([given]).collect::<Vec<_>>().join(","),
            SUBTRACT => words.collect::<Vec<_>>().join(","),
            _ => {
                let message = "Unknown operation.".to_owned();
                return Err((codes::INVALID_REQUEST, message));
            }
        };
        settings
            .set(&entry.name, &value)
            .map_err(|message| (codes::INVALID_CONFIG, message))?;
    }
    if !only_check {
        topic.settings = settings;
    }
    Ok(())
}
