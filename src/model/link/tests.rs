use super::*;

const TO: &str = "tideline://view?bootstrap=kafka-1:9092";

fn refused(text: &str) -> String {
    match ViewLink::parse(text) {
        Ok(link) => panic!("{text} was read: {link:?}"),
        Err(why) => why,
    }
}

fn full() -> ViewLink {
    ViewLink {
        to: LinkTo::Addresses("kafka-1:9092,[::1]:9093".to_owned()),
        topics: vec![
            ("orders".into(), None),
            ("payments".into(), Some(PartitionId(2))),
        ],
        names: "ord v2".to_owned(),
        group: Some(Text::from_bytes(&[0xff, b'&', b'g'])),
        span: Some(LinkSpan::Time(
            TimestampMs(-5),
            TimestampMs(1_796_043_720_000),
        )),
        shown: Some((TimestampMs(0), TimestampMs(60_000))),
        filters: vec![
            "jq:.value.amount > 100 and .key == \"ü&=#%\"".to_owned(),
            "text:a\tb".to_owned(),
        ],
        isolation: Some(Isolation::ReadCommitted),
        order: Some(LinkOrder {
            by_offset: true,
            descending: true,
        }),
        record: Some((TopicPartition::new("orders", 1), Offset(88_213))),
    }
}

#[test]
fn a_view_is_written_as_it_is_documented() {
    let text = full().write().unwrap();
    assert_eq!(
        text,
        "tideline://view?bootstrap=kafka-1:9092,%5B::1%5D:9093&topic=orders&topic=payments/2&names=ord%20v2\
         &group=%FF%26g&from=-5&to=1796043720000&left=0&right=60000\
         &filter=jq:.value.amount%20%3E%20100%20and%20.key%20%3D%3D%20%22%C3%BC%26%3D%23%25%22&filter=text:a%09b\
         &isolation=read_committed&order=-offset&record=orders/1/88213"
    );
    assert_eq!(ViewLink::parse(&text), Ok(full()));
    let by_name = ViewLink::new(LinkTo::Profile("live – EU".to_owned()));
    let text = by_name.write().unwrap();
    assert_eq!(text, "tideline://view?profile=live%20%E2%80%93%20EU");
    assert_eq!(ViewLink::parse(&text), Ok(by_name));
}

#[test]
fn offsets_of_partitions_are_sorted() {
    let text =
        format!("{TO}&offsets=b/0/5..9&offsets=a/12/0..1&offsets=a/2/7..9223372036854775807");
    let link = ViewLink::parse(&text).unwrap();
    let range = |topic: &str, partition, from, to| {
        (
            TopicPartition::new(topic, partition),
            Offset(from),
            Offset(to),
        )
    };
    let sorted = vec![
        range("a", 2, 7, i64::MAX),
        range("a", 12, 0, 1),
        range("b", 0, 5, 9),
    ];
    assert_eq!(link.span, Some(LinkSpan::Offsets(sorted)));
    assert_eq!(ViewLink::parse(&link.write().unwrap()), Ok(link));
}

#[test]
fn what_other_programs_make_of_a_link_is_understood() {
    let link = ViewLink::parse(TO).unwrap();
    for text in [
        "TIDELINE://View?bootstrap=kafka-1:9092",
        "tideline://view/?bootstrap=kafka-1:9092",
        "tideline://view?bootstrap=kafka%2d1%3A9092",
        "  tideline://view?bootstrap=kafka-1:9092\n",
    ] {
        assert_eq!(ViewLink::parse(text).as_ref(), Ok(&link), "{text}");
    }
    for text in ["tideline://", " Tideline:x", "tideline:"] {
        assert!(ViewLink::is_meant(text), "{text}");
    }
    for text in [
        "",
        "tideline",
        "https://tideline://",
        "orders/1/2",
        "tidelïne:",
    ] {
        assert!(!ViewLink::is_meant(text), "{text}");
    }
}

