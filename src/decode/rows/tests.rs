//! Rows worked out by hand.

use super::*;

fn whole(value: &[u8], form: Form, width: usize) -> Layout {
    let mut layout = Layout::new(Bytes::copy_from_slice(value), form, width);
    while layout.state() == State::Unfinished {
        layout.advance(4_096);
    }
    layout
}

fn texts(layout: &Layout) -> Vec<String> {
    let rows = layout.shown(0..layout.rows());
    rows.into_iter().map(|row| row.text).collect()
}

fn json(text: &str) -> Result<String, Flaw> {
    let layout = whole(text.as_bytes(), Form::Json, 200);
    match layout.state() {
        State::Broken(flaw) => Err(flaw),
        _ => Ok(texts(&layout).join("\n")),
    }
}

#[test]
fn digits_order_and_repeated_keys_stay() {
    let text = r#"{"b":12345678901234567890123.10,"a":[1,2e5,-0.0],"b":null,"s":"\u0041\"x"}"#;
    let wanted = "{\n  \"b\": 12345678901234567890123.10,\n  \"a\": [\n    1,\n    2e5,\n    -0.0\n  ],\n  \"b\": null,\n  \"s\": \"\\u0041\\\"x\"\n}";
    assert_eq!(json(text).as_deref(), Ok(wanted));
}

#[test]
fn empty_containers_stay_on_their_line() {
    assert_eq!(
        json(" { \"a\" : { } , \"b\" : [ ] } ").as_deref(),
        Ok("{\n  \"a\": {},\n  \"b\": []\n}")
    );
    assert_eq!(json("[]").as_deref(), Ok("[]"));
    assert_eq!(
        json("[[],[{}]]").as_deref(),
        Ok("[\n  [],\n  [\n    {}\n  ]\n]")
    );
}

#[test]
fn single_values_are_json_too() {
    for text in ["null", "true", "0", "-1.5E+3", "\"x\"", "\"\""] {
        assert_eq!(json(text).as_deref(), Ok(text));
    }
}

#[test]
fn what_is_not_json_is_refused_and_where_is_told() {
    for (text, at) in [
        ("", 0),
        (" ", 1),
        ("nul", 0),
        ("{", 1),
        ("[1,]", 3),
        ("{\"a\"}", 4),
        ("{\"a\":1,}", 7),
        ("{a:1}", 1),
        ("01", 1),
        ("1.", 2),
        ("-", 1),
        ("1e", 2),
        ("\"\\x\"", 1),
        ("\"a\nb\"", 2),
        ("[1 2]", 3),
        ("1 2", 2),
        ("[1}", 2),
        ("\"abc", 4),
        ("\"\\u12\"", 1),
        ("{\"a\":1]", 6),
        ("'x'", 0),
        ("nullx", 4),
        ("}", 0),
        ("{}{}", 2),
    ] {
        assert_eq!(json(text).map_err(|flaw| flaw.at), Err(at), "{text}");
    }
    let broken = whole(b"[\"\xff\"]", Form::Json, 80);
    assert_eq!(
        broken.state(),
        State::Broken(Flaw {
            at: 2,
            why: "it is not UTF-8"
        })
    );
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| "[".repeat(depth) + "1" + &"]".repeat(depth);
    assert!(json(&nested(MAX_DEPTH)).is_ok());
    assert_eq!(
        json(&nested(MAX_DEPTH + 1)).map_err(|flaw| flaw.at),
        Err(MAX_DEPTH)
    );
}

#[test]
fn the_pieces_of_a_line_have_no_gaps_and_their_kinds() {
    let layout = whole(b"{\"a: b\":-1.5e3,\"c\":\"\xe2\x80\xae\"}", Form::Json, 80);
    let rows = layout.shown(1..3);
    let found = |row: &Row| -> Vec<(String, Piece)> {
        let pieces = row.pieces.iter();
        pieces
            .map(|(range, piece)| (row.text[range.clone()].to_owned(), *piece))
            .collect()
    };
    assert_eq!(
        found(&rows[0]),
        [
            ("  ".into(), Piece::Mark),
            ("\"a: b\"".into(), Piece::Key),
            (": ".into(), Piece::Mark),
            ("-1.5e3".into(), Piece::Number),
            (",".into(), Piece::Mark),
        ]
    );
    assert_eq!(
        found(&rows[1])[3..],
        [
            ("\"".into(), Piece::Text),
            ("‹U+202E›".into(), Piece::Hidden),
            ("\"".into(), Piece::Text),
        ]
    );
}

#[test]
fn long_lines_go_on_in_the_next_row() {
    assert_eq!(
        texts(&whole(b"0123456789abcdefXY\r\nx", Form::Text, 16)),
        ["0123456789abcdef", "XY", "x"]
    );
    // A wide character fills two columns, what stands for a hidden one is never cut.
    assert_eq!(
        texts(&whole("12345678901234群组".as_bytes(), Form::Text, 16)),
        ["12345678901234群", "组"]
    );
    assert_eq!(
        texts(&whole("1234567890\u{202e}b".as_bytes(), Form::Text, 16)),
        ["1234567890", "‹U+202E›b"]
    );
    assert_eq!(texts(&whole(b"a\tb", Form::Text, 16)), ["a→   b"]);
    assert_eq!(texts(&whole(b"a\n", Form::Text, 16)), ["a", ""]);
    assert_eq!(texts(&whole(b"a\rb", Form::Text, 16)), ["a‹U+000D›b"]);
}

