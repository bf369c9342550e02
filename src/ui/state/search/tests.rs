use super::*;
use crate::engine::{TableOrder, TableSpan};
use crate::inspect::filter::Filters;
use crate::model::Isolation;
use crate::ui::state::Msg;
use crate::ui::state::ViewRange;

fn request(follow: bool) -> SearchRequest {
    SearchRequest {
        number: 0,
        partitions: vec![],
        span: TableSpan::All,
        filters: Arc::new(Filters::default()),
        isolation: Isolation::ReadUncommitted,
        follow,
        decoders: Arc::default(),
    }
}

fn say(state: &mut UiState, msg: SearchMsg) -> Option<Command> {
    state.apply(Msg::Search(msg), ViewRange::new(0.0, 1_000.0))
}

fn begin(state: &mut UiState, filters: &[&str], follow: bool) -> u64 {
    let begin = Begin {
        request: request(follow),
        filters: filters.iter().map(|&text| text.to_owned()).collect(),
        at: TimestampMs(5),
    };
    match say(state, SearchMsg::Begin(Box::new(begin))) {
        Some(Command::Search(Some(request))) => request.number,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_search_has_a_number_of_its_own_and_the_list_waits_where_it_was() {
    let mut state = UiState::default();
    state.table.scroll = TableScroll::At {
        row: 40,
        hidden: 3.0,
    };
    let by_offset = TableSort {
        by: ColumnKind::Offset,
        descending: false,
    };
    state.table.sort = Some(by_offset.clone());
    assert_eq!(begin(&mut state, &["text:a"], false), 1);
    assert!(state.search.shows_hits);
    assert_eq!(state.table.scroll, TableScroll::Placed(0.0));
    assert_eq!(state.sort_of_list(), Some(&by_offset));
    assert_eq!(
        state.on_list(|state| state.table.order()),
        TableOrder::Offset
    );
    assert_eq!(begin(&mut state, &["text:b"], false), 2);
    assert!(matches!(
        say(&mut state, SearchMsg::Close),
        Some(Command::Search(None))
    ));
    assert_eq!(state.table.sort, Some(by_offset));
    assert_eq!(
        state.table.scroll,
        TableScroll::At {
            row: 40,
            hidden: 3.0
        }
    );
    assert!(say(&mut state, SearchMsg::Close).is_none());
}

#[test]
fn what_asks_for_the_list_gets_the_list_and_the_search_stays() {
    let mut state = UiState::default();
    begin(&mut state, &["text:a"], false);
    let span = crate::ui::state::Selection::between(TimestampMs(0), TimestampMs(9), vec![]);
    state.apply(Msg::Select(span), ViewRange::new(0.0, 1_000.0));
    assert!(!state.search.shows_hits && state.search.asked.is_some());
    say(&mut state, SearchMsg::ShowHits(true));
    assert!(state.search.shows_hits);
}

#[test]
fn searches_are_remembered_once_each_the_newest_first_and_no_more_than_a_few() {
    let mut state = UiState::default();
    for text in ["text:a", "text:b", "text:a"] {
        begin(&mut state, &[text], false);
    }
    assert_eq!(state.search.recent, [["text:a"], ["text:b"]]);
    for number in 0..40 {
        begin(&mut state, &[&format!("text:{number}")], false);
    }
    assert_eq!(state.search.recent.len(), MOST_RECENT);
    let long = "x".repeat(2_000);
    begin(&mut state, &[&long], false);
    assert_eq!(state.search.recent[0], ["text:39"]);
}

#[test]
fn up_and_down_walk_through_what_was_searched_for() {
    let mut state = UiState::default();
    begin(&mut state, &["text:a"], false);
    begin(&mut state, &["key:k", "jq:.v"], false);
    say(&mut state, SearchMsg::Recall(true));
    assert_eq!(state.search.filters, ["key:k"]);
    assert_eq!(state.search.text, "jq:.v");
    say(&mut state, SearchMsg::Recall(true));
    assert_eq!(state.search.text, "text:a");
    say(&mut state, SearchMsg::Recall(true));
    assert_eq!(state.search.text, "text:a");
    say(&mut state, SearchMsg::Recall(false));
    say(&mut state, SearchMsg::Recall(false));
    assert_eq!(state.search.text, "");
    assert!(state.search.filters.is_empty());
}

#[test]
fn a_filter_that_is_edited_keeps_its_place() {
    let mut state = UiState::default();
    begin(&mut state, &["text:a", "text:b", "text:c"], false);
    say(&mut state, SearchMsg::EditFilter(1));
    assert_eq!(state.search.text, "text:b");
    say(&mut state, SearchMsg::Edit("text:x".into()));
    let (written, typed) = state.search.written();
    assert_eq!(written, ["text:a", "text:x", "text:c"]);
    assert_eq!(typed.map(|(place, _)| place), Some(1));
    // Another one puts it back.
    say(&mut state, SearchMsg::EditFilter(0));
    assert_eq!(state.search.filters, ["text:x", "text:c"]);
    say(&mut state, SearchMsg::RemoveFilter(1));
    assert_eq!(state.search.filters, ["text:x"]);
}

#[test]
fn what_comes_in_is_shown_from_its_end_and_pausing_keeps_what_is_shown() {
    let mut state = UiState::default();
    begin(&mut state, &[], true);
    assert_eq!(state.table.scroll, TableScroll::End);
    assert!(state.search.recent.is_empty());
    let view = |hits| {
        Arc::new(SearchView {
            request: state.search.asked.clone(),
            stage: SearchStage::Running,
            hits,
            ..SearchView::default()
        })
    };
    let (old, new) = (view(3), view(9));
    let msg = state.search.pausing(&old).unwrap();
    say(&mut state, msg);
    assert_eq!(state.search.shown(&new).map(|view| view.hits), Some(3));
    assert_eq!(state.search.newest(&new).map(|view| view.hits), Some(9));
    state.table.scroll = TableScroll::Placed(0.0);
    let msg = state.search.pausing(&new).unwrap();
    say(&mut state, msg);
    assert_eq!(state.search.shown(&new).map(|view| view.hits), Some(9));
    assert_eq!(state.table.scroll, TableScroll::End);
}

#[test]
fn a_search_of_before_is_not_taken_for_this_one() {
    let mut state = UiState::default();
    begin(&mut state, &["text:a"], false);
    let old = Arc::new(SearchView {
        request: state.search.asked.clone(),
        ..SearchView::default()
    });
    begin(&mut state, &["text:b"], false);
    assert!(state.search.shown(&old).is_none());
}
