//! Real Kafka brokers, started from the jars that `.ci/test` fetches. Each kind is shared by all tests of a binary.

use super::process::{Supervised, new_folder};
use super::tls::Certificates;
use super::wait_for;
use base64::Engine as _;
use parking_lot::Mutex;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::{ClientConfig, TopicPartitionList};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

/// The host that the listener `ELSEWHERE` of [`Kafka::one_node`] tells its clients to go to. It does not exist.
pub const ELSEWHERE_HOST: &str = "broker-1.invalid";
/// The port that it tells them.
pub const ELSEWHERE_PORT: u16 = 9092;

/// A user of [`Kafka::secured`] who may do everything, by PLAIN and by SCRAM.
pub const ALICE: (&str, &str) = ("alice", "alice-s3cret");
/// A user who may do nothing at all.
pub const BOB: (&str, &str) = ("bob", "bob-s3cret");
/// The user name that Azure Event Hubs has everybody use, with a connection string as password.
pub const CONNECTION_STRING: (&str, &str) = (
    "$ConnectionString",
    "Endpoint=sb://tideline.example/;SharedAccessKeyName=root;SharedAccessKey=c2VjcmV0",
);

/// A running cluster.
pub struct Kafka {
    nodes: Vec<Node>,
    cluster_id: String,
    certificates: Option<Certificates>,
}

struct Node {
    id: i32,
    ports: Vec<(&'static str, u16)>,
    process: Mutex<Supervised>,
}

/// The jars' folder, which `.ci/test` fills.
pub fn jars() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(
        || Path::new(&std::env::var_os("HOME").expect("HOME is set")).join(".cache"),
        PathBuf::from,
    );
    let folder = cache.join("tideline/kafka-4.4.0");
    assert!(
        folder.is_dir(),
        "no Kafka in {}: run .ci/test, which fetches it",
        folder.display()
    );
    folder
}

/// `java` with the jars and with what makes short runs quick.
pub fn java(heap: &str) -> Vec<OsString> {
    let mut class_path = jars().into_os_string();
    class_path.push("/*");
    let mut words: Vec<OsString> = [
        "java",
        heap,
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-Xshare:auto",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
        "-cp",
    ]
    .map(OsString::from)
    .to_vec();
    words.push(class_path);
    words
}

