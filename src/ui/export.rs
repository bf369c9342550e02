//! The dialog in which records are written to a file.

use egui::{Button, Context, Id, Key, Label, ProgressBar, RichText, TextEdit, Ui, vec2};

use crate::engine::{Command, ExportFormat, ExportOf, ExportRequest, ExportView, SearchRequest};

use super::context::Cx;
use super::num::{f32_from_count, usize_from_u64};
use super::state::{Dialog, ExportForm, Msg, Sent, WindowMsg};
use super::{dialogs, fonts, format};

/// Shows it over the window.
pub fn dialog(ctx: &Context, cx: &mut Cx<'_>, form: &ExportForm) {
    dialogs::question(ctx, cx, "Export records", |ui, cx| {
        let view = std::sync::Arc::clone(&cx.snapshot.export);
        match form.sent(&view) {
            Sent::Running => running(ui, cx, form, &view),
            sent => choices(ui, cx, form, sent),
        }
    });
}

/// A form for what is selected or searched now.
pub fn new_form(cx: super::commands::Situation<'_>) -> ExportForm {
    let records = cx.state.chosen_records();
    let remembered = &cx.window.remembered.export_folder;
    let folder = if remembered.is_empty() {
        cx.window.folders.documents.clone()
    } else {
        Some(remembered.into())
    };
    let of_search = records.is_empty();
    // A file's name is read in other places too.
    let zone = jiff::tz::TimeZone::UTC;
    ExportForm::new(&records, of_search, folder.as_deref(), cx.clock, &zone)
}

fn choices(ui: &mut Ui, cx: &mut Cx<'_>, form: &ExportForm, sent: Sent<'_>) {
    let mut next = form.clone();
    heading(ui, cx, "Which");
    let count = cx.state.chosen_count();
    let chosen = match count {
        0 => "The selected records".to_owned(),
        1 => "The selected record".to_owned(),
        _ => format!("The {} selected records", format::count(count)),
    };
    let none = (count == 0).then_some("no record is selected");
    choice(ui, &mut next.of_search, false, &chosen, none);
    let none = search_to_write(cx).err();
    choice(
        ui,
        &mut next.of_search,
        true,
        "Everything the search finds, read anew",
        none,
    );
    ui.add_space(8.0);
    heading(ui, cx, "How");
    let mut format = next.format;
    for (value, name, more) in [
        (
            ExportFormat::JsonLines,
            "JSON lines",
            "nothing is lost: what is no text is base64, headers keep their order",
        ),
        (
            ExportFormat::Csv,
            "CSV",
            "a table for other programs; a column says what is base64",
        ),
    ] {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 8.0;
            ui.radio_value(&mut format, value, name);
            small(ui, more, cx.tokens.faint);
        });
    }
    if format != next.format {
        next.set_format(format);
    }
    ui.checkbox(&mut next.decode, "Also what key and value were decoded to");
    ui.add_space(8.0);
    let entered = path_field(ui, cx, &mut next);
    let file = next.file(&cx.window.folders);
    foot(ui, cx, form, &next, &file, sent, entered);
}

/// A choice of which records are written.
fn choice(ui: &mut Ui, value: &mut bool, this: bool, name: &str, none: Option<&str>) {
    let button = egui::RadioButton::new(*value == this && none.is_none(), name);
    let response = ui.add_enabled(none.is_none(), button);
    if response.clicked() {
        *value = this;
    }
    if let Some(none) = none {
        response.on_disabled_hover_text(none);
    }
}

/// The field for the file's path; whether Enter was pressed in it.
fn path_field(ui: &mut Ui, cx: &Cx<'_>, form: &mut ExportForm) -> bool {
    let label = ui.label(
        RichText::new("File")
            .font(fonts::small())
            .color(cx.tokens.dim),
    );
    let edit = TextEdit::singleline(&mut form.path)
        .id(Id::unique("export path"))
        .font(fonts::data())
        .margin(vec2(8.0, 6.0))
        .desired_width(f32::INFINITY);
    let response = ui
        .add(edit)
        .labelled_by(label.id)
        .accessible_name("File to write");
    let entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    if ui.memory(|memory| memory.focused().is_none()) {
        response.request_focus();
    }
    entered
}

