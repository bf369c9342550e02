//! `ListGroups`: every group that a broker coordinates, of every type.

use std::ops::RangeInclusive;

use bytes::Bytes;
use kafka_protocol::messages::{ApiKey, ListGroupsRequest, ListGroupsResponse};
use kafka_protocol::protocol::StrBytes;

use crate::model::{GroupListing, GroupType, Known, Problem, ProblemKind, Text};

use super::bounds::{ArrayForm, array_fits};
use super::connection::{decode, malformed};
use super::question::Question;

/// Which groups does this broker coordinate? Types come with version 5, states with 4.
pub(in crate::bus) struct ListGroups;

impl Question for ListGroups {
    type Request = ListGroupsRequest;
    type Answer = Vec<GroupListing>;
    const KEY: ApiKey = ApiKey::ListGroups;
    const VERSIONS: RangeInclusive<i16> = 0..=5;
    const LACKING: &'static str = "does not list groups";

    fn request(&self, _version: i16) -> ListGroupsRequest {
        ListGroupsRequest::default()
    }

    fn read(&self, version: i16, body: Bytes) -> Known<Vec<GroupListing>> {
        let skip = if version >= 1 { 6 } else { 2 };
        let form = if version >= 3 {
            ArrayForm::Compact
        } else {
            ArrayForm::Plain
        };
        if !array_fits(&body, skip, form, 2) {
            return Err(malformed("the list of groups is longer than the answer"));
        }
        let answer: ListGroupsResponse = decode(body, version)?;
        match answer.error_code {
            0 => {}
            14 | 15 => {
                return Err(Problem::new(
                    ProblemKind::Retriable,
                    "the group coordinator is not ready yet",
                ));
            }
            31 => {
                return Err(Problem::new(
                    ProblemKind::Forbidden,
                    "this user is not allowed to list groups",
                ));
            }
            code => {
                return Err(Problem::new(
                    ProblemKind::Other,
                    format!("listing groups failed (error {code})"),
                ));
            }
        }
        let some = |text: &StrBytes| (!text.is_empty()).then(|| text.to_string());
        Ok(answer
            .groups
            .iter()
            .map(|group| GroupListing {
                name: Text::from(group.group_id.0.as_str()),
                kind: if version >= 5 {
                    GroupType::from_name(&group.group_type)
                } else {
                    GroupType::Unknown
                },
                protocol_type: Some(group.protocol_type.to_string()),
                state: some(&group.group_state),
                coordinator: None,
            })
            .collect())
    }
}
