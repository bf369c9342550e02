//! Taking records elsewhere: what of one can be copied, in one menu for every place that shows records.
//!
//! | part | what it is |
//! |---|---|
//! | `text` | records as text: values, commands, addresses. Pure |
//! | `elsewhere` | where another tool shows the same event. Pure |
//! | this file | the items of the menus |

mod elsewhere;
mod text;

pub use text::{Copied, Reached, plain, sent};

use egui::Ui;

use crate::decode::value::Part;
use crate::engine::Connection;
use crate::model::{Record, plain_address};

use super::context::Cx;
use super::decoding::{Reader, bytes_of};
use super::draw;
use super::links;
use super::state::{Msg, TableMsg};

/// Gives text to the clipboard and says so.
pub fn put(ui: &Ui, cx: &mut Cx<'_>, copied: Copied) {
    ui.ctx().copy_text(copied.text);
    cx.push(Msg::Table(TableMsg::Say(copied.said)));
}

/// How the bus is reached by another program; `None` where no address is known.
pub fn reached(cx: &Cx<'_>) -> Option<Reached> {
    let named = match &cx.snapshot.connection {
        Connection::Connected {
            to, demo: false, ..
        } => plain_address(to),
        _ => None,
    };
    let cluster = cx.snapshot.inventory.cluster.as_ref();
    let brokers = cluster.and_then(|cluster| cluster.as_ref().ok()).map(|it| {
        let brokers = it.brokers.iter();
        let each = brokers.map(|broker| format!("{}:{}", broker.host, broker.port));
        each.collect::<Vec<_>>().join(",")
    });
    let addresses = named
        .or(brokers)
        .filter(|addresses| !addresses.is_empty())?;
    let by_settings = cx.window.reached.as_ref().is_some_and(|settings| {
        let has_text =
            |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
        has_text(&settings.config_text)
            || settings.config_path.is_some()
            || !settings.properties.is_empty()
    });
    Some(Reached {
        addresses,
        by_settings,
    })
}

/// The other tools that the profile of this connection names, each with its template.
pub fn links<'c>(cx: &Cx<'c>) -> &'c [(String, String)] {
    let access = &cx.snapshot.access;
    let profiles = access.profiles.as_deref().unwrap_or_default();
    let mut profiles = profiles.iter();
    let here = profiles.find(|profile| access.profile.as_ref() == Some(&profile.name));
    here.map_or(&[], |profile| &profile.links)
}

/// The items by which another tool is opened on the event of `record`; one that lacks something says what.
pub fn links_menu(ui: &mut Ui, cx: &Cx<'_>, record: &Record) {
    let reader = Reader::of(cx.state, cx.snapshot);
    let json = reader.json(record);
    for (name, template) in links(cx) {
        let address = elsewhere::filled(template, record, json.as_deref());
        let why_not = address.as_ref().err().map(String::as_str);
        let hint = address.as_deref().unwrap_or_default();
        if item(ui, name, why_not, hint)
            && let Ok(address) = &address
        {
            ui.ctx().open_url(egui::OpenUrl::new_tab(address));
        }
    }
}

/// An item of a menu; whether it was chosen. A key closes no menu by itself.
fn item(ui: &mut Ui, name: &str, why_not: Option<&str>, hint: &str) -> bool {
    let response = draw::menu_item(ui, name, why_not);
    let is_chosen = response.clicked();
    if why_not.is_none() && !hint.is_empty() {
        response.on_hover_text(hint);
    }
    if is_chosen {
        ui.close();
    }
    is_chosen
}

/// The items by which a part is copied: as it was decoded, where that is not what was sent, and as it was sent.
fn part_items(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    record: &Record,
    part: Part,
    decoded: &dyn Fn(Part) -> Option<String>,
) {
    let what = match part {
        Part::Value => "value",
        Part::Key => "key",
    };
    let Some(bytes) = bytes_of(record, part) else {
        let why_not = format!("The {what} is null");
        item(ui, &format!("Copy {what}"), Some(&why_not), "");
        return;
    };
    let as_sent = "As it was sent; bytes that are not UTF-8 as base64";
    let Some(text) = decoded(part) else {
        if item(ui, &format!("Copy {what}"), None, as_sent) {
            put(ui, cx, text::sent(what, bytes));
        }
        return;
    };
    if item(ui, &format!("Copy {what}"), None, "As it was decoded") {
        put(ui, cx, text::decoded(what, text));
    }
    if item(ui, &format!("Copy {what} as it was sent"), None, as_sent) {
        put(ui, cx, text::sent(what, bytes));
    }
}

/// The items by which one record is copied, but for what only one place has. `decoded` is what a part was decoded
/// to, where that is not what was sent.
pub fn items(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    record: &Record,
    decoded: &dyn Fn(Part) -> Option<String>,
) {
    part_items(ui, cx, record, Part::Value, decoded);
    part_items(ui, cx, record, Part::Key, decoded);
    let hint = "topic/partition/offset; pasted into a Tideline, it goes there";
    if item(ui, "Copy address", None, hint) {
        put(ui, cx, text::address(record));
    }
    let link = links::to_record(cx.situation(), record);
    let why_not = link.as_ref().err().map(String::as_str);
    let hint = "A link to this record in this view, without any secret: opened, it leads another person's Tideline here";
    if item(ui, "Copy link", why_not, hint)
        && let Ok(text) = link
    {
        let said = "Copied a link to this record".to_owned();
        put(ui, cx, Copied { text, said });
    }
    let reached = reached(cx);
    let why_not = reached.is_none().then_some("No broker is known yet");
    let hint = match &reached {
        Some(reached) if reached.by_settings => {
            "A command that reads exactly this record. It needs this connection's settings too, which are not in it: add them with -F FILE"
        }
        _ => "A command that reads exactly this record",
    };
    if item(ui, "Copy as kcat command", why_not, hint)
        && let Some(reached) = reached
    {
        put(ui, cx, text::kcat(record, &reached));
    }
    let hint = "The body of a request by which a REST proxy (v3) would produce it again; Tideline itself sends nothing";
    if item(ui, "Copy as JSON for curl", None, hint) {
        put(ui, cx, text::rest_body(record));
    }
}
