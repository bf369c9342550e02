//! What is around the panels: looks, dialogs, notices, ways back. Pure, as the panels' own state.

use std::fmt;

use crate::engine::{AccessView, ConnectTarget, ExportStage, ExportView, Folders, OpenerView};
use crate::model::link::ViewLink;
use crate::model::{ConnectionSettings, Known, Profile, TimestampMs};

use super::super::format;
use super::history::{Moment, Place, Places, Seen, Undo, Way};
use super::notices::{Notice, Notices};
use super::remembered::{Remembered, ThemeChoice, bounded_scale};
use super::watch::ConnectionWatch;
use super::{ExportForm, Msg, ProfileForm, TableMsg, UiState};

/// Text that may hold a secret: it is never shown by `Debug` and never remembered.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// What is searched for in a list, and which of the hits is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The text.
    pub text: String,
    /// The chosen hit, counted from 0.
    pub chosen: usize,
}

/// What lies over the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dialog {
    /// All commands.
    Commands(Query),
    /// Topics and groups.
    Find(Query),
    /// All keys.
    Keys,
    /// The notices given so far.
    Notices,
    /// Whether the plan is to be applied in the first moment without members.
    ApplyWhenEmpty,
    /// Whether changes are to be allowed for a while, and what was typed to confirm it.
    Unlock(String),
    /// A profile that is being written.
    Profile(Box<ProfileForm>),
    /// Whether a profile is to be forgotten, by its name.
    RemoveProfile(String),
    /// Records that are to be written to a file.
    Export(Box<ExportForm>),
    /// Whether the system is to open links with this program.
    Opener,
}

impl Dialog {
    /// Whether all keys go into its one field.
    pub fn is_list(&self) -> bool {
        matches!(self, Self::Commands(_) | Self::Find(_))
    }
}

/// Something the person did around the panels.
#[derive(Clone, Debug)]
pub enum WindowMsg {
    /// Lay a dialog over the window, in place of the one that is there.
    Open(Dialog),
    /// Take it away.
    Close,
    /// Search for this in the open list.
    Query(Query),
    /// Let the filter of topics have the focus.
    FocusFilter,
    /// Take these colours.
    Theme(ThemeChoice),
    /// Enlarge everything by this factor.
    Scale(f32),
    /// Write times in UTC, or in the system's zone.
    Utc(bool),
    /// Undo what changed the view.
    Undo,
    /// Do again what was undone.
    Redo,
    /// Go to the place before this one.
    Back,
    /// Go to the place after this one.
    Forward,
    /// Close the notice that is shown.
    CloseNotice,
    /// The field for settings was edited.
    ConfigText(Secret),
    /// A profile is on its way to the file.
    Saving(Profile),
    /// The export of this number was asked for, into this folder.
    Exporting(u64, String),
    /// The system is being told to open links with this program, or no longer.
    SettingOpener(bool),
    /// Show the view of this link, if any, as soon as its cluster is connected, and say this until then.
    BeginLink(Option<Box<ViewLink>>, String),
    /// The view of the link that was opened is on screen.
    LinkFollowed,
    /// Give a link to the clipboard.
    CopyLink(String),
}

/// Everything around the panels.
#[derive(Clone, Debug, Default)]
pub struct WindowState {
    /// What outlasts this run.
    pub remembered: Remembered,
    /// What lies over the window.
    pub dialog: Option<Dialog>,
    /// Short messages.
    pub notices: Notices,
    /// What can be undone.
    pub undo: Undo,
    /// Where one has been.
    pub places: Places,
    /// How the connection has stood.
    pub watch: ConnectionWatch,
    /// Settings for the bus's client, as they are written in a file.
    pub config_text: Secret,
    /// How the bus was reached last.
    pub reached: Option<ConnectionSettings>,
    /// The profile that is on its way to the file.
    pub saving: Option<Profile>,
    /// The number of the export whose end is still to be told.
    pub exporting: Option<u64>,
    /// Whether links are to open with this program, until that is so.
    pub setting_opener: Option<bool>,
    /// The person's own folders.
    pub folders: Folders,
    /// The view of the link that was opened, until its cluster is connected.
    pub link: Option<ViewLink>,
    /// What there is to say of that link on the welcome screen.
    pub link_said: Option<String>,
}