impl Kafka {
    /// One broker on a plain listener, plus the listener `ELSEWHERE`, which sends clients to an address that is not there.
    /// Topics that are asked for come into being: looking must not cause that.
    pub fn one_node() -> &'static Self {
        static KAFKA: LazyLock<Kafka> = LazyLock::new(|| {
            let listeners = [
                Listener::plain("PLAINTEXT"),
                Listener {
                    advertised: Some((ELSEWHERE_HOST, ELSEWHERE_PORT)),
                    ..Listener::plain("ELSEWHERE")
                },
            ];
            Kafka::start(1, &listeners, "auto.create.topics.enable=true\n", None)
        });
        &KAFKA
    }

    /// One broker on a plain listener, plus the listener `PROXIED`, which sends clients to [`proxy_port`]. Topics that
    /// are asked for come into being, and groups that changes name.
    pub fn proxied() -> &'static Self {
        static KAFKA: LazyLock<Kafka> = LazyLock::new(|| {
            let listeners = [
                Listener::plain("PLAINTEXT"),
                Listener {
                    advertised: Some(("127.0.0.1", proxy_port())),
                    ..Listener::plain("PROXIED")
                },
            ];
            Kafka::start(1, &listeners, "auto.create.topics.enable=true\n", None)
        });
        &KAFKA
    }

    /// One broker on a plain listener that asks an authorizer. Everybody may do what no rule is about.
    pub fn guarded() -> &'static Self {
        static KAFKA: LazyLock<Kafka> = LazyLock::new(|| {
            let more = "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\nallow.everyone.if.no.acl.found=true\n";
            Kafka::start(1, &[Listener::plain("PLAINTEXT")], more, None)
        });
        &KAFKA
    }

    /// Two brokers. Node 1 is the controller too, so that node 2 can die: see [`Kafka::kill_node`].
    pub fn two_nodes() -> &'static Self {
        static KAFKA: LazyLock<Kafka> = LazyLock::new(|| {
            let more = "auto.create.topics.enable=true\nbroker.session.timeout.ms=3000\nbroker.heartbeat.interval.ms=500\n";
            Kafka::start(2, &[Listener::plain("PLAINTEXT")], more, None)
        });
        &KAFKA
    }

    /// One broker with a plain listener for setting up, and `SASL_SSL`, `SASL_PLAINTEXT` (PLAIN and SCRAM) and `SSL` (which
    /// demands a client certificate). [`ALICE`] and `CN=carol` may do everything, [`BOB`] nothing.
    pub fn secured() -> &'static Self {
        static KAFKA: LazyLock<Kafka> = LazyLock::new(|| {
            let listeners =
                ["PLAINTEXT", "SASL_SSL", "SSL", "SASL_PLAINTEXT"].map(|name| Listener {
                    protocol: name,
                    ..Listener::plain(name)
                });
            let certificates = Certificates::make(new_folder());
            Kafka::start(1, &listeners, &security(&certificates), Some(certificates))
        });
        &KAFKA
    }

    fn start(
        count: i32,
        listeners: &[Listener],
        more: &str,
        certificates: Option<Certificates>,
    ) -> Self {
        let id_bytes: [u8; 16] = std::array::from_fn(|_| fastrand::u8(..));
        let cluster_id = base64::engine::general_purpose::URL_SAFE_NO_PAD
            .encode(id_bytes)
            .replace('-', "A");
        let controller_port = free_port();
        let starting: Vec<_> = (1..=count)
            .map(|id| {
                let ports: Vec<_> = listeners
                    .iter()
                    .map(|listener| (listener.name, free_port()))
                    .collect();
                let text = properties(id, controller_port, listeners, &ports) + more;
                let cluster_id = cluster_id.clone();
                let scram = certificates.is_some();
                // The certificates' folder is the broker's, so that they go when it goes.
                let folder = certificates
                    .as_ref()
                    .map_or_else(new_folder, |made| made.folder.clone());
                // Each node costs two starts of a Java machine: side by side.
                let thread = std::thread::Builder::new().name(format!("start-node-{id}"));
                thread
                    .spawn(move || Node::start(id, folder, ports, &text, &cluster_id, scram))
                    .unwrap()
            })
            .collect();
        let nodes = starting
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        let kafka = Self {
            nodes,
            cluster_id,
            certificates,
        };
        kafka.wait_for_nodes(usize::try_from(count).unwrap());
        kafka.wait_for_coordinators();
        kafka
    }

    /// Waits until groups can be asked for: the topic that keeps their offsets comes into being with the first question.
    fn wait_for_coordinators(&self) {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", self.bootstrap())
            .set("group.id", "never-committed-by-the-tests");
        let client: BaseConsumer = config.create().unwrap();
        wait_for("the group coordinators", || {
            let mut nothing = TopicPartitionList::new();
            nothing.add_partition("none", 0);
            client
                .committed_offsets(nothing, Duration::from_secs(5))
                .ok()?;
            let groups = client.fetch_group_list(None, Duration::from_secs(5)).ok()?;
            groups.groups().is_empty().then_some(())
        });
    }

    /// Waits until a metadata answer names so many brokers.
    pub fn wait_for_nodes(&self, count: usize) {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", self.bootstrap())
            .set("reconnect.backoff.max.ms", "200");
        let client: BaseConsumer = config.create().unwrap();
        wait_for("the brokers", || {
            for node in &self.nodes {
                let mut process = node.process.lock();
                assert!(
                    node.id != 1 || process.is_alive(),
                    "node 1 has ended: {}",
                    process.last_words()
                );
            }
            let answer = client.fetch_metadata(None, Duration::from_secs(1)).ok()?;
            (answer.brokers().len() == count).then_some(())
        });
    }

    /// `127.0.0.1:PORT` of node 1's plain listener.
    pub fn bootstrap(&self) -> String {
        self.listener("PLAINTEXT")
    }

    /// The same for another listener by its name.
    pub fn listener(&self, name: &str) -> String {
        let port = self.port(1, name);
        format!("127.0.0.1:{port}")
    }

    pub fn port(&self, node: i32, listener: &str) -> u16 {
        let ports = &self.node(node).ports;
        ports
            .iter()
            .find(|(name, _)| *name == listener)
            .expect("no such listener")
            .1
    }

    pub fn cluster_id(&self) -> &str {
        &self.cluster_id
    }

    pub fn certificates(&self) -> &Certificates {
        self.certificates
            .as_ref()
            .expect("only the secured cluster has certificates")
    }

    /// Kills a broker without warning.
    pub fn kill_node(&self, id: i32) {
        self.node(id).process.lock().kill();
    }

    /// Starts it again with the data that it had.
    pub fn restart_node(&self, id: i32) {
        self.node(id).process.lock().start();
    }

    fn node(&self, id: i32) -> &Node {
        self.nodes
            .iter()
            .find(|node| node.id == id)
            .expect("no such node")
    }
}

impl Node {
    fn start(
        id: i32,
        folder: PathBuf,
        ports: Vec<(&'static str, u16)>,
        properties: &str,
        cluster_id: &str,
        scram: bool,
    ) -> Self {
        let file = folder.join("server.properties");
        std::fs::write(
            &file,
            format!("{properties}log.dirs={}\n", folder.join("log").display()),
        )
        .unwrap();

        let mut format: Vec<OsString> = java("-Xmx256m");
        format.extend(
            ["kafka.tools.StorageTool", "format", "-t", cluster_id, "-c"].map(OsString::from),
        );
        format.push(file.clone().into());
        if scram {
            for (mechanism, (name, password)) in [
                ("SCRAM-SHA-256", ALICE),
                ("SCRAM-SHA-512", ALICE),
                ("SCRAM-SHA-512", BOB),
            ] {
                format.push("--add-scram".into());
                format.push(format!("{mechanism}=[name={name},password={password}]").into());
            }
        }
        let output = Command::new(&format[0])
            .args(&format[1..])
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "format: {}",
            String::from_utf8_lossy(&output.stderr)
        );

        let mut broker = java("-Xmx384m");
        broker.extend(["kafka.Kafka".into(), file.into()]);
        let mut process = Supervised::new(folder, broker);
        process.start();
        Self {
            id,
            ports,
            process: Mutex::new(process),
        }
    }
}