/// What may be put behind a sound link, and what is said of it.
const ODD_PARTS: &[(&str, &str)] = &[
    ("&password=x", "The link has a part “password”"),
    ("&Topic=x", "The link has a part “Topic”"),
    ("&-X=security.protocol%3DSSL", "The link has a part “-X”"),
    ("&", "Part 2 of the link is not NAME=VALUE"),
    ("&topic=a&hunter2", "Part 3 of the link is not NAME=VALUE"),
    ("&topic=%4", "“topic” of the link has a % without"),
    ("&topic=%", "“topic” of the link has a % without"),
    ("&topic=%zz", "“topic” of the link has a % without"),
    ("&topic=%+1", "“topic” of the link has a % without"),
    ("&topic=", "“topic” of the link is empty"),
    (
        "&topic=%00",
        "“topic” of the link holds a control character",
    ),
    (
        "&topic=a%20b",
        "“topic” of the link is not the name of a topic",
    ),
    (
        "&topic=/1",
        "“topic” of the link is not the name of a topic",
    ),
    (
        "&topic=a/x",
        "“topic” of the link has no number of a partition",
    ),
    (
        "&topic=a/-1",
        "“topic” of the link has no number of a partition",
    ),
    ("&topic=a/2147483648", "“topic” of the link has no number"),
    (
        "&topic=a/1/2",
        "“topic” of the link has no number of a partition",
    ),
    ("&topic=%ff", "“topic” of the link is not UTF-8"),
    (
        "&names=%1b%5b",
        "“names” of the link holds a control character",
    ),
    ("&group=", "“group” of the link is empty"),
    ("&group=a&group=b", "“group” of the link is given twice"),
    ("&from=1", "“from” of the link stands without “to”"),
    ("&to=1", "“to” of the link stands without “from”"),
    ("&from=2&to=2", "“from” of the link is not before “to”"),
    ("&from=now&to=2", "“from” of the link is not a whole number"),
    ("&from=+1&to=2", "“from” of the link is not a whole number"),
    ("&from=1e3&to=2", "“from” of the link is not a whole number"),
    (
        "&from=1&to=9223372036854775808",
        "“to” of the link is not a whole number",
    ),
    (
        "&left=5&right=4",
        "“left” of the link is not before “right”",
    ),
    (
        "&from=1&to=2&offsets=a/0/0..1",
        "a span of time and one of “offsets”",
    ),
    (
        "&offsets=a/0/0..1&offsets=a/0/3..4",
        "“offsets” of the link names a partition twice",
    ),
    (
        "&offsets=a/0/1..1",
        "“offsets” of the link ends before it begins",
    ),
    (
        "&offsets=a/0/1-2",
        "“offsets” of the link is not topic/partition/from..to",
    ),
    (
        "&offsets=a/0",
        "“offsets” of the link is not topic/partition/from..to",
    ),
    ("&offsets=a/0/-1..2", "“offsets” of the link has no offset"),
    ("&filter=", "“filter” of the link is empty"),
    ("&filter=%20", "“filter” of the link is empty"),
    (
        "&isolation=serializable",
        "“isolation” of the link is neither",
    ),
    ("&order=size", "“order” of the link is not time"),
    (
        "&record=a/1",
        "“record” of the link is not topic/partition/offset",
    ),
    ("&record=a/1/2/3", "“record” of the link has no offset"),
    ("&record=a/1/-2", "“record” of the link has no offset"),
    (
        "&record=a/1/9223372036854775808",
        "“record” of the link has no offset",
    ),
    ("&profile=live", "both “profile” and “bootstrap”"),
    ("&bootstrap=b:1", "“bootstrap” of the link is given twice"),
    ("#x", "A link has nothing behind a #"),
    ("&topic=ä", "A link consists of ASCII"),
    ("&topic=a b", "A link consists of ASCII"),
];

