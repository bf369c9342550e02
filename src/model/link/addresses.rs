//! Addresses of a cluster: whether they are nothing else, whether they are of this machine, whether they are the same.

use std::net::{IpAddr, Ipv6Addr};

use super::super::secrets::plain_address;

/// `text` when it is hosts with their ports, separated by commas, and nothing else.
pub(super) fn hosts_and_ports(text: &str) -> Option<String> {
    let plain = plain_address(text)?;
    plain
        .split(',')
        .all(|address| split(address).is_some())
        .then_some(plain)
}

/// Host and port of one address. The port may be left out; a bare IPv6 address is not told from a port.
fn split(address: &str) -> Option<(&str, Option<u16>)> {
    let (host, rest) = match address.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']')?;
            host.parse::<Ipv6Addr>().ok()?;
            (host, rest)
        }
        None => address.split_at(address.find(':').unwrap_or(address.len())),
    };
    let is_host = !host.is_empty() && !host.starts_with(['-', '.']) && !host.contains(['[', ']']);
    let port = match rest.strip_prefix(':') {
        None if rest.is_empty() => None,
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            Some(digits.parse().ok().filter(|port| *port > 0)?)
        }
        None | Some(_) => return None,
    };
    is_host.then_some((host, port))
}

/// Whether every one of `addresses` is of this machine itself.
pub fn is_loopback(addresses: &str) -> bool {
    let is_here = |host: &str| {
        host.eq_ignore_ascii_case("localhost")
            || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    };
    addresses
        .split(',')
        .all(|address| split(address.trim()).is_some_and(|(host, _)| is_here(host)))
}

/// Whether two lists name the same addresses, in whatever order.
pub fn same_addresses(a: &str, b: &str) -> bool {
    let sorted = |list: &str| {
        let mut parts: Vec<String> = list
            .split(',')
            .map(|part| part.trim().to_ascii_lowercase())
            .filter(|part| !part.is_empty())
            .collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    };
    let a = sorted(a);
    !a.is_empty() && a == sorted(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ports_and_nothing_else() {
        for sound in [
            "kafka:9092",
            "kafka",
            "a.example.com:1,b-2:65535,c_d:9092",
            "10.0.0.1:9092",
            "[::1]:9092",
            "[fe80::1]",
        ] {
            assert_eq!(hosts_and_ports(sound).as_deref(), Some(sound));
        }
        for odd in [
            "",
            ",",
            "a:1,",
            ":9092",
            "-x:1",
            "a:0",
            "a:65536",
            "a:+1",
            "a:1:2",
            "::1",
            "[x]:1",
            "[::1]9092",
            "[::1",
            "a]:1",
            "alice@a:1",
            "alice:pw@a:1",
            "a:1/x",
            "a:1?x",
            "a:1 -X",
            "a:1\nx",
            "SSL://a:1",
            "ä:1",
        ] {
            assert_eq!(hosts_and_ports(odd), None, "{odd}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_addresses_alone() {
        for here in [
            "localhost:9092",
            "LOCALHOST",
            "127.0.0.1:1,[::1]:2",
            "127.8.9.1:5",
        ] {
            assert!(is_loopback(here), "{here}");
        }
        for elsewhere in [
            "",
            "localhost.example.com:1",
            "127.0.0.1.example.com:1",
            "localhost:1,kafka:1",
            "0.0.0.0:1",
            "127.1:1",
            "my-localhost:1",
        ] {
            assert!(!is_loopback(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn the_order_of_addresses_does_not_matter() {
        assert!(same_addresses("a:1,b:2", " B:2 ,a:1"));
        assert!(!same_addresses("a:1", "a:1,b:2"));
        assert!(!same_addresses("a:1", "a"));
        assert!(!same_addresses("", ""));
    }
}
