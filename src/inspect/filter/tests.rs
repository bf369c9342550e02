use bytes::Bytes;

use super::*;
use crate::decode::value::{Format, Shape};
use crate::model::{Header, Offset, PartitionId, Text, TimestampMs, Visibility};

/// Everything that begins like JSON is JSON.
struct Plain;

impl Decode for Plain {
    fn decode(&self, record: &Record, part: Part) -> Decoded {
        let bytes = match part {
            Part::Key => record.key.as_deref(),
            Part::Value => record.value.as_deref(),
        };
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        let is_json = text.is_some_and(|text| text.starts_with(['{', '[', '-', '"']));
        Decoded {
            format: if is_json { Format::Json } else { Format::Text },
            evidence: String::new(),
            text: text.map(str::to_owned),
            shape: if is_json { Shape::Json } else { Shape::Text },
            error: None,
            needs: None,
        }
    }
}

fn record(value: Option<&[u8]>) -> Record {
    let header = |name: &str, value: Option<&'static [u8]>| Header {
        name: Text::from(name),
        value: value.map(Bytes::from_static),
    };
    Record {
        topic: "orders".into(),
        partition: PartitionId(3),
        offset: Offset(9_007_199_254_740_993),
        timestamp: Some(TimestampMs(1_000)),
        timestamp_type: None,
        key: Some(Bytes::from_static(b"k1")),
        value: value.map(Bytes::copy_from_slice),
        headers: vec![
            header("h", Some(b"1")),
            header("h", Some(b"2")),
            header("null", None),
            header("empty", Some(b"")),
        ],
        leader_epoch: None,
        visibility: Visibility::Committed,
    }
}

fn filters(written: &str) -> Filters {
    Filters::parse(&[written.to_owned()]).unwrap_or_else(|error| panic!("{written}: {error:?}"))
}

fn keeps(written: &str, value: &str) -> Result<bool, String> {
    let record = record(Some(value.as_bytes()));
    let filters = filters(written);
    let kept = filters.matches(&record, &Plain);
    if kept == Ok(true) {
        assert!(filters.passes(record.key.as_deref(), record.value.as_deref()));
    }
    kept
}

