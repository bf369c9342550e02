use super::*;

fn found(text: &str, path: &str) -> Option<(Kind, String, bool)> {
    let field = find(text, &Path::parse(path).unwrap())?;
    Some((field.kind, field.text(), field.repeated))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is compared with what was found"
)]
fn plain(kind: Kind, text: &str) -> Option<(Kind, String, bool)> {
    Some((kind, text.to_owned(), false))
}

#[test]
fn a_field_keeps_its_digits() {
    let text = r#"{"id": 12345678901234567890, "amount": 19.20, "e": -1.50E+03}"#;
    assert_eq!(
        found(text, ".id"),
        plain(Kind::Number, "12345678901234567890")
    );
    assert_eq!(found(text, ".amount"), plain(Kind::Number, "19.20"));
    assert_eq!(found(text, ".e"), plain(Kind::Number, "-1.50E+03"));
}

#[test]
fn fields_of_fields_and_of_elements() {
    let text =
        r#"{"address":{"city":"Köln","n":null},"lines":[{"sku":"a"},{"sku":"b"}],"ok":true}"#;
    assert_eq!(found(text, ".address.city"), plain(Kind::Text, "Köln"));
    assert_eq!(found(text, ".address.n"), plain(Kind::Null, "null"));
    assert_eq!(found(text, ".lines[1].sku"), plain(Kind::Text, "b"));
    assert_eq!(found(text, ".lines[2].sku"), None);
    assert_eq!(found(text, ".ok"), plain(Kind::Bool, "true"));
    assert_eq!(
        found(text, ".lines"),
        plain(Kind::Nested, r#"[{"sku":"a"},{"sku":"b"}]"#)
    );
    assert_eq!(found(text, ".address.city.more"), None);
    assert_eq!(found(text, ".missing"), None);
}

#[test]
fn of_a_repeated_key_the_first_counts_and_is_marked() {
    let text = r#"{"a":{"b":1,"b":2},"c":3,"a":4}"#;
    assert_eq!(found(text, ".c"), plain(Kind::Number, "3"));
    assert_eq!(
        found(text, ".a.b"),
        Some((Kind::Number, "1".to_owned(), true))
    );
    assert_eq!(
        found(r#"{"a":1,"\u0061":2}"#, ".a"),
        Some((Kind::Number, "1".to_owned(), true))
    );
}

#[test]
fn escapes_are_read_in_keys_and_strings() {
    let text = r#"{"a.b":"x\"\u00e4\n","":1}"#;
    assert_eq!(found(text, ".\"a.b\""), plain(Kind::Text, "x\"ä\n"));
    assert_eq!(found(text, ".\"\""), plain(Kind::Number, "1"));
    assert_eq!(
        found(r#"{"half":"\ud800"}"#, ".half"),
        plain(Kind::Text, "\\ud800")
    );
}

#[test]
fn what_is_not_json_has_no_fields() {
    for text in [
        "",
        "{",
        r#"{"a":1"#,
        r#"{"a":1}x"#,
        r#"{"a":01}"#,
        r#"{"a":1,}"#,
        r#"{"a":1 "b":2}"#,
        r#"{"a":1,"b":[1,]}"#,
        r#"{"a":1,"b":nul}"#,
        r#"["a"]"#,
        "\"a\"",
    ] {
        assert_eq!(found(text, ".a"), None, "{text}");
        assert!(listed(text).is_empty(), "{text}");
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| {
        format!(
            "{{\"a\":1,\"b\":{}1{}}}",
            "[".repeat(depth),
            "]".repeat(depth)
        )
    };
    assert_eq!(found(&nested(200), ".a"), plain(Kind::Number, "1"));
    assert_eq!(found(&nested(300), ".a"), None);
}

#[test]
fn paths_are_read_and_written() {
    for text in [
        ".a",
        ".a.b_c-d",
        ".\"a b\".c",
        ".lines[0].sku",
        ".\"a\\\"b\"",
    ] {
        assert_eq!(Path::parse(text).unwrap().to_string(), text);
    }
    for text in ["", "a", ".", ".a.", ".a[", ".a[x]", ".\"a"] {
        assert_eq!(Path::parse(text), None, "{text}");
    }
}

#[test]
fn fields_are_listed_by_name() {
    let text = r#"{"z":1,"a":{"b":{"c":1},"e":{}},"l":[1,2],"odd key":null}"#;
    let wanted: BTreeSet<String> = [".\"odd key\"", ".a.b.c", ".a.e", ".l", ".z"]
        .map(str::to_owned)
        .into();
    assert_eq!(listed(text), wanted);
}
