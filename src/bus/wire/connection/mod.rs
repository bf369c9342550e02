//! One connection to one broker, one question at a time.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use kafka_protocol::messages::{
    ApiKey, ApiVersionsRequest, ApiVersionsResponse, RequestHeader, ResponseHeader,
};
use kafka_protocol::protocol::{
    Decodable, Encodable, HeaderVersion, StrBytes, encode_request_header_into_buffer,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::model::{Known, Problem, ProblemKind};

use super::bounds::{ArrayForm, MAX_FRAME, array_fits};
use super::question::{Question, version};

/// Connects to `host:port`, trying each address the name has.
///
/// # Errors
/// In plain words: an unknown host, a refusal, no answer within `wait`.
pub(in crate::bus) async fn connect(address: &str, wait: Duration) -> Known<TcpStream> {
    let unreachable = |words: String| Problem::new(ProblemKind::Unreachable, words);
    let attempt = async {
        let found: Vec<SocketAddr> = tokio::net::lookup_host(address)
            .await
            .map_err(|error| {
                let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
                unreachable(match error.kind() {
                    std::io::ErrorKind::InvalidInput => {
                        format!("“{address}” is not an address: write HOST:PORT")
                    }
                    _ => format!("the host name {host} is not known here ({error})"),
                })
            })?
            .collect();
        let mut last = unreachable(format!("the host name of {address} has no address"));
        for target in found {
            match TcpStream::connect(target).await {
                Ok(stream) => return Ok(stream),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                    last = unreachable(format!(
                        "the connection to {address} was refused: nothing listens there"
                    ));
                }
                Err(error) => last = unreachable(format!("{address} cannot be reached ({error})")),
            }
        }
        Err(last)
    };
    match tokio::time::timeout(wait, attempt).await {
        Ok(result) => result,
        Err(_elapsed) => Err(unreachable(format!(
            "{address} does not answer within {} s",
            wait.as_secs_f32()
        ))),
    }
}

/// A connection that speaks Kafka's protocol in the clear.
pub(in crate::bus) struct Connection {
    stream: TcpStream,
    next_id: i32,
    /// Which requests the broker takes, once it was asked.
    offered: BTreeMap<i16, (i16, i16)>,
}

impl Connection {
    /// Connects to `host:port`.
    ///
    /// # Errors
    /// As [`connect`].
    pub(in crate::bus) async fn open(address: &str, wait: Duration) -> Known<Self> {
        Ok(Self {
            stream: connect(address, wait).await?,
            next_id: 1,
            offered: BTreeMap::new(),
        })
    }

    /// Which requests the broker takes: by key, the oldest and newest version.
    ///
    /// # Errors
    /// The peer does not speak Kafka's protocol in the clear; [`Problem::kind`] is `Malformed` when it sent
    /// something else and `Unreachable` when it closed the connection.
    pub(in crate::bus) async fn api_versions(&mut self) -> Known<BTreeMap<i16, (i16, i16)>> {
        let body = self
            .exchange(ApiKey::ApiVersions, 0, &ApiVersionsRequest::default())
            .await?;
        // Version 0: error code, then an array of three 16-bit numbers each.
        if !array_fits(&body, 2, ArrayForm::Plain, 6) {
            return Err(malformed("the list of requests is longer than the answer"));
        }
        let answer: ApiVersionsResponse = decode(body, 0)?;
        Ok(answer
            .api_keys
            .iter()
            .map(|api| (api.api_key, (api.min_version, api.max_version)))
            .collect())
    }

    /// Asks in the newest version that both sides know.
    ///
    /// # Errors
    /// The broker does not know the question, or its answer cannot be understood. After any error but
    /// [`ProblemKind::Unsupported`] the connection is of no more use.
    pub(in crate::bus) async fn ask<Q: Question>(&mut self, question: &Q) -> Known<Q::Answer> {
        if self.offered.is_empty() {
            self.offered = self.api_versions().await?;
        }
        let version = version::<Q>(&self.offered)?;
        let body = self
            .exchange(Q::KEY, version, &question.request(version))
            .await?;
        question.read(version, body)
    }

    /// Sends one request and returns the body of its answer.
    async fn exchange<R: Encodable + HeaderVersion>(
        &mut self,
        key: ApiKey,
        version: i16,
        request: &R,
    ) -> Known<Bytes> {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        let header = RequestHeader::default()
            .with_request_api_key(key as i16)
            .with_request_api_version(version)
            .with_correlation_id(id)
            .with_client_id(Some(StrBytes::from_static_str("tideline")));
        let mut frame = BytesMut::new();
        frame.extend_from_slice(&[0; 4]);
        encode_request_header_into_buffer(&mut frame, &header).map_err(|error| encoding(&error))?;
        request
            .encode(&mut frame, version)
            .map_err(|error| encoding(&error))?;
        let length = u32::try_from(frame.len().saturating_sub(4)).unwrap_or(0);
        if let Some(prefix) = frame.get_mut(..4) {
            prefix.copy_from_slice(&length.to_be_bytes());
        }
        self.stream
            .write_all(&frame)
            .await
            .map_err(|error| closed(&error))?;

        let mut prefix = [0; 4];
        self.stream
            .read_exact(&mut prefix)
            .await
            .map_err(|error| closed(&error))?;
        let length = usize::try_from(u32::from_be_bytes(prefix)).unwrap_or(usize::MAX);
        if !(4..=MAX_FRAME).contains(&length) {
            return Err(malformed("what answers does not speak Kafka's protocol"));
        }
        let mut answer = Vec::new();
        // Grows with what really comes, so that a claimed length costs nothing.
        let read = (&mut self.stream)
            .take(u64::from(u32::from_be_bytes(prefix)))
            .read_to_end(&mut answer)
            .await
            .map_err(|error| closed(&error))?;
        if read < length {
            return Err(Problem::new(
                ProblemKind::Unreachable,
                "the connection was closed within an answer",
            ));
        }
        let mut answer = Bytes::from(answer);
        let response_version = key.response_header_version(version);
        let header = ResponseHeader::decode(&mut answer, response_version)
            .map_err(|error| malformed(&format!("an answer's header cannot be read ({error})")))?;
        if header.correlation_id != id {
            return Err(malformed("an answer belongs to another question"));
        }
        Ok(answer)
    }
}

pub(super) fn decode<R: Decodable>(mut body: Bytes, version: i16) -> Known<R> {
    R::decode(&mut body, version)
        .map_err(|error| malformed(&format!("an answer cannot be read ({error})")))
}

pub(super) fn malformed(words: &str) -> Problem {
    Problem::new(ProblemKind::Malformed, words)
}

fn encoding(error: &impl std::fmt::Display) -> Problem {
    Problem::new(
        ProblemKind::Other,
        format!("a question cannot be written ({error})"),
    )
}

fn closed(error: &std::io::Error) -> Problem {
    Problem::new(
        ProblemKind::Unreachable,
        format!("the connection was closed ({error})"),
    )
}

#[cfg(test)]
mod tests;