#[test]
fn what_does_not_belong_into_a_link_is_refused_and_named() {
    for (rest, why) in ODD_PARTS {
        let said = refused(&format!("{TO}{rest}"));
        assert!(said.contains(why), "{rest}: {said}");
    }
    for (text, why) in [
        ("tideline://view", "A link begins with tideline://view?"),
        ("tideline:view?profile=a", "A link begins with"),
        ("tideline://alice:pw@view?profile=a", "A link begins with"),
        ("tideline://run?profile=a", "A link begins with"),
        ("https://example.com", "This is no link of Tideline"),
        ("", "This is no link of Tideline"),
        ("tideline://view?", "Part 1 of the link is not NAME=VALUE"),
        ("tideline://view?topic=a", "The link leads nowhere"),
        ("tideline://view?profile=", "“profile” of the link is empty"),
        (
            "tideline://view?profile=a%0ab",
            "“profile” of the link holds a control character",
        ),
    ] {
        let said = refused(text);
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[test]
fn addresses_hold_no_login_and_no_setting_and_no_value_is_repeated() {
    for hostile in [
        "alice:hunter2@kafka:9092",
        "kafka:9092@hunter2",
        "SASL_SSL://hunter2:9092",
        "kafka:9092;sasl.password=hunter2",
        "kafka:9092%0asasl.password%3Dhunter2",
        "kafka:9092,%20-X%20sasl.password%3Dhunter2",
        "kafka:9092/hunter2",
        "kafka:hunter2",
        "%24%7Bhunter2%7D:9092",
        "%60hunter2%60",
        "..%2Fhunter2",
    ] {
        let said = refused(&format!("tideline://view?bootstrap={hostile}"));
        assert!(
            said.starts_with("“bootstrap” of the link"),
            "{hostile}: {said}"
        );
        assert!(!said.contains("hunter2"), "{hostile}: {said}");
    }
    let link = ViewLink::new(LinkTo::Addresses("alice:hunter2@kafka:9092".to_owned()));
    let why = link.write().unwrap_err();
    assert!(!why.contains("hunter2"), "{why}");
}

#[test]
fn a_link_is_bounded_and_a_larger_view_is_not_written() {
    let fits = format!("{TO}&filter={}", "a".repeat(LONGEST_LINK - TO.len() - 8));
    assert_eq!(fits.len(), LONGEST_LINK);
    assert!(ViewLink::parse(&fits).is_ok());
    assert!(refused(&format!("{fits}a")).contains("16 KiB"));
    let mut view = full();
    view.topics = (0..2_000)
        .map(|number| (format!("topic-{number}").into(), None))
        .collect();
    assert!(view.write().unwrap_err().contains("16 KiB"));
    let filters = "&filter=a".repeat(51);
    assert!(refused(&format!("{TO}{filters}")).contains("more than 50 filters"));
    let name = "n".repeat(5_000);
    assert!(refused(&format!("{TO}&{name}=1")).len() < 200);
    assert!(refused(&format!("{TO}&topic={}", "t".repeat(250))).contains("name of a topic"));
    assert!(refused(&format!("tideline://view?profile={name}")).contains("longer than"));
}

/// Made-up numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn text(&mut self, odd: bool) -> String {
        const PLAIN: [char; 8] = ['a', 'Z', '0', '.', '-', '_', 'k', '7'];
        const ODD: [char; 16] = [
            ' ', '%', '&', '=', '#', '+', '?', '/', '"', '\'', '$', '`', 'é', '群', '🦀',
            '\u{202e}',
        ];
        let length = self.below(12) + 1;
        let letters = (0..length).map(|_| {
            let index = usize::try_from(self.below(16)).unwrap();
            if odd && self.coin() {
                ODD[index]
            } else {
                PLAIN[index % 8]
            }
        });
        // Never blank as a whole.
        letters.chain(['x']).collect()
    }

    fn offset(&mut self) -> i64 {
        i64::try_from(self.below(1 << 62)).unwrap()
    }

    fn at(&mut self) -> TopicPartition {
        let partition = i32::try_from(self.below(1 << 31)).unwrap();
        TopicPartition::new(self.text(false), partition)
    }

    fn times(&mut self) -> (TimestampMs, TimestampMs) {
        let from = self.offset() - (1 << 61);
        let length = i64::try_from(self.below(1 << 40)).unwrap() + 1;
        (TimestampMs(from), TimestampMs(from + length))
    }

    fn link(&mut self) -> ViewLink {
        let to = if self.coin() {
            LinkTo::Profile(self.text(true))
        } else {
            let port = self.below(65_535) + 1;
            LinkTo::Addresses(format!("h{}:{port},[::{port:x}]", self.text(false)))
        };
        let mut link = ViewLink::new(to);
        for _ in 0..self.below(4) {
            let at = self.at();
            link.topics
                .push((at.topic, self.coin().then_some(at.partition)));
        }
        for _ in 0..self.below(4) {
            link.filters.push(self.text(true));
        }
        if self.coin() {
            link.names = self.text(true);
        }
        if self.coin() {
            let bytes = (0..=self.below(20)).map(|_| u8::try_from(self.below(256)).unwrap());
            link.group = Some(Text::from_bytes(&bytes.collect::<Vec<u8>>()));
        }
        link.span = match self.below(3) {
            0 => None,
            1 => {
                let (from, to) = self.times();
                Some(LinkSpan::Time(from, to))
            }
            _ => {
                let mut ranges: Vec<LinkRange> = (0..=self.below(5))
                    .map(|_| {
                        let from = self.offset();
                        (self.at(), Offset(from), Offset(from + 1))
                    })
                    .collect();
                ranges.sort();
                ranges.dedup_by(|a, b| a.0 == b.0);
                Some(LinkSpan::Offsets(ranges))
            }
        };
        if self.coin() {
            link.shown = Some(self.times());
        }
        if self.coin() {
            link.isolation = Some(Isolation::ReadUncommitted);
        }
        if self.coin() {
            link.order = Some(LinkOrder {
                by_offset: self.coin(),
                descending: self.coin(),
            });
        }
        if self.coin() {
            link.record = Some((self.at(), Offset(self.offset())));
        }
        link
    }
}

