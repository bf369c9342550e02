//! What answers at the usual local addresses.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::net::TcpStream;

use crate::engine::snapshot::LocalBus;

/// Ports on which local Kafka and Redpanda brokers usually listen.
const USUAL_PORTS: [u16; 4] = [9092, 19092, 29092, 9094];
/// The environment variable in which many programs find their brokers.
pub(in crate::engine) const ENVIRONMENT: &str = "KAFKA_BOOTSTRAP_SERVERS";
/// How long one address may take.
const WAIT: Duration = Duration::from_millis(500);

/// The addresses at which something listens: those `named` in the environment first, then the usual ports.
pub(in crate::engine) async fn find(named: Option<&str>) -> Vec<LocalBus> {
    let mut candidates: Vec<(String, &str)> = Vec::new();
    if let Some(named) = named.map(str::trim).filter(|named| !named.is_empty()) {
        candidates.push((named.to_owned(), ENVIRONMENT));
    }
    candidates.extend(USUAL_PORTS.map(|port| (format!("127.0.0.1:{port}"), "this machine")));
    let answers = join_all(candidates.iter().map(|(address, _)| answers(address))).await;
    candidates
        .into_iter()
        .zip(answers)
        .filter(|(_, answers)| *answers)
        .map(|((address, found_in), _)| LocalBus {
            address: Arc::from(address),
            found_in: Arc::from(found_in),
        })
        .collect()
}

/// Whether something listens at one of `addresses`, separated by commas.
async fn answers(addresses: &str) -> bool {
    for address in addresses.split(',').map(str::trim) {
        if let Ok(Ok(_stream)) = tokio::time::timeout(WAIT, TcpStream::connect(address)).await {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_named_and_listens_is_found_first_with_its_source() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let found = find(Some(&format!("no-such-host.invalid:1, {address}"))).await;
        assert_eq!(&*found[0].found_in, ENVIRONMENT);
        drop(listener);
        let gone = find(Some(&address)).await;
        assert!(gone.iter().all(|bus| &*bus.address != address.as_str()));
    }
}