impl WindowState {
    /// Gives a notice, at `at` by the clock and `now_s` seconds by the frame's time.
    pub fn give(&mut self, notice: Notice, at: TimestampMs, now_s: f64) {
        self.notices.give(notice, at, now_s);
    }

    /// Takes what the person did around the panels of `state`; what to tell about it.
    pub fn apply(&mut self, msg: WindowMsg, state: &mut UiState) -> Option<Notice> {
        match msg {
            WindowMsg::Open(dialog) => self.dialog = Some(dialog),
            WindowMsg::Close | WindowMsg::FocusFilter => self.dialog = None,
            WindowMsg::Query(query) => {
                if let Some(Dialog::Commands(known) | Dialog::Find(known)) = &mut self.dialog {
                    *known = query;
                }
            }
            WindowMsg::Theme(theme) => self.remembered.theme = theme,
            WindowMsg::Scale(scale) => {
                let scale = bounded_scale(scale);
                self.remembered.scale = scale;
                return Some(Notice::done(format!("Size {:.0} %", scale * 100.0)));
            }
            WindowMsg::Utc(utc) => self.remembered.utc = utc,
            WindowMsg::Undo => self.undo.undo(state),
            WindowMsg::Redo => self.undo.redo(state),
            WindowMsg::Back => self.places.back(state),
            WindowMsg::Forward => self.places.forward(state),
            WindowMsg::CloseNotice => self.notices.close(),
            WindowMsg::ConfigText(text) => self.config_text = text,
            WindowMsg::Saving(profile) => self.saving = Some(profile),
            WindowMsg::SettingOpener(opens) => self.setting_opener = Some(opens),
            WindowMsg::BeginLink(link, said) => {
                self.link = link.map(|link| *link);
                self.link_said = Some(said);
            }
            WindowMsg::LinkFollowed => self.link = None,
            // The clipboard is not of this state.
            WindowMsg::CopyLink(_) => return Some(Notice::done("Copied a link to this view")),
            WindowMsg::Exporting(number, folder) => {
                self.exporting = Some(number);
                self.remembered.export_folder = folder;
            }
        }
        None
    }

    /// Takes note of where `state` came to by what was done at `now`.
    pub fn note(&mut self, before: Before, state: &UiState, now: Moment) {
        let Before { seen, place, way } = before;
        self.undo.note(seen, &Seen::of(state), now);
        if let Some(way) = way {
            self.places.arrive(place, Place::of(state), way, now.at_s);
        }
    }

    /// What there is to tell of the profile that was on its way, once `access` has it.
    pub fn saved(&mut self, access: &AccessView) -> Option<Notice> {
        let saving = self.saving.as_ref()?;
        let notice = match &access.profiles {
            Ok(profiles) => {
                let is_there = profiles.iter().any(|profile| {
                    // Which cluster it reaches is learnt by connecting.
                    let same_cluster = Profile {
                        cluster_id: saving.cluster_id.clone(),
                        ..profile.clone()
                    };
                    same_cluster == *saving
                });
                is_there.then(|| Notice::done(format!("Profile {} is kept", saving.name)))?
            }
            Err(problem) => Notice::error(format!(
                "Profile {} may not be kept: {problem}",
                saving.name
            )),
        };
        self.saving = None;
        Some(notice)
    }

    /// What there is to tell of links that were to be opened, once that is done.
    pub fn opener_set(&mut self, view: Option<&Known<OpenerView>>) -> Option<Notice> {
        let wanted = self.setting_opener?;
        let notice = match view? {
            Err(problem) => Notice::error(format!("Links are opened as before: {problem}")),
            Ok(view) if view.opens == wanted && wanted => Notice::done(
                "Links open with Tideline now; the same command takes that back".to_owned(),
            ),
            Ok(view) if view.opens == wanted => {
                Notice::done("Links open with Tideline no longer".to_owned())
            }
            Ok(_) => return None,
        };
        self.setting_opener = None;
        Some(notice)
    }

    /// The number of the next export.
    pub fn next_export(&self, last: &ExportView) -> u64 {
        last.number
            .max(self.exporting.unwrap_or_default())
            .saturating_add(1)
    }