#[test]
fn bytes_that_are_not_utf8_are_shown_one_by_one() {
    assert_eq!(
        texts(&whole(b"a\xff\xc3\xa4\xe2\x82!", Form::Text, 40)),
        ["a‹0xFF›ä‹0xE2›‹0x82›!"]
    );
}

#[test]
fn a_long_json_line_keeps_its_indent() {
    let layout = whole(br#"{"k":"0123456789abcdef"}"#, Form::Json, 16);
    assert_eq!(
        texts(&layout),
        ["{", "  \"k\": \"01234567", "  89abcdef\"", "}"]
    );
    let rows = layout.shown(0..4);
    assert_eq!(
        rows.iter().map(|row| row.continues).collect::<Vec<_>>(),
        [false, false, true, false]
    );
}

#[test]
fn deep_lines_leave_room_for_what_they_say() {
    let layout = whole("[".repeat(40).as_bytes(), Form::Json, 16);
    let State::Broken(flaw) = layout.state() else {
        panic!("it is complete");
    };
    assert_eq!((flaw.at, layout.rows()), (40, 39));
    assert_eq!(layout.shown(38..39)[0].text, "        [");
}

#[test]
fn rows_are_copied_as_they_were_sent() {
    let text = whole(b"ab\tc\r\n\xe2\x80\xaex\r\ny", Form::Text, 16);
    assert_eq!(text.copied(0..2), "ab\tc\r\n\u{202e}x");
    assert_eq!(text.copied(0..3), "ab\tc\r\n\u{202e}x\r\ny");
    assert_eq!(text.copied(2..9), "y");
    let value = br#"{"k":"0123456789abcdef","n":1.0}"#;
    let json = whole(value, Form::Json, 16);
    assert_eq!(
        json.copied(0..json.rows()),
        "{\n  \"k\": \"0123456789abcdef\",\n  \"n\": 1.0\n}"
    );
    assert_eq!(json.copied(2..3), "89abcdef\",");
    let dump = whole(b"Tide", Form::Hex, 50);
    assert_eq!(dump.copied(0..1), hex::line(b"Tide", 8, 0));
}

#[test]
fn any_row_is_found_again() {
    let mut text = String::from("[");
    let numbers: Vec<String> = (0..10_000).map(|number| number.to_string()).collect();
    text.push_str(&numbers.join(","));
    text.push_str(",-1]");
    let layout = whole(text.as_bytes(), Form::Json, 40);
    assert_eq!(layout.rows(), 10_003);
    for number in [0_u64, 1, 126, 127, 128, 129, 5_000, 9_999] {
        let row = number + 1;
        assert_eq!(
            layout.shown(row..row + 1)[0].text,
            format!("  {number},"),
            "{row}"
        );
    }
    assert_eq!(layout.shown(10_002..10_010).len(), 1);
    assert!(layout.shown(10_003..10_004).is_empty());
}

#[test]
fn a_step_takes_its_budget_and_no_more_whatever_the_size() {
    for (value, form) in [
        (vec![b'x'; 3_000_000], Form::Text),
        (vec![b'\n'; 3_000_000], Form::Text),
        (
            [b"[".as_slice(), &b"1,".repeat(1_000_000), b"1]"].concat(),
            Form::Json,
        ),
        (
            [b"[".as_slice(), &vec![b' '; 3_000_000], b"1]"].concat(),
            Form::Json,
        ),
        (
            [b"\"".as_slice(), &vec![b'x'; 3_000_000], b"\""].concat(),
            Form::Json,
        ),
    ] {
        let mut layout = Layout::new(Bytes::from(value), form, 60);
        let mut steps = 0;
        while layout.state() == State::Unfinished {
            let before = layout.progress().0;
            let spent = layout.advance(100_000);
            assert!(spent <= 100_000 + SLACK, "{spent}");
            assert!(layout.progress().0 - before <= 100_000 + SLACK);
            steps += 1;
            assert!(steps < 600, "it does not end");
        }
    }
    /// A row is not divided: its bytes, and the white space in it.
    const SLACK: usize = 20_000;
}

#[test]
fn marks_take_less_than_the_value() {
    for (value, form) in [
        (vec![b'\n'; 1_000_000], Form::Text),
        (
            [b"[".as_slice(), &b"1,".repeat(500_000), b"1]"].concat(),
            Form::Json,
        ),
    ] {
        let layout = whole(&value, form, 60);
        let marks = layout.marks.len() * size_of::<Mark>();
        assert!(marks < value.len() * 5 / 4, "{marks} of {}", value.len());
    }
}

#[test]
fn dumps_fit_their_width_and_need_no_search() {
    let dump = |width| Layout::new(Bytes::from_static(b"Tideline and more"), Form::Hex, width);
    assert_eq!(
        (dump(80).rows(), dump(50).rows(), dump(30).rows()),
        (2, 3, 5)
    );
    for width in [30, 43, 50, 77, 80] {
        let layout = dump(width);
        assert_eq!(layout.state(), State::Whole);
        let rows = layout.shown(0..layout.rows());
        assert!(rows.iter().all(|row| row.text.chars().count() <= width));
    }
}

#[test]
fn how_json_begins() {
    assert!(opens_container(b" \n{") && opens_container(b"["));
    assert!(!opens_container(b"12") && !opens_container(b""));
    assert!(can_begin_json(b"12") && can_begin_json(b" null"));
    assert!(!can_begin_json(b"o-4711") && !can_begin_json(b""));
}
