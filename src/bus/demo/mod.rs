//! An embedded Kafka-protocol broker with a small shop in it.