    /// What there is to tell of the export that was on its way, once it has ended. Its dialog goes when the file is
    /// whole; otherwise it stays, to be mended.
    pub fn exported(&mut self, view: &ExportView) -> Option<Notice> {
        if self.exporting != Some(view.number) {
            return None;
        }
        let is_open =
            matches!(&self.dialog, Some(Dialog::Export(form)) if form.sent == self.exporting);
        let notice = match &view.stage {
            ExportStage::Idle | ExportStage::Running => return None,
            ExportStage::Done => {
                if is_open {
                    self.dialog = None;
                }
                let records = format::counted(view.records, "record", "records");
                let size = format::size(view.bytes);
                Some(Notice::done(format!(
                    "Wrote {records}, {size}, to {}",
                    view.path.display()
                )))
            }
            ExportStage::Cancelled => Some(Notice::done("Nothing was written: it was given up")),
            // The dialog says so.
            ExportStage::Exists | ExportStage::Failed(_) if is_open => None,
            ExportStage::Exists => Some(Notice::warning(format!(
                "Nothing was written: there is a file already: {}",
                view.path.display()
            ))),
            ExportStage::Failed(problem) => {
                Some(Notice::error(format!("Nothing was written: {problem}")))
            }
        };
        self.exporting = None;
        notice
    }

    /// Takes note of where one connects to. The view of a link is for its own cluster alone.
    pub fn reach(&mut self, target: &ConnectTarget) {
        self.link_said = None;
        self.link = self.link.take().filter(|link| match target {
            ConnectTarget::Bus(settings) => link.to.is_reached_by(settings),
            ConnectTarget::Demo(_) => false,
        });
        self.reached = match target {
            ConnectTarget::Bus(settings) => Some(settings.clone()),
            ConnectTarget::Demo(_) => None,
        };
    }

    /// Forgets the ways back, which belong to one bus.
    pub fn leave(&mut self) {
        self.undo = Undo::default();
        self.places = Places::default();
        // It ends with its session.
        self.exporting = None;
    }
}

/// Where one was before messages were taken.
pub struct Before {
    seen: Seen,
    place: Place,
    way: Option<Way>,
}

impl Before {
    /// Where `state` is before `messages`; `None` when none of them leads anywhere else.
    pub fn of(state: &UiState, messages: &[Msg]) -> Option<Self> {
        if !messages.iter().any(leads_elsewhere) {
            return None;
        }
        let way = messages.iter().find_map(|msg| match msg {
            Msg::ShowRecord(_)
            | Msg::Table(TableMsg::Select(_, Some(_)) | TableMsg::Arrived(Some(_))) => {
                Some(Way::Record)
            }
            Msg::Select(_) | Msg::ClearSelection => Some(Way::Span),
            Msg::ShowTopic(_) | Msg::Reveal(_) | Msg::Center(_) => Some(Way::Jump),
            _ => None,
        });
        Some(Self {
            seen: Seen::of(state),
            place: Place::of(state),
            way,
        })
    }
}

/// Whether what is on screen may be something else after `msg`. What is said in every frame of a drag or a
/// scroll is not; undoing undoes itself by doing again.
fn leads_elsewhere(msg: &Msg) -> bool {
    !matches!(
        msg,
        Msg::ScrollLanes(_)
            | Msg::ScrollGroups(_)
            | Msg::DragSpan(_)
            | Msg::DropSpan
            | Msg::HoverTime(_)
            | Msg::HoverTimeline(_)
            | Msg::Detail(_)
            | Msg::Group(_)
            | Msg::Rewind(_)
            | Msg::Search(_)
            | Msg::Isolation(_)
            | Msg::FocusDetail
            | Msg::Findings(_)
            | Msg::Journal(_)
            | Msg::Engine(_)
            | Msg::ReadAs(..)
            | Msg::WantSchema(_)
            | Msg::Table(
                TableMsg::Scroll(_)
                    | TableMsg::Sideways(_)
                    | TableMsg::Step(_)
                    | TableMsg::Jump(..)
                    | TableMsg::Columns(_)
                    | TableMsg::EditGoTo(_)
                    | TableMsg::CloseGoTo
                    | TableMsg::Say(_)
            )
            | Msg::LabelWidth(_)
            | Msg::RecordsShare(_)
            | Msg::DetailShare(_)
            | Msg::Address(_)
            | Msg::Connect(_)
            | Msg::Disconnect
            | Msg::Notice(_)
    ) && (!matches!(msg, Msg::Window(_))
        || matches!(msg, Msg::Window(WindowMsg::Back | WindowMsg::Forward)))
}