#[test]
fn every_view_comes_back_as_it_was() {
    let mut numbers = Numbers(0x71de_11e5);
    for _ in 0..5_000 {
        let link = numbers.link();
        let text = link.write().unwrap_or_else(|why| panic!("{why}: {link:?}"));
        assert!(
            text.is_ascii() && !text.contains(['"', '\'', ' ', '$', '`', '\\']),
            "{text}"
        );
        assert_eq!(ViewLink::parse(&text), Ok(link), "{text}");
    }
}

#[test]
fn whatever_is_done_to_a_link_it_is_read_or_refused() {
    let mut numbers = Numbers(0x0bad_1111);
    let sound = full().write().unwrap();
    let mut read = 0;
    for _ in 0..20_000 {
        let mut bytes = sound.clone().into_bytes();
        for _ in 0..=numbers.below(3) {
            let length = u64::try_from(bytes.len()).unwrap();
            let index = usize::try_from(numbers.below(length)).unwrap();
            let byte = u8::try_from(numbers.below(256)).unwrap();
            match numbers.below(3) {
                0 => bytes[index] = byte,
                1 => bytes.insert(index, byte),
                _ => bytes.truncate(index.max(1)),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match ViewLink::parse(&text) {
            Ok(link) => {
                read += 1;
                assert_eq!(ViewLink::parse(&link.write().unwrap()), Ok(link), "{text}");
            }
            Err(why) => assert!(!why.is_empty() && why.len() < 300, "{why}"),
        }
    }
    assert!(read > 100, "{read}");
}
