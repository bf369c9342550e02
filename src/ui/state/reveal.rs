//! Bringing a topic, or a place of a partition, into sight on the timeline.

use std::sync::Arc;

use crate::model::{TopicName, TopicPartition};

use super::{LaneKey, Revealed, UiState, ViewRange};

impl UiState {
    /// Brings a time in a partition's lane into sight, at the middle of a view as wide as the present one.
    pub(super) fn reveal(&mut self, revealed: Revealed, shown: ViewRange) {
        let TopicPartition { topic, partition } = revealed.at.clone();
        self.stop_hiding(&topic);
        self.open_topics.insert(Arc::clone(&topic));
        let lane = LaneKey {
            topic,
            partition: Some(partition),
        };
        self.lane = Some(lane.clone());
        self.reveal = Some(lane);
        self.center_on(revealed.time, shown);
        self.revealed = Some(revealed);
    }

    /// Takes the filter away when it hides `topic`.
    fn stop_hiding(&mut self, topic: &str) {
        let name = topic.to_lowercase();
        let mut words = self.filter.split_whitespace().map(str::to_lowercase);
        if !words.all(|word| name.contains(&word)) {
            self.filter.clear();
        }
    }

    /// Opens `topic`, and takes away what would hide it.
    pub(super) fn reveal_topic(&mut self, topic: TopicName) {
        self.stop_hiding(&topic);
        let lane = LaneKey::topic(&topic);
        self.lane = Some(lane.clone());
        self.reveal = Some(lane);
        self.open_topics.insert(topic);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Msg;
    use super::*;
    use crate::model::TimestampMs;

    const SHOWN: ViewRange = ViewRange {
        from_ms: 1_000_000.0,
        to_ms: 2_000_000.0,
    };

    #[test]
    fn revealing_opens_the_topic_and_moves_the_view_there() {
        let mut state = UiState::default();
        state.apply(Msg::Filter("pay".into()), SHOWN);
        state.apply(
            Msg::Reveal(Revealed {
                at: TopicPartition::new("orders", 2),
                offset: crate::model::Offset(7),
                time: TimestampMs(9_000_000),
            }),
            SHOWN,
        );
        assert_eq!(state.filter, "");
        assert!(state.open_topics.contains("orders"));
        assert_eq!(state.lane.as_ref().unwrap().title(), "orders / 2");
        assert_eq!(state.reveal, state.lane);
        let view = state.view.unwrap();
        assert_eq!((view.from_ms, view.to_ms), (8_500_000.0, 9_500_000.0));
    }
}
