//! Reaching a real bus.
//!
//! The seam between the engine and any bus is one trait in terms of [`crate::model`] alone.
//! `kafka` implements it with librdkafka; `wire` speaks the raw protocol where librdkafka hides things;
//! `demo` is an embedded broker for people who have no Kafka at hand. Nothing here knows the engine.

pub mod demo;
