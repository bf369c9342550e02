//! The raw Kafka protocol, where librdkafka hides something.
