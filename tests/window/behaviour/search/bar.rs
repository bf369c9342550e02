//! The bar: filters, where to search, beginning and ending.

use super::*;

#[test]
fn plain_words_are_searched_for_in_what_the_table_shows() {
    let (mut harness, fake, request) = search("o-4711 paid");
    assert_eq!(request.filters.written(), ["text:o-4711 paid"]);
    let listed = fake.last_table().unwrap();
    assert_eq!(request.partitions, listed.partitions);
    assert_eq!(request.span, listed.span);
    assert!(matches!(request.span, TableSpan::Between(..)));
    assert_eq!(request.partitions.len(), 4);
    assert!(!request.follow);
    assert_eq!(request.isolation, Isolation::ReadUncommitted);
    // What was asked for stays to be seen, and the field is free for another one.
    assert!(shows(&harness, "Edit filter text:o-4711 paid"));
    assert_eq!(harness.state().state().search.text, "");
    click(&mut harness, "Close search");
    assert!(is_ended(&fake));
}

#[test]
fn several_filters_are_combined_edited_and_taken_out() {
    let (mut harness, fake, _) = search("paid");
    type_text(&mut harness, "Search records", "key:o-1");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    let written = |fake: &Fake| fake.last_search().unwrap().filters.written().to_vec();
    assert_eq!(written(&fake), ["text:paid", "key:o-1"]);
    click(&mut harness, "Edit filter text:paid");
    assert!(harness.get_by_label("Search records").is_focused());
    type_text(&mut harness, "Search records", "!");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    let first = written(&fake);
    assert_eq!(first[1], "key:o-1");
    assert!(first[0].starts_with("text:") && first[0].contains('!'));
    click(&mut harness, "Take out filter key:o-1");
    assert!(!shows(&harness, "Edit filter key:o-1"));
    // The search is the one before until another one begins.
    publish(
        &mut harness,
        &fake,
        running(&fake.last_search().unwrap(), vec![]),
    );
    assert!(shows_part(&harness, "Enter searches anew"));
}

#[test]
fn a_slash_and_ctrl_f_lead_to_the_field_and_escape_leaves_it() {
    let (mut harness, _) = shop();
    harness.event(Event::Text("/".into()));
    press(&mut harness, Modifiers::NONE, Key::Slash);
    assert!(harness.get_by_label("Search records").is_focused());
    assert_eq!(harness.state().state().search.text, "");
    type_text(&mut harness, "Search records", "abc");
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert_eq!(harness.state().state().search.text, "");
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(!shows(&harness, "Search records"));
    press(&mut harness, Modifiers::COMMAND, Key::Num2);
    press(&mut harness, Modifiers::COMMAND, Key::F);
    assert!(harness.get_by_label("Search records").is_focused());
}

#[test]
fn the_menu_of_kinds_says_what_each_is_and_writes_it() {
    let (mut harness, _) = shop();
    click(&mut harness, "Search…");
    type_text(&mut harness, "Search records", "o-4711");
    click(&mut harness, "Kind of filter: Text");
    assert!(shows_part(
        &harness,
        "A header has this value: header:retries=2"
    ));
    harness
        .get_by_label_contains("The whole key is this")
        .click();
    harness.run();
    assert_eq!(harness.state().state().search.text, "key:o-4711");
    assert!(shows(&harness, "Kind of filter: Key"));
}

#[test]
fn an_address_offers_to_go_there() {
    let (mut harness, fake) = shop();
    press(&mut harness, Modifiers::COMMAND, Key::F);
    type_text(&mut harness, "Search records", "orders/1/85200");
    click(&mut harness, "Go to this record");
    let table = fake.last_table().unwrap();
    assert_eq!(
        table.place,
        TablePlace::Record(TopicPartition::new("orders", 1), Offset(85_200))
    );
    assert!(fake.last_search().is_none());
    press(&mut harness, Modifiers::COMMAND, Key::F);
    type_text(&mut harness, "Search records", "orders/9/1");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert!(shows_part(&harness, "orders has no partition 9"));
}

#[test]
fn where_to_search_is_chosen_and_said() {
    let (mut harness, fake) = shop();
    press(&mut harness, Modifiers::COMMAND, Key::F);
    type_text(&mut harness, "Search records", "x");
    let choose = |harness: &mut Window, choice: &str, typed: Option<(&str, &str)>| {
        harness.get_by_label_contains("Where: ").click();
        harness.run();
        harness.get_by_label(choice).click();
        harness.run();
        if let Some((field, text)) = typed {
            harness.get_by_label(field).type_text(text);
            harness.run();
            press(harness, Modifiers::NONE, Key::Enter);
        }
    };
    assert!(shows(&harness, "Where: in 7 topics"));
    let newest = ("Newest offsets to search", "1,000");
    choose(&mut harness, "The newest of each partition…", Some(newest));
    // Nobody leads that partition of the shop.
    assert!(shows(
        &harness,
        "Where: in 7 topics, the newest 1,000 offsets of each partition, without shipments/1, whose ends are not known"
    ));
    let times = ("Times to search between", "14:05 to 14:20");
    choose(&mut harness, "Between two times…", Some(times));
    assert!(shows(&harness, "Where: in 7 topics, 14:05–14:20 UTC+01:00"));
    click(&mut harness, "Search");
    let span = fake.last_search().unwrap().span;
    let at = |minute: i64| TimestampMs(data::START.0 + minute * 60_000);
    assert_eq!(span, TableSpan::Between(at(5), at(20)));
    choose(&mut harness, "From where billing stands", None);
    assert!(shows_part(
        &harness,
        "Where: in orders, from where billing stands"
    ));
    let wrong = ("Times to search between", "14:20 to 14:05");
    choose(&mut harness, "Between two times…", Some(wrong));
    assert!(shows(&harness, "the second time is not after the first"));
}

#[test]
fn the_last_searches_come_back_with_the_up_key() {
    let (mut harness, _, _) = search("first");
    type_text(&mut harness, "Search records", "key:second");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    press(&mut harness, Modifiers::NONE, Key::ArrowUp);
    press(&mut harness, Modifiers::NONE, Key::ArrowUp);
    assert_eq!(harness.state().state().search.text, "text:first");
    assert_eq!(
        harness.state().state().search.recent,
        [vec!["text:first", "key:second"], vec!["text:first"]]
    );
}

#[test]
fn whose_records_are_shown_is_a_switch_that_searches_follow() {
    let (mut harness, fake) = shop();
    click(&mut harness, "all records shown, withdrawn ones marked");
    assert_eq!(
        fake.last_table().unwrap().isolation,
        Isolation::ReadCommitted
    );
    let request = search_for(&mut harness, &fake, "x");
    assert_eq!(request.isolation, Isolation::ReadCommitted);
    click(&mut harness, "only what careful readers see");
    assert_eq!(
        fake.last_table().unwrap().isolation,
        Isolation::ReadUncommitted
    );
}

#[test]
fn nothing_is_asked_for_when_nothing_is_typed() {
    let (mut harness, fake) = shop();
    press(&mut harness, Modifiers::COMMAND, Key::F);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert!(fake.last_search().is_none());
}
