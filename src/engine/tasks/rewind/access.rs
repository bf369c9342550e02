//! What the locks say, and which connections have names.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};

use crate::bus::Bus;
use crate::engine::SessionId;
use crate::engine::changing::{AccessView, Files};
use crate::engine::publish::Publisher;
use crate::model::{Known, Problem, ProblemKind, Profile, Profiles, TimestampMs};
use crate::rewind::policy::{self, Policy};

use super::{Desk, on_disk};

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Asker {
    /// A command: its own words are the confirmation where no profile locks the cluster.
    Command,
    /// The window, in which changing begins locked, and whether a person has unlocked it.
    Window {
        /// Whether it is unlocked at present.
        unlocked: bool,
    },
}

/// The named connections, by name.
pub(in crate::engine) async fn profiles(files: &Files) -> Known<Vec<Profile>> {
    let profiles = files.profiles.clone()?;
    on_disk(move || profiles.profiles()).await
}

/// What may be done to the cluster of that id.
pub(in crate::engine) async fn policy(
    desk: &Desk,
    cluster_id: Option<&str>,
    asker: Asker,
) -> Policy {
    let reached = policy::Reached {
        profile: desk.reached.profile.as_deref(),
        cluster_id,
        bootstrap: &desk.reached.bootstrap,
        demo: desk.reached.demo,
    };
    let unlocked = asker == Asker::Window { unlocked: true };
    match profiles(&desk.files).await {
        Ok(profiles) => locked_at_first(
            policy::policy(&profiles, &reached, unlocked),
            desk.reached.demo,
            asker,
        ),
        // A lock that cannot be read is not taken for one that is not there.
        Err(problem) => Policy {
            locked: Some(format!(
                "whether a profile locks this cluster cannot be read: {problem}"
            )),
            ..policy::policy(&[], &reached, unlocked)
        },
    }
}

fn locked_at_first(policy: Policy, demo: bool, asker: Asker) -> Policy {
    if policy.locked.is_some() || demo || asker != (Asker::Window { unlocked: false }) {
        return policy;
    }
    Policy {
        locked: Some("this connection is read-only until it is unlocked".to_owned()),
        ..policy
    }
}

/// Keeps the id of the cluster that a profile has led to, so that its locks hold there however it is reached.
///
/// # Errors
/// The profile cannot be read or kept.
async fn learn_cluster(files: &Files, profile: String, cluster_id: String) -> Known<()> {
    let profiles = files.profiles.clone()?;
    on_disk(move || {
        let known = profiles.profiles()?;
        let Some(mut named) = known.into_iter().find(|known| known.name == profile) else {
            return Err(Problem::new(
                ProblemKind::NotFound,
                format!("there is no profile {profile}"),
            ));
        };
        if named.cluster_id.as_deref() == Some(&cluster_id) {
            return Ok(());
        }
        named.cluster_id = Some(cluster_id);
        profiles.put_profile(&named)
    })
    .await
}

/// How long finding out a cluster's id may hold up a connection that stands.
const ID: Duration = Duration::from_secs(2);

/// Keeps which cluster a profile has led to. Without it the profile's locks hold by its name and address alone,
/// so not being able to is no reason not to connect.
pub(in crate::engine) async fn learn(bus: &dyn Bus, files: &Files, profile: String) {
    if let Ok(Ok(cluster)) = tokio::time::timeout(ID, bus.cluster()).await
        && let Some(id) = cluster.cluster_id
    {
        drop(learn_cluster(files, profile, id).await);
    }
}

/// What showing the locks needs.
pub(in crate::engine) struct Locks {
    pub(in crate::engine) desk: Desk,
    pub(in crate::engine) publisher: Arc<Publisher>,
    pub(in crate::engine) session: SessionId,
    /// Until when changes are allowed.
    pub(in crate::engine) unlocked: watch::Receiver<Option<TimestampMs>>,
    /// Wakes when a profile was kept or forgotten.
    pub(in crate::engine) changed: Arc<Notify>,
}

/// How often the locks are looked at again: another Tideline may have changed a profile.
const LOOK: Duration = Duration::from_secs(5);

/// Keeps what is shown of locks and profiles fresh. Ends with the session.
pub(in crate::engine) async fn follow(mut locks: Locks) {
    loop {
        let cluster = locks.publisher.snapshot().inventory.cluster.clone();
        let cluster_id = match &cluster {
            Some(Ok(cluster)) => cluster.cluster_id.clone(),
            _ => None,
        };
        let now = locks.desk.clock.now();
        let until = locks.unlocked.borrow().filter(|until| now < *until);
        let asker = Asker::Window {
            unlocked: until.is_some(),
        };
        let policy = match cluster {
            Some(Ok(_)) => Some(policy(&locks.desk, cluster_id.as_deref(), asker).await),
            _ => None,
        };
        let profiles = profiles(&locks.desk.files).await;
        let view = AccessView {
            profile: locks.desk.reached.profile.clone(),
            policy,
            unlocked_until: until,
            profiles,
            problem: None,
        };
        show(&locks.publisher, locks.session, view);
        // What is not known yet is asked for again soon.
        let rest = if cluster_id.is_some() {
            LOOK
        } else {
            Duration::from_millis(300)
        };
        let ends = until.map_or(LOOK, |until| {
            Duration::from_millis(u64::try_from(until.since_ms(now)).unwrap_or(0))
        });
        tokio::select! {
            () = tokio::time::sleep(rest.min(ends)) => {}
            () = locks.changed.notified() => {}
            changed = locks.unlocked.changed() => if changed.is_err() { return },
        }
    }
}

/// Changes the profiles.
pub(in crate::engine) async fn change(
    files: &Files,
    change: impl FnOnce(&dyn Profiles) -> Known<()> + Send + 'static,
) -> Known<()> {
    let profiles = files.profiles.clone()?;
    on_disk(move || change(&*profiles)).await
}

/// Shows the profiles where nothing is connected, or why they could not be changed.
pub(in crate::engine) async fn show_profiles(
    publisher: &Publisher,
    files: &Files,
    problem: Option<Problem>,
) {
    let session = publisher.session();
    let profiles = profiles(files).await;
    publisher.update(session, |snapshot| {
        let view = AccessView {
            profiles,
            problem,
            ..AccessView::clone(&snapshot.access)
        };
        if view != *snapshot.access {
            snapshot.access = Arc::new(view);
        }
    });
}

fn show(publisher: &Publisher, session: SessionId, mut view: AccessView) {
    publisher.update(session, |snapshot| {
        view.problem.clone_from(&snapshot.access.problem);
        if view != *snapshot.access {
            snapshot.access = Arc::new(view);
        }
    });
}
