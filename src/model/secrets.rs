//! Which settings are secrets, so that no file gets them.

/// Words that a setting's name has when its value is a secret, in lower case. `sasl.jaas.config` and
/// `sasl.oauthbearer.config` hold logins among other things.
const SECRET_WORDS: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "credential",
    "jaas",
    "private",
    "oauthbearer.config",
    "key.pem",
    "keystore.key",
    "ssl_key",
    "user.info",
    "api.key",
];
/// Settings that hold no secret though their names have such a word: where a token is asked for, and how.
const NO_SECRETS: [&str; 7] = [
    "sasl.oauthbearer.token.endpoint.url",
    "sasl.oauthbearer.sub.claim.name",
    "enable.sasl.oauthbearer.unsecure.jwt",
    "basic.auth.credentials.source",
    "bearer.auth.credentials.source",
    "schema.registry.basic.auth.credentials.source",
    "schema.registry.bearer.auth.credentials.source",
];
/// What a value holds when it carries a secret whatever the setting is called, in lower case.
const SECRET_MARKS: [&str; 5] = [
    "-----begin",
    "sharedaccesskey",
    "password=",
    "password\"",
    "secret=",
];

/// Whether a setting of this name holds a secret by its meaning, in librdkafka's names or Java's.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    !NO_SECRETS.contains(&name.as_str()) && SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// Whether a setting must not be written to a file: by its name, or because its value plainly carries a secret
/// (a key, a login in an address).
pub fn is_secret_setting(name: &str, value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let has_login = value.split("://").skip(1).any(|rest| {
        rest.split(['/', ','])
            .next()
            .is_some_and(|host| host.contains('@'))
    });
    is_secret_name(name) || has_login || SECRET_MARKS.iter().any(|mark| value.contains(mark))
}

/// `address` when it is nothing but hosts and ports, separated by commas: whatever else stands there may be secret.
pub fn plain_address(address: &str) -> Option<String> {
    let is_plain = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| {
                c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']')
            })
    };
    let parts: Vec<&str> = address.split(',').map(str::trim).collect();
    let is_short = address.len() <= 1_000;
    (is_short && parts.iter().all(|part| is_plain(part))).then(|| parts.join(","))
}

/// `url` without a slash at its end when it is nothing but the address of something that speaks HTTP, with a path where
/// there is one: whatever else stands there, a login first of all, may be secret.
pub fn plain_url(url: &str) -> Option<String> {
    let url = url.trim().trim_end_matches('/');
    let (scheme, rest) = url.split_once("://")?;
    let (host, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '~' | '/');
    let has_scheme = matches!(scheme, "http" | "https");
    let has_host = !host.contains(',') && plain_address(host).is_some();
    let is_short = url.len() <= 1_000;
    (has_scheme && has_host && is_short && path.chars().all(is_plain)).then(|| url.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_by_their_names() {
        for name in [
            "sasl.password",
            "SASL.Password ",
            "ssl.key.password",
            "ssl.keystore.password",
            "ssl.truststore.password",
            "ssl.key.pem",
            "ssl.keystore.key",
            "ssl_key",
            "sasl.jaas.config",
            "sasl.oauthbearer.client.secret",
            "sasl.oauthbearer.config",
            "sasl.oauthbearer.assertion.private.key.passphrase",
            "basic.auth.user.info",
            "schema.registry.basic.auth.user.info",
            "bearer.auth.token",
            "schema.registry.ssl.keystore.key",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "security.protocol",
            "sasl.mechanism",
            "sasl.username",
            "ssl.ca.location",
            "ssl.key.location",
            "ssl.certificate.pem",
            "sasl.oauthbearer.token.endpoint.url",
            "client.id",
            "schema.registry.url",
            "basic.auth.credentials.source",
            "schema.registry.ssl.key.location",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn secrets_are_told_by_what_they_are() {
        for (name, value) in [
            ("ssl.ca.pem", "-----BEGIN PRIVATE KEY-----"),
            ("http.proxy", "http://alice:pw@proxy:80/"),
            ("schema.registry.url", "http://a:1,https://alice:pw@b:1/x"),
            ("note", "M required username=\"a\" password=\"b\";"),
            ("x", "Endpoint=sb://n/;SharedAccessKey=c2Vj"),
        ] {
            assert!(is_secret_setting(name, value), "{name}={value}");
        }
        for (name, value) in [
            ("sasl.username", "$ConnectionString"),
            ("sasl.username", "alice@example.com"),
            (
                "sasl.oauthbearer.token.endpoint.url",
                "https://login/t?x=a@b",
            ),
            ("ssl.ca.location", "/etc/ssl/ca.pem"),
        ] {
            assert!(!is_secret_setting(name, value), "{name}={value}");
        }
    }

    #[test]
    fn only_host_port_and_path_are_a_url() {
        for (url, plain) in [
            ("http://localhost:8081/", "http://localhost:8081"),
            (
                " https://r.example.com/apis/ccompat/v7 ",
                "https://r.example.com/apis/ccompat/v7",
            ),
            ("http://[::1]:8081", "http://[::1]:8081"),
        ] {
            assert_eq!(plain_url(url).as_deref(), Some(plain));
        }
        for other in [
            "",
            "localhost:8081",
            "ftp://a",
            "http://",
            "http:///x",
            "http://alice:secret@r:8081",
            "http://r:8081?token=secret",
            "http://r:8081/x#y",
            "http://r:8081,http://q:8081",
        ] {
            assert_eq!(plain_url(other), None, "{other}");
        }
    }

    #[test]
    fn only_hosts_and_ports_are_an_address() {
        assert_eq!(
            plain_address(" kafka-1.example.com:9092 , [::1]:9094").as_deref(),
            Some("kafka-1.example.com:9092,[::1]:9094")
        );
        for other in [
            "",
            "kafka:9092,",
            "alice:secret@kafka:9092",
            "kafka:9092 sasl.password=secret",
            "kafka:9092;password",
            "SASL_SSL://kafka:9092",
        ] {
            assert_eq!(plain_address(other), None, "{other}");
        }
    }
}