struct Listener {
    name: &'static str,
    protocol: &'static str,
    advertised: Option<(&'static str, u16)>,
}

impl Listener {
    fn plain(name: &'static str) -> Self {
        Self {
            name,
            protocol: "PLAINTEXT",
            advertised: None,
        }
    }
}

fn properties(
    id: i32,
    controller_port: u16,
    listeners: &[Listener],
    ports: &[(&str, u16)],
) -> String {
    let bound: Vec<String> = ports
        .iter()
        .map(|(name, port)| format!("{name}://127.0.0.1:{port}"))
        .collect();
    let advertised: Vec<String> = listeners
        .iter()
        .zip(ports)
        .map(|(listener, (name, port))| {
            let (host, port) = listener.advertised.unwrap_or(("127.0.0.1", *port));
            format!("{name}://{host}:{port}")
        })
        .collect();
    let protocols: Vec<String> = listeners
        .iter()
        .map(|listener| format!("{}:{}", listener.name, listener.protocol))
        .collect();
    let (roles, controller) = if id == 1 {
        (
            "broker,controller",
            format!(",CONTROLLER://127.0.0.1:{controller_port}"),
        )
    } else {
        ("broker", String::new())
    };
    let mut text = String::new();
    writeln!(text, "process.roles={roles}\nnode.id={id}").unwrap();
    writeln!(text, "controller.quorum.voters=1@127.0.0.1:{controller_port}\ncontroller.listener.names=CONTROLLER").unwrap();
    writeln!(
        text,
        "listeners={}{controller}\nadvertised.listeners={}",
        bound.join(","),
        advertised.join(",")
    )
    .unwrap();
    writeln!(
        text,
        "listener.security.protocol.map=CONTROLLER:PLAINTEXT,{}",
        protocols.join(",")
    )
    .unwrap();
    writeln!(text, "inter.broker.listener.name=PLAINTEXT").unwrap();
    text.push_str(
        "offsets.topic.replication.factor=1\n\
         offsets.topic.num.partitions=5\n\
         transaction.state.log.replication.factor=1\n\
         transaction.state.log.min.isr=1\n\
         transaction.state.log.num.partitions=2\n\
         share.coordinator.state.topic.replication.factor=1\n\
         share.coordinator.state.topic.min.isr=1\n\
         share.coordinator.state.topic.num.partitions=2\n\
         group.initial.rebalance.delay.ms=0\n\
         log.retention.check.interval.ms=1000\n\
         log.initial.task.delay.ms=500\n\
         log.cleaner.backoff.ms=500\n",
    );
    text
}

fn security(certificates: &Certificates) -> String {
    let module = "org.apache.kafka.common.security.plain.PlainLoginModule required";
    let users: Vec<String> = [ALICE, BOB, CONNECTION_STRING]
        .iter()
        .map(|(name, password)| format!("user_{name}=\"{password}\""))
        .collect();
    let users = users.join(" ");
    let mut text = format!(
        "sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512\n\
         ssl.keystore.type=PEM\n\
         ssl.keystore.location={}\n\
         ssl.truststore.type=PEM\n\
         ssl.truststore.location={}\n\
         listener.name.ssl.ssl.client.auth=required\n\
         authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\n\
         super.users=User:ANONYMOUS;User:alice;User:$ConnectionString;User:CN=carol\n\
         allow.everyone.if.no.acl.found=false\n",
        certificates.broker.display(),
        certificates.ca.display()
    );
    for listener in ["sasl_ssl", "sasl_plaintext"] {
        writeln!(
            text,
            "listener.name.{listener}.plain.sasl.jaas.config={module} {users};"
        )
        .unwrap();
        for mechanism in ["scram-sha-256", "scram-sha-512"] {
            writeln!(
                text,
                "listener.name.{listener}.{mechanism}.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;"
            )
            .unwrap();
        }
    }
    text
}

/// Where the listener `PROXIED` of [`Kafka::proxied`] sends its clients: a test listens there.
pub fn proxy_port() -> u16 {
    static PORT: LazyLock<u16> = LazyLock::new(free_port);
    *PORT
}

/// Below the range from which the system gives outgoing connections their ports, so that none of those takes it first;
/// one after the other, so that none is given twice.
pub fn free_port() -> u16 {
    static NEXT: LazyLock<AtomicU16> =
        LazyLock::new(|| AtomicU16::new(fastrand::u16(12_000..30_000)));
    loop {
        let port = NEXT.fetch_add(1, Ordering::Relaxed);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