#[test]
fn each_kind_keeps_what_it_says() {
    for (written, value, wanted) in [
        ("text:paid", "is paid.", true),
        ("text:Paid", "is paid.", false),
        ("itext:pAID", "is Paid.", true),
        ("itext:ÄÖÜ", "xäöüx", true),
        ("itext:straße", "STRASSE", false),
        ("itext:straße", "STRAẞE", true),
        ("itext:key", "\u{212a}EY", true),
        ("itext:ς", "Σ", true),
        ("regex:^a.c$", "abc", true),
        ("regex:^a.c$", "abcd", false),
        ("key:k1", "", true),
        ("key:k", "", false),
        ("header:h=2", "", true),
        ("header:h=3", "", false),
        ("header:empty=", "", true),
        ("header:null=", "", false),
        ("header:H=2", "", false),
        ("field:.a.b=x=y", r#"{"a":{"b":"x\u003dy"}}"#, true),
        (r#"field:."a=b"=1"#, r#"{"a=b":1}"#, true),
        ("field:.a=1.0", r#"{"a":1}"#, true),
        (
            "field:.a=9007199254740993",
            r#"{"a":9007199254740992}"#,
            false,
        ),
        ("field:.a=null", r#"{"a":null}"#, true),
        ("field:.a=null", "{}", false),
        ("field:.l[1]=true", r#"{"l":[0,true]}"#, true),
    ] {
        assert_eq!(keeps(written, value), Ok(wanted), "{written} {value}");
    }
}

#[test]
fn expressions_see_the_record_exactly() {
    let value = r#"{"n":9007199254740993,"d":12345678901234567.89,"s":"x","a":1,"a":2}"#;
    for (expression, wanted) in [
        (".value.n == 9007199254740993", true),
        (".value.n == 9007199254740992", false),
        (".value.n == 9007199254740992.0", false),
        (".value.d == 12345678901234567.89", true),
        (".value.d == 12345678901234567.88", false),
        (".value.d > 12345678901234567.88", true),
        (".offset == 9007199254740993", true),
        (
            ".topic == \"orders\" and .partition == 3 and .timestamp_ms == 1000",
            true,
        ),
        (".key == \"k1\" and .key_text == \"k1\"", true),
        (".value.a == 2", true),
        (
            ".headers == [[\"h\",\"1\"],[\"h\",\"2\"],[\"null\",null],[\"empty\",\"\"]]",
            true,
        ),
        ("any(.headers[]; .[0] == \"h\" and .[1] == \"2\")", true),
        (".value_text | test(\"9007\")", true),
        (".value.s + \"y\" == \"xy\"", true),
        ("\"\\(.value.s)-\\(.partition)\" == \"x-3\"", true),
        (".value | (.z += 2) | .z == 2", true),
        ("[range(3)] == [0,1,2]", true),
        ("[range(5; 0; -2)] == [5,3,1]", true),
        ("def f(x): x * 2; f(4) == 8", true),
        ("first(range(1e12)) == 0", true),
        ("-9223372036854775808 | length == 9223372036854775808", true),
        ("[.value.n] | length == 1", true),
        ("reduce range(4) as $i (0; . + $i) == 6", true),
        ("\"[1,2]\" | fromjson == [1,2]", true),
        ("false, null, 0", true),
        ("false, null", false),
        ("empty", false),
    ] {
        let written = format!("jq:{expression}");
        assert_eq!(keeps(&written, value), Ok(wanted), "{expression}");
    }
}

#[test]
fn endless_and_greedy_expressions_come_to_an_end() {
    for expression in [
        "[range(1e12)]",
        "last(range(1e12))",
        "last(repeat(.))",
        "def f: f; f",
        "def f: 1 + f; f",
        "def f: try f catch f; f",
        "[limit(1e12; repeat(1))]",
        "\"x\" * 1000000000000000",
        "reduce range(99) as $i (\"x\"; . + .)",
        "reduce range(99) as $i (\"x\"; \"\\(.)\\(.)\")",
        "reduce range(99) as $i ([1]; . + .)",
        "reduce range(99) as $i ([1]; [.[], .[]])",
        "reduce range(99) as $i (3; . * .) | . == 0",
        "[range(100000)] | map(\"[\") | add | fromjson",
        "halt",
        "env",
        "error(\"no\")",
        "1 | .a",
    ] {
        let kept = keeps(&format!("jq:{expression}"), "{}");
        assert!(kept.is_err(), "{expression}: {kept:?}");
    }
    let nested = "reduce range(1000000) as $i (1; [.])";
    assert!(keeps(&format!("jq:{nested}"), "{}").is_err());
}

#[test]
fn errors_stand_at_their_place() {
    for (written, at) in [
        ("paid", 0..4),
        ("txt:paid", 0..3),
        ("text:", 5..5),
        ("regex:a(b", 7..8),
        ("regex:ä[z-a]", 9..12),
        ("header:name", 11..11),
        ("field:.a", 8..8),
        ("field:.a..b=1", 8..11),
        ("jq:.a | nope", 8..12),
        ("jq:.a | $x", 8..10),
        ("jq:.a |", 7..7),
        ("jq:(.a", 6..6),
        ("jq:.a § 1", 6..8),
        ("jq:$ENV", 3..7),
        ("jq:input", 3..8),
    ] {
        let error = Filters::parse(&["text:a".to_owned(), written.to_owned()]).unwrap_err();
        assert_eq!(
            (error.filter, error.at.clone()),
            (1, at),
            "{written}: {error}"
        );
        assert!(error.message.ends_with('.'), "{error}");
    }
    assert!(Filters::parse(&["jq:import \"a\" as a; .".to_owned()]).is_err());
    assert!(Filters::parse(&[format!("jq:{}", "(".repeat(16_000))]).is_err());
    assert!(Filters::parse(&["regex:(a{1000}){1000}".to_owned()]).is_err());
}

#[test]
fn hostile_values_are_answered() {
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    assert!(keeps("jq:.value", &deep).is_err());
    assert_eq!(keeps("field:.a=1", &deep), Ok(false));
    let null = record(None);
    for (written, wanted) in [
        ("text:a", false),
        ("itext:a", false),
        ("regex:a*", false),
        ("jq:.value == null and .value_text == null", true),
    ] {
        assert_eq!(
            filters(written).matches(&null, &Plain),
            Ok(wanted),
            "{written}"
        );
    }
    let odd = record(Some(b"\xff\xfea\x00"));
    assert_eq!(filters("text:a").matches(&odd, &Plain), Ok(true));
    assert_eq!(filters("itext:A").matches(&odd, &Plain), Ok(true));
    assert_eq!(
        filters("jq:.value | contains(\"a\")").matches(&odd, &Plain),
        Ok(true)
    );
}

#[test]
fn filters_are_combined_by_and() {
    let both = |a: &str, b: &str| Filters::parse(&[a.to_owned(), b.to_owned()]).unwrap();
    let record = record(Some(b"{\"a\":1}"));
    assert_eq!(
        both("jq:error", "text:b").matches(&record, &Plain),
        Ok(false)
    );
    assert_eq!(
        both("key:k1", "field:.a=1").matches(&record, &Plain),
        Ok(true)
    );
    assert!(both("key:k1", "itext:a").is_sieve_enough());
    assert!(!both("key:k1", "header:a=b").is_sieve_enough());
    assert!(Filters::parse(&[]).unwrap().is_sieve_enough());
}

#[test]
fn any_case_agrees_with_a_plain_comparison() {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % 1_000_003).unwrap() % below
    };
    let letters = [
        'a', 'A', 'b', 'B', 'k', 'K', 's', 'S', '1', '"', 'ä', 'Ä', '\u{212a}', '\u{17f}',
    ];
    let fold = |text: &str| -> String {
        text.chars()
            .map(|c| match c {
                '\u{212a}' => 'k',
                '\u{17f}' => 's',
                c => c.to_lowercase().next().unwrap(),
            })
            .collect()
    };
    let mut found = 0;
    for _ in 0..5_000 {
        let word: String = (0..=next(3))
            .map(|_| letters[next(letters.len())])
            .collect();
        let text: String = (0..next(14))
            .map(|_| letters[next(letters.len())])
            .collect();
        let naive = fold(&text).contains(&fold(&word));
        found += usize::from(naive);
        let filters = filters(&format!("itext:{word}"));
        assert_eq!(
            filters.passes(None, Some(text.as_bytes())),
            naive,
            "{word} {text}"
        );
    }
    assert!((500..4_500).contains(&found), "{found}");
}

#[test]
fn a_worker_needs_no_thread_for_each_record() {
    std::thread::scope(|scope| {
        let worker = worker(scope, "test", || keeps("jq:.value.a == 1", r#"{"a":1}"#)).unwrap();
        assert_eq!(worker.join().unwrap(), Ok(true));
    });
}

#[test]
fn patterns_in_expressions_find_what_they_say() {
    let value = r#"{"text":"ab Ünï ab","list":"a,b,,c"}"#;
    for expression in [
        r#".value.text | test("N"; "i")"#,
        r#".value.text | test("N") | not"#,
        r#"[.value.text | scan("a.")] == ["ab", "ab"]"#,
        r#"[.value.text | scan("(a)(b)")] == [["a", "b"], ["a", "b"]]"#,
        r#"[.value.text | match("ab"; "g").offset] == [0, 7]"#,
        r#".value.text | match("Ün(?<end>.)") | .length == 3 and .captures[0].name == "end" and .captures[0].offset == 5"#,
        r#"(.value.text | capture("(?<first>\\w+) (?<second>\\w+)")) == {first: "ab", second: "Ünï"}"#,
        r#"[.value.list | splits(",")] == ["a", "b", "", "c"]"#,
        r#"(.value.list | split(", *"; null)) == ["a", "b", "", "c"]"#,
        r#"(.value.text | sub("ab"; "x")) == "x Ünï ab""#,
        r#"(.value.text | gsub("(?<l>[ab])"; "<\(.l)>")) == "<a><b> Ünï <a><b>""#,
        r#"(.value.text | gsub(""; "-") | length) == 19"#,
        r#"[.value.text | scan("x*"; "gn")] == []"#,
    ] {
        assert_eq!(
            keeps(&format!("jq:{expression}"), value),
            Ok(true),
            "{expression}"
        );
    }
    for (expression, why) in [
        (r#".value | test("a")"#, "text"),
        (r#".value.text | test("(")"#, "regex"),
        (r#".value.text | test("a"; "q")"#, "flag"),
    ] {
        let error = keeps(&format!("jq:{expression}"), value).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn matches_of_hostile_texts_are_bounded() {
    let long = format!("\"{}\"", "x".repeat(700_000));
    for expression in [
        r#"[.value | scan(".")] | length"#,
        r#".value | gsub("x"; "y")"#,
        r#"[.value | splits("")] | length"#,
        r#"[.value | match("x"; "g")] | length"#,
    ] {
        let error = keeps(&format!("jq:{expression}"), &long).unwrap_err();
        assert!(error.contains("too many matches"), "{expression}: {error}");
    }
    assert_eq!(keeps(r#"jq:.value | test("x$")"#, &long), Ok(true));
    // Bytes that are no UTF-8 count as a character each piece, wherever a match begins.
    let odd = record(Some(b"\xff\xf0\x9fa\xe2\x28b"));
    let matches = |expression: &str| filters(expression).matches(&odd, &Plain);
    assert_eq!(
        matches(r#"jq:.value_text | match("b").offset > 3"#),
        Ok(true)
    );
    assert_eq!(
        matches(r#"jq:[.value_text | scan("[ab]")] | length == 2"#),
        Ok(true)
    );
}

#[test]
fn letters_that_need_quotes_are_said_to() {
    let error = Filters::parse(&["jq:.größe".to_owned()]).unwrap_err();
    assert!(error.message.contains("quotes"), "{error}");
    assert_eq!(error.at, 6..8);
    let error = Filters::parse(&["jq:.a & .b".to_owned()]).unwrap_err();
    assert_eq!(
        (error.message.as_str(), error.at),
        ("This cannot stand here.", 6..7)
    );
}
