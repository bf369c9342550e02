//! The dialog by which the system is told to open links with this program, or no longer.

use egui::{Context, Label, RichText, Ui};

use crate::engine::{Command, OpenerView};
use crate::model::Known;

use super::context::Cx;
use super::state::{Msg, WindowMsg};
use super::{dialogs, fonts};

/// Shows it over the window.
pub fn dialog(ctx: &Context, cx: &mut Cx<'_>) {
    let view = std::sync::Arc::clone(&cx.snapshot.opener);
    dialogs::question(ctx, cx, "Open links with Tideline?", |ui, cx| {
        content(ui, cx, (*view).as_ref());
    });
}

fn content(ui: &mut Ui, cx: &mut Cx<'_>, view: Option<&Known<OpenerView>>) {
    let text = "A tideline:// link in a browser, a chat or a ticket then opens this program on the view that it names. A link holds no secret, changes nothing and runs nothing.";
    said(ui, text, cx.tokens.dim);
    ui.add_space(8.0);
    let opens = match view {
        None => {
            said(ui, "Looking how it stands…", cx.tokens.faint);
            None
        }
        Some(Err(problem)) => {
            let text = format!("It cannot be done: {problem}");
            said(ui, &text, cx.tokens.warning);
            None
        }
        Some(Ok(view)) => {
            let now = if view.opens {
                "Links open with this program now."
            } else {
                "Links do not open with this program now."
            };
            said(ui, now, cx.tokens.text);
            for path in [&view.entry, &view.preferred] {
                let path = RichText::new(path.to_string_lossy())
                    .font(fonts::small_data())
                    .color(cx.tokens.faint);
                ui.add(Label::new(path).wrap());
            }
            let text = "Both files are the person's own: the first is written whole, one line of the second; taking it back removes exactly that.";
            small(ui, text, cx.tokens.faint);
            Some(view.opens)
        }
    };
    ui.add_space(10.0);
    ui.horizontal(|ui| {
        let set = |cx: &mut Cx<'_>, opens| {
            cx.push(Msg::Window(WindowMsg::SettingOpener(opens)));
            cx.push(Msg::Engine(Box::new(Command::OpenLinks(opens))));
            cx.push(Msg::Window(WindowMsg::Close));
        };
        let name = match opens {
            Some(true) => "Open them no longer",
            Some(false) | None => "Open links with Tideline",
        };
        let button = ui
            .add_enabled(opens.is_some(), egui::Button::new(name))
            .on_disabled_hover_text("It is not known how it stands");
        let cancel = ui.button("Cancel");
        if ui.memory(|memory| memory.focused().is_none()) {
            cancel.request_focus();
        }
        match opens {
            Some(opens) if button.clicked() => set(cx, !opens),
            _ if cancel.clicked() => cx.push(Msg::Window(WindowMsg::Close)),
            _ => {}
        }
    });
}

fn said(ui: &mut Ui, text: &str, color: egui::Color32) {
    ui.add(Label::new(RichText::new(text).color(color)).wrap());
}

fn small(ui: &mut Ui, text: &str, color: egui::Color32) {
    let text = RichText::new(text).font(fonts::small()).color(color);
    ui.add(Label::new(text).wrap());
}
