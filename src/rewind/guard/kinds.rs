//! Groups that are moved in another way than by their bookmarks.

use base64::Engine as _;

use crate::model::{GroupListing, GroupType, Member, Text};
use crate::rewind::plan::Plan;

use super::Outcome;

const STREAMS: &str = "a Kafka Streams application keeps state beside its position";
const STREAMS_WAY: &str = "stop every instance of the application, then use \\
    kafka-streams-application-reset.sh, which resets its internal topics as well";
const SHARE_WAY: &str =
    "kafka-share-groups.sh --reset-offsets moves its start while it has no members";

/// The other way in which a group has to be moved, if there is one, and whether that rules its bookmarks out;
/// `None` for a group of consumers.
pub(super) fn other_way(
    listing: &GroupListing,
    members: &[Member],
    plan: &Plan,
) -> Option<(Outcome, String)> {
    let failed = |what: &str, way: &str| Some((Outcome::Failed, format!("{what}: {way}")));
    let confirm = |what: String, way: &str| Some((Outcome::Confirm, format!("{what}: {way}")));
    let name = plan.group.lossy();
    let protocol = listing.protocol_type.as_deref().unwrap_or_default();
    let protocol = protocol.to_ascii_lowercase();
    match (listing.kind, &*protocol) {
        (GroupType::Share, _) | (_, "share") => {
            return failed(
                "a share group hands records out one by one and has no single position",
                SHARE_WAY,
            );
        }
        (GroupType::Streams, _) | (_, "streams") => return failed(STREAMS, STREAMS_WAY),
        (_, "connect") => {
            return failed("a Connect group is managed by Connect", &connect_way(&name));
        }
        _ => {}
    }
    // In the classic protocol an application of Kafka Streams is told by the names of its threads only.
    if members
        .iter()
        .any(|member| member.client_id.lossy().contains("-StreamThread-"))
    {
        return failed(STREAMS, STREAMS_WAY);
    }
    if writes_as_streams(plan) {
        return confirm(
            "its bookmarks carry what Kafka Streams writes beside them; if it keeps state, moving them alone makes that state wrong"
                .to_owned(),
            STREAMS_WAY,
        );
    }
    if name.starts_with("connect-") {
        return confirm(
            "its name is that of a Connect sink; if it is one".to_owned(),
            &connect_way(&name),
        );
    }
    if !matches!(&*protocol, "" | "consumer") {
        return confirm(
            "its members do not speak the protocol of consumers".to_owned(),
            &format!("they name it {protocol}"),
        );
    }
    None
}

fn connect_way(group: &str) -> String {
    let connector = group.strip_prefix("connect-").unwrap_or("NAME");
    format!(
        "stop the connector (PUT /connectors/{connector}/stop) and change its offsets there (PATCH or DELETE /connectors/{connector}/offsets)"
    )
}

fn writes_as_streams(plan: &Plan) -> bool {
    plan.rows
        .iter()
        .filter_map(|row| row.from.as_ref().ok()?.as_ref())
        .any(|bookmark| is_stream_time(&bookmark.metadata))
}

/// The metadata of Kafka Streams: in base64 a version, 1 or 2, a time in eight bytes, and from the second version
/// on a list.
fn is_stream_time(metadata: &Text) -> bool {
    base64::prelude::BASE64_STANDARD
        .decode(metadata.as_bytes())
        .is_ok_and(|bytes| match bytes.first() {
            Some(1) => bytes.len() == 9,
            Some(2) => bytes.len() >= 13,
            _ => false,
        })
}