/// What is wrong or in the way, and the buttons.
fn foot(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    form: &ExportForm,
    next: &ExportForm,
    file: &Result<std::path::PathBuf, String>,
    sent: Sent<'_>,
    entered: bool,
) {
    let is_changed = *next != *form;
    let exists = sent == Sent::Exists && next.path == form.path;
    match (file, sent) {
        (Err(why), _) => small(ui, why, cx.tokens.warning),
        (Ok(_), Sent::Failed(why)) if !is_changed => {
            let why = format!("It could not be written: {why}");
            small(ui, &why, cx.tokens.error);
        }
        (Ok(file), _) if exists => {
            let text = format!("There is a file already: {}", file.display());
            small(ui, &text, cx.tokens.warning);
        }
        (Ok(file), _) if file.to_string_lossy() != next.path.trim() => {
            small(ui, &file.to_string_lossy(), cx.tokens.faint);
        }
        _ => {}
    }
    ui.add_space(10.0);
    let why_not = why_not(cx, next).or(match file {
        Ok(_) => None,
        Err(_) => Some("write where to first"),
    });
    let name = if exists { "Replace it" } else { "Export" };
    ui.horizontal(|ui| {
        let export = ui
            .add_enabled(why_not.is_none(), Button::new(name))
            .on_disabled_hover_text(why_not.unwrap_or_default());
        let cancel = ui.button("Cancel");
        if let Some(why_not) = why_not {
            small(ui, why_not, cx.tokens.dim);
        }
        let goes = export.clicked() || (entered && !exists);
        if let (true, None, Ok(file)) = (goes, why_not, file) {
            send(cx, next, file.clone(), exists);
        } else if cancel.clicked() {
            cx.push(Msg::Window(WindowMsg::Close));
        } else if is_changed {
            let mut next = next.clone();
            if next.path != form.path {
                next.sent = None;
            }
            open(cx, next);
        }
    });
}

/// The search that can be written to a file, or why there is none.
fn search_to_write<'a>(cx: &'a Cx<'_>) -> Result<&'a SearchRequest, &'static str> {
    match &cx.snapshot.search.request {
        None => Err("nothing is searched"),
        Some(request) if request.follow => {
            Err("what is followed cannot be read anew: select records")
        }
        Some(request) => Ok(request),
    }
}

/// Why nothing can be written; `None` when it can.
fn why_not(cx: &Cx<'_>, form: &ExportForm) -> Option<&'static str> {
    if form.of_search {
        return search_to_write(cx).err();
    }
    (cx.state.chosen_count() == 0).then_some("no record is selected")
}

fn open(cx: &mut Cx<'_>, form: ExportForm) {
    let dialog = Dialog::Export(Box::new(form));
    cx.push(Msg::Window(WindowMsg::Open(dialog)));
}

/// Asks the engine to write it.
fn send(cx: &mut Cx<'_>, form: &ExportForm, path: std::path::PathBuf, replace: bool) {
    let what = if form.of_search {
        let Ok(request) = search_to_write(cx) else {
            return;
        };
        ExportOf::Search(Box::new(request.clone()))
    } else {
        ExportOf::Records(cx.state.chosen_records())
    };
    let number = cx.window.next_export(&cx.snapshot.export);
    if let Some(folder) = path.parent() {
        let folder = folder.to_string_lossy().into_owned();
        cx.push(Msg::Window(WindowMsg::Exporting(number, folder)));
    }
    let request = ExportRequest {
        number,
        what,
        format: form.format,
        decode: form.decode,
        path,
        replace,
        decoders: std::sync::Arc::clone(&cx.state.decoders),
    };
    cx.push(Msg::Engine(Box::new(Command::Export(Box::new(request)))));
    let sent = ExportForm {
        sent: Some(number),
        ..form.clone()
    };
    open(cx, sent);
}

/// How far it is.
fn running(ui: &mut Ui, cx: &mut Cx<'_>, form: &ExportForm, view: &ExportView) {
    let is_shown = form.sent == Some(view.number);
    let (records, bytes) = if is_shown {
        (view.records, view.bytes)
    } else {
        (0, 0)
    };
    let all = view.up_to.filter(|_| is_shown);
    let done = all.map_or(0.0, |all| {
        f32_from_count(usize_from_u64(records)) / f32_from_count(usize_from_u64(all.max(1)))
    });
    ui.add(
        Label::new(
            RichText::new(&form.path)
                .font(fonts::data())
                .color(cx.tokens.text),
        )
        .wrap(),
    );
    ui.add_space(6.0);
    let bar = ProgressBar::new(done)
        .desired_height(6.0)
        .fill(cx.tokens.accent);
    ui.add(bar);
    ui.add_space(4.0);
    let of = all.map_or_else(String::new, |all| format!(" of {}", format::count(all)));
    let said = format!(
        "{}{of} records, {}",
        format::count(records),
        format::size(bytes)
    );
    small(ui, &said, cx.tokens.dim);
    ui.add_space(10.0);
    ui.horizontal(|ui| {
        let stop = ui
            .button("Stop")
            .on_hover_text("Give it up: nothing is left of the file");
        let hide = ui
            .button("Hide")
            .on_hover_text("It goes on; its end is told at the foot of the window");
        if ui.memory(|memory| memory.focused().is_none()) {
            hide.request_focus();
        }
        if stop.clicked() {
            cx.push(Msg::Engine(Box::new(Command::CancelExport)));
        } else if hide.clicked() {
            cx.push(Msg::Window(WindowMsg::Close));
        }
    });
}

fn heading(ui: &mut Ui, cx: &Cx<'_>, text: &str) {
    let text = RichText::new(text)
        .font(fonts::small())
        .color(cx.tokens.dim);
    ui.label(text);
}

fn small(ui: &mut Ui, text: &str, color: egui::Color32) {
    let text = RichText::new(text).font(fonts::small()).color(color);
    ui.add(Label::new(text).wrap());
}
